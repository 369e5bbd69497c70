package dev.heddle.site;

/** Pages that cannot be published as they are. */
final class SiteException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SiteException(String message) {
    super(message);
  }
}
