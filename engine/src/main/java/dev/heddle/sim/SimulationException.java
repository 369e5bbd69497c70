package dev.heddle.sim;

/** A run that cannot be carried out as the scenario describes it, such as one that deadlocks; the user's to mend. */
public final class SimulationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** An exception with the obstacle and its remedy. */
  public SimulationException(String message) {
    super(message);
  }

  /** An exception with the obstacle, its remedy and its cause. */
  public SimulationException(String message, Throwable cause) {
    super(message, cause);
  }
}
