package dev.heddle.spi;

/** Settings that are each in range but do not fit together; the scenario reader adds file and path. */
public final class InvalidSettingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String component;

  /**
   * Makes an exception.
   *
   * @param component the record component at fault, as declared (camel case); empty for the whole record
   * @param message the value, and the allowed values
   */
  public InvalidSettingException(String component, String message) {
    super(message);
    this.component = component;
  }

  /** The record component at fault, as declared; empty for the whole record. */
  public String component() {
    return component;
  }
}
