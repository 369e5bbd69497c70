package dev.heddle.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Writes figures for people: few significant digits, no trailing zeros, the same in every locale. */
final class NumberText {
  /** What stands where nothing was measured. */
  static final String NONE = "-";

  private static final int DIGITS = 4;

  private NumberText() {}

  /** Writes a figure with four significant digits; {@link #NONE} for NaN. */
  static String of(double value) {
    if (Double.isNaN(value)) {
      return NONE;
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "inf" : "-inf";
    }
    double magnitude = Math.abs(value);
    if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e9)) {
      return String.format(Locale.ROOT, "%.3e", value);
    }
    if (magnitude >= 1000) {
      return String.format(Locale.ROOT, magnitude >= 10_000 ? "%.0f" : "%.1f", value).replaceFirst("\\.0$", "");
    }
    BigDecimal rounded = new BigDecimal(value).round(new MathContext(DIGITS));
    return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
  }

  /** Writes a figure with its unit; a unit of {@code 1} stays silent. */
  static String of(double value, String unit) {
    String text = of(value);
    return unit.isEmpty() || unit.equals("1") || text.equals(NONE) ? text : text + " " + unit;
  }

  /** Writes a share as percent with one decimal; {@link #NONE} for NaN. */
  static String percent(double share) {
    return Double.isNaN(share) ? NONE : fixed(100 * share, 1);
  }

  /** Writes a figure with a fixed number of decimals; {@link #NONE} for NaN. */
  static String fixed(double value, int decimals) {
    return Double.isNaN(value) ? NONE : String.format(Locale.ROOT, "%." + decimals + "f", value);
  }

  /** Writes a count with groups of three digits. */
  static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** Writes a fingerprint as 16 hexadecimal digits. */
  static String fingerprint(long value) {
    return String.format(Locale.ROOT, "%016x", value);
  }

  /** The title of a quantity with its unit in brackets. */
  static String titled(String title, String unit) {
    return unit.isEmpty() || unit.equals("1") ? title : title + " [" + unit + "]";
  }
}
