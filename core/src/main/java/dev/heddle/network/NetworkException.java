package dev.heddle.network;

/** A run that a network cannot carry out as described: a deadlock, a unit that fits no buffer, a limit reached. */
public final class NetworkException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Explains what stands in the way, and what would change it. */
  public NetworkException(String message) {
    super(message);
  }
}
