package dev.heddle.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Locale;

/** Writes figures for people: few significant digits, no trailing zeros, the same in every locale. */
public final class NumberText {
  /** The mark of a figure that was not measured. */
  static final String NONE = "-";

  private static final int DIGITS = 4;
  private static final double THOUSAND = 1000;
  private static final List<String> TIMES = List.of("ps", "ns", "us", "ms", "s");
  private static final List<String> RATES = List.of("B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s");

  private NumberText() {}

  /** Writes a figure with four significant digits; {@link #NONE} for NaN. */
  public static String of(double value) {
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

  /**
   * A figure in the unit in which it has one to three digits before the point.
   *
   * @param text the figure with four significant digits
   * @param unit empty for a number without one
   */
  record Scaled(String text, String unit) {}

  /**
   * A unit, and the factor by which figures in another are multiplied.
   *
   * @param unit empty for a number without one
   */
  record Scale(String unit, double factor) {
    /** A figure in the unit, with four significant digits. */
    String of(double value) {
      return NumberText.of(value * factor);
    }
  }

  /** Scales times (us, ms, s) and rates (GB/s) to a unit that fits; other units stay. */
  static Scaled scaled(double value, String unit) {
    Scale scale = scale(value, unit);
    return new Scaled(scale.of(value), scale.unit());
  }

  /** Writes a time given in microseconds in the unit that fits it. */
  public static String time(double us) {
    Scaled scaled = scaled(us, "us");
    return of(us).equals(NONE) ? NONE : scaled.text() + " " + scaled.unit();
  }

  /** The unit that fits a time in us or a rate in GB/s; other units stay. */
  static Scale scale(double value, String unit) {
    double magnitude = Math.abs(value);
    if (magnitude > 0 && !Double.isInfinite(value) && (unit.equals("us") || unit.equals("GB/s"))) {
      List<String> units = unit.equals("us") ? TIMES : RATES;
      int at = units.indexOf(unit);
      double factor = 1;
      while (magnitude * factor >= THOUSAND && at < units.size() - 1) {
        factor /= THOUSAND;
        at++;
      }
      while (magnitude * factor < 1 && at > 0) {
        factor *= THOUSAND;
        at--;
      }
      return new Scale(units.get(at), factor);
    }
    return new Scale(unit.equals("1") ? "" : unit, 1);
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
