package dev.heddle.collective;

/** Signals a file without a readable schedule, or a schedule that a format cannot express. */
public final class ScheduleFormatException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Makes an exception whose message states the fault and its position: file and line where there are such. */
  public ScheduleFormatException(String message) {
    super(message);
  }
}
