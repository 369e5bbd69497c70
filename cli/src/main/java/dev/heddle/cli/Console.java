package dev.heddle.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The terminal that commands write to.
 *
 * @param out results
 * @param err messages and progress
 * @param width columns of the terminal
 * @param colour whether results may carry ANSI colours
 * @param progress whether messages go to a terminal, so that progress may be shown
 */
record Console(PrintWriter out, PrintWriter err, int width, boolean colour, boolean progress) {
  private static final int DEFAULT_WIDTH = 80;

  /**
   * The standard streams. System properties of the launcher describe the terminal: {@code heddle.columns} where
   * standard output is one, {@code heddle.progress} where standard error is.
   */
  static Console standard() {
    Optional<Integer> columns = Optional.ofNullable(Integer.getInteger("heddle.columns"));
    boolean colour = columns.isPresent() && System.getenv("NO_COLOR") == null;
    return new Console(
        new PrintWriter(System.out, true, StandardCharsets.UTF_8),
        new PrintWriter(System.err, true, StandardCharsets.UTF_8),
        columns.filter(width -> width > 0).orElse(DEFAULT_WIDTH),
        colour,
        Boolean.getBoolean("heddle.progress"));
  }

  /** Prints a text to standard output. */
  void print(String text) {
    out.print(text);
    out.flush();
  }

  /** Prints a line to standard error. */
  void message(String text) {
    err.println(text);
    err.flush();
  }
}
