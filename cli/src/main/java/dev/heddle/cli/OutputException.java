package dev.heddle.cli;

/** A folder or file that cannot be written or used; the user's to mend. */
final class OutputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  OutputException(String message) {
    super(message);
  }
}
