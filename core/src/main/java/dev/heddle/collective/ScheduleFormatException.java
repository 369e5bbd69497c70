package dev.heddle.collective;

/** A file that holds no schedule that can be read, or a schedule that a format cannot hold. */
public final class ScheduleFormatException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Says what is wrong, and where: file and line where there are such. */
  public ScheduleFormatException(String message) {
    super(message);
  }
}
