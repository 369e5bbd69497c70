package dev.heddle.network;

/** A network with programs on it; for one run. */
public interface Network {
  /**
   * Runs to the end of the measured window, or to completion, and checks the conservation of bytes.
   *
   * @throws NetworkException when the network deadlocks, the programs stall, a packet fits no buffer, or the limit of
   * simulated time is reached
   * @throws InvariantViolation when a conservation law was broken
   */
  void run();

  /** The measurements of the run. */
  Measurements measurements();
}
