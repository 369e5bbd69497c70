package dev.heddle.collectives.nccl.timing;

/** What keeps a call from being faster. */
public enum Bound {
  /** Hosts cannot queue calls faster. */
  HOST,
  /** Steps that wait for one another. */
  LATENCY,
  /** What thread blocks copy. */
  COPY,
  /** What a GPU's links carry. */
  PORT,
  /** What NICs carry. */
  NETWORK
}
