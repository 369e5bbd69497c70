package dev.heddle.workload.megatron.kernel;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.text.TextFile;
import java.nio.file.Path;

/** Parts of the readers of files of measured times. */
final class MeasuredFile {
  private static final double MICROSECOND = 1e-6;

  private MeasuredFile() {}

  /**
   * The text of a file.
   *
   * @throws InvalidSettingException naming the file, when it cannot be read as UTF-8
   */
  static String text(Path file) {
    return TextFile.read(file, message -> new InvalidSettingException("", message));
  }

  /**
   * A time in seconds.
   *
   * @param name name of the value
   * @param text a positive number of microseconds
   * @throws IllegalArgumentException when it is none
   */
  static double seconds(String name, String text) {
    double value;
    try {
      value = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      value = Double.NaN;
    }
    if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(name + " is '" + text + "'; it must be a positive number of microseconds");
    }
    return value * MICROSECOND;
  }
}
