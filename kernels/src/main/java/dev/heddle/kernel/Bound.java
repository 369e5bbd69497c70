package dev.heddle.kernel;

/** The resource that a kernel's time rests on most. */
public enum Bound {
  /** Arithmetic units. */
  COMPUTE,
  /** Memory. */
  MEMORY,
  /** The start of the kernel, or latencies that neither arithmetic nor bytes explain. */
  LATENCY
}
