package dev.heddle.service;

import com.google.common.primitives.Ints;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads messages of the command line: {@code heddle: FILE:LINE: PATH: MESSAGE}, {@code heddle: --OPTION: MESSAGE}. */
final class FaultText {
  private static final String PREFIX = "heddle: ";
  private static final Pattern PLACED =
      Pattern.compile("[^:\\s]*(?:scenario|cluster)\\.yaml:(\\d+): (?:([A-Za-z][\\w.\\[\\]-]*): )?(.*)");
  private static final Pattern OPTION = Pattern.compile("(--?[A-Za-z][A-Za-z-]*)(?: [^:]*)?: (.*)");
  private static final int KILLED = 128;
  private static final int BUG = 70;

  private FaultText() {}

  /** The reason for an exit, from the messages of a process. */
  static String reason(String messages, int exit) {
    List<String> lines = messages.lines()
        .filter(line -> line.startsWith(PREFIX) && !line.startsWith(PREFIX + "warning: "))
        .map(line -> line.substring(PREFIX.length())).toList();
    if (lines.isEmpty() || exit == BUG) {
      String all = messages.strip();
      String end = exit > KILLED ? "was ended by signal " + (exit - KILLED) : "ended with exit code " + exit;
      return "the process " + end + (all.isEmpty() ? "" : ": " + all);
    }
    return String.join("\n", lines);
  }

  /** The faults that the lines of a message state. */
  static List<Fault> faults(String message) {
    List<Fault> faults = new ArrayList<>();
    message.lines().forEach(line -> faults.add(fault(line)));
    return faults;
  }

  private static Fault fault(String line) {
    Matcher placed = PLACED.matcher(line);
    if (placed.matches()) {
      return new Fault(
          Optional.ofNullable(placed.group(2)).orElse(""),
          Optional.ofNullable(Ints.tryParse(placed.group(1))).orElse(0), placed.group(3));
    }
    Matcher option = OPTION.matcher(line);
    return option.matches() ? new Fault(option.group(1), 0, line) : new Fault("", 0, line);
  }
}
