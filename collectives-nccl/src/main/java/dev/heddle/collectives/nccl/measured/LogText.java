package dev.heddle.collectives.nccl.measured;

import com.google.common.collect.ImmutableList;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.text.DecimalText;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The lines of a log without codes of terminals and the prefixes by which {@code mpirun --tag-output}
 * and {@code srun --label} name the process.
 *
 * @param file name of the file
 * @param lines its lines
 */
record LogText(String file, List<Line> lines) {
  private static final Pattern CODES = Pattern.compile("\u001B(\\[[0-9;?]*[ -/]*[@-~]|[@-Z\\\\-_])");
  private static final Pattern PREFIX =
      Pattern.compile("^(\\[\\d+,\\d+\\]<std(out|err|diag)>:|\\s*\\d+:(?=[\\s#]))\\s?");

  LogText {
    lines = ImmutableList.copyOf(lines);
  }

  /**
   * A line.
   *
   * @param place file and number, for messages
   * @param text without blanks at its ends
   */
  record Line(String place, String text) {
    String[] cells() {
      return text.split("[\\s|]+");
    }

    boolean startsWithNumber() {
      return !text.isEmpty() && Character.isDigit(text.charAt(0));
    }
  }

  static LogText of(String file, String text) {
    List<Line> lines = new ArrayList<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String plain = CODES.matcher(line).replaceAll("");
      lines.add(new Line(file + ":" + number, PREFIX.matcher(plain).replaceFirst("").strip()));
    }
    return new LogText(file, lines);
  }

  boolean contains(Pattern pattern) {
    return lines.stream().anyMatch(line -> pattern.matcher(line.text()).find());
  }

  static void require(boolean holds, String place, String message) {
    if (!holds) {
      throw refusal(place, message);
    }
  }

  static InvalidSettingException refusal(String place, String message) {
    return new InvalidSettingException("", place + ": " + message);
  }

  /** A positive number of a cell. */
  static double number(Line line, String name, String cell) {
    double value = DecimalText.unsigned(cell);
    require(value > 0 && value < 1e15, line.place(), name + " is '" + cell + "'; it must be a positive number");
    return value;
  }

  /** A size in bytes. */
  static long bytes(Line line, String cell) {
    require(cell.matches("\\d{1,18}"), line.place(), "size is '" + cell + "'; it must be a whole number of bytes");
    return Long.parseLong(cell);
  }
}
