package dev.heddle.cli.train;

import java.util.Locale;

/** Figures as the reports of training jobs print them. */
final class Figures {
  private static final double JOULES_PER_KWH = 3.6e6;

  private Figures() {}

  /** A number in three to four digits. */
  static String number(double value) {
    return String.format(Locale.ROOT, value >= 1000 ? "%,.0f" : value >= 100 ? "%.1f" : "%.3f", value);
  }

  /** Kilowatt hours of an energy in J. */
  static double kilowattHours(double joules) {
    return joules / JOULES_PER_KWH;
  }
}
