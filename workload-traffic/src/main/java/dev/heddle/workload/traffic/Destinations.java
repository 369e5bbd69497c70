package dev.heddle.workload.traffic;

/** The destinations of one rank's messages, one after another. */
interface Destinations {
  /** A rank that sends nothing. */
  int NONE = -1;

  /** The destination of the next message; {@link #NONE}, always, where the rank sends nothing. */
  int next();
}
