package dev.heddle.hpl;

import java.util.Locale;

/** Results in the format of HPL 2.3, so that programs that read HPL's output can read Heddle's. */
public final class HplReport {
  private static final String TITLE =
      "T/V                N    NB     P     Q               Time                 Gflops\n";
  private static final int WIDTH = 80;

  private HplReport() {}

  /** The three lines above a result. */
  public static String header() {
    return "=".repeat(WIDTH) + "\n" + TITLE + "-".repeat(WIDTH) + "\n";
  }

  /**
   * A result line with its end: variant, N, NB, P, Q, seconds, and operations per second divided by 10<sup>9</sup>.
   *
   * @param run that took the time
   * @param seconds above 0
   * @throws IllegalArgumentException when {@code seconds} is not a positive number
   */
  public static String line(HplCase run, double seconds) {
    if (!(seconds > 0 && seconds < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("seconds must be positive: " + seconds);
    }
    HplProblem problem = run.problem();
    return String.format(
        Locale.ROOT, "%s%12d %5d %5d %5d %18.2f    %19.4e\n", run.variant().code(), problem.order(),
        problem.blockSize(), problem.grid().rows(), problem.grid().columns(), seconds,
        problem.flops() / seconds / 1e9);
  }

  /** The lines that HPL prints after the last result of runs without a check of residuals. */
  public static String end(int runs) {
    return String.format(
        Locale.ROOT,
        "%s\n\nFinished %6d tests with the following results:\n         %6d tests completed without checking,\n"
            + "         %6d tests skipped because of illegal input values.\n%s\n\nEnd of Tests.\n%s\n",
        "=".repeat(WIDTH), runs, runs, 0, "-".repeat(WIDTH), "=".repeat(WIDTH));
  }
}
