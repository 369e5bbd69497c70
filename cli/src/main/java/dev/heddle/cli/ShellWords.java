package dev.heddle.cli;

import java.util.List;
import java.util.stream.Collectors;

/** Words of commands for POSIX {@code sh}. */
public final class ShellWords {
  private ShellWords() {}

  /** The text of a command that a shell splits into these words again. */
  public static String quoted(List<String> words) {
    return words.stream().map(ShellWords::quoted).collect(Collectors.joining(" "));
  }

  private static String quoted(String word) {
    return word.matches("[A-Za-z0-9_@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
