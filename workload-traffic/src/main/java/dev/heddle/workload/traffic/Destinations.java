package dev.heddle.workload.traffic;

/** The destinations of one rank's messages, in order. */
interface Destinations {
  /** The destination of a rank that sends nothing. */
  int NONE = -1;

  /** The destination of the next message; always {@link #NONE} if the rank sends nothing. */
  int next();
}
