package dev.heddle.registry;

/** A set of plug-ins that cannot be used as it is, or a name that none of them provides; the user's to mend. */
public final class RegistryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Makes an exception whose message states the fault, its position, and the ids present. */
  public RegistryException(String message) {
    super(message);
  }
}
