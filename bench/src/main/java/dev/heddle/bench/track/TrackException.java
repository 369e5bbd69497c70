package dev.heddle.bench.track;

/** An error of the user: an input that cannot be measured or read. The message is for people. */
final class TrackException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  TrackException(String message) {
    super(message);
  }
}
