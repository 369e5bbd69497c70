package dev.heddle.collectives.nccl.timing;

/** The resource that limits the time of a call. */
public enum Bound {
  /** The rate at which hosts queue calls. */
  HOST,
  /** The latency of steps that wait for each other. */
  LATENCY,
  /** The copy rate of thread blocks. */
  COPY,
  /** The rate of a GPU's links. */
  PORT,
  /** The rate of the NICs. */
  NETWORK
}
