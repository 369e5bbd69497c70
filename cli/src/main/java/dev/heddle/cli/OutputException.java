package dev.heddle.cli;

/** A failure to write or use a folder or file, reported as an error of the user. */
final class OutputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  OutputException(String message) {
    super(message);
  }
}
