package dev.heddle.network;

/** A law that the simulator itself must keep was broken: a bug of Heddle, not of a scenario. */
public final class InvariantViolation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Says which law, and by how much. */
  public InvariantViolation(String message) {
    super(message);
  }
}
