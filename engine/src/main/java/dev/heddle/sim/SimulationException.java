package dev.heddle.sim;

/** A run that cannot be carried out as the scenario describes it, such as one that deadlocks; the user's to mend. */
public final class SimulationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Explains what stands in the way, and what would change it. */
  public SimulationException(String message) {
    super(message);
  }

  /** Explains what stands in the way, and keeps where it was found. */
  public SimulationException(String message, Throwable cause) {
    super(message, cause);
  }
}
