package dev.heddle.cli;

/** A command line that asks for what cannot be; the user's to mend. */
final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
