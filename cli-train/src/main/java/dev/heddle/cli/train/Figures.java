package dev.heddle.cli.train;

import dev.heddle.workload.megatron.job.Training;
import java.util.Locale;

/** Figures as the reports of training jobs print them. */
final class Figures {
  private static final double JOULES_PER_KWH = 3.6e6;

  private Figures() {}

  /** A number in three to four digits, of small ones the first three behind the point. */
  static String number(double value) {
    return String.format(Locale.ROOT, value >= 1000 ? "%,.0f" : value >= 100 ? "%.1f" : "%.3f", value);
  }

  /** A number in three to four digits, however small. */
  static String significant(double value) {
    int zeros = value > 0 && value < 1 ? (int) -Math.floor(Math.log10(value)) - 1 : 0;
    return zeros == 0 ? number(value) : String.format(Locale.ROOT, "%." + (3 + Math.min(zeros, 6)) + "f", value);
  }

  /** A line on the differences between ranks that estimates leave out; empty where there are none. */
  static String leftOut(Training training) {
    return training.variation().present()
        ? "Estimates leave out the jitter and the stragglers of --variation, which runs count" + System.lineSeparator()
        : "";
  }

  /** Kilowatt hours of an energy in J. */
  static double kilowattHours(double joules) {
    return joules / JOULES_PER_KWH;
  }
}
