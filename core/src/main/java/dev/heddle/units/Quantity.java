package dev.heddle.units;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Splits a text such as {@code "12.5 GB/s"} into an exact number and its unit's factor. */
final class Quantity {
  private static final Pattern FORM =
      Pattern.compile("\\s*([+-]?(?:\\d[\\d_]*(?:\\.\\d+)?|\\.\\d+)(?:[eE][+-]?\\d{1,3})?)\\s*(\\S.*?)?\\s*");

  private Quantity() {}

  /**
   * Parses a number and its unit exactly.
   *
   * @param kind of the quantity, for the message, such as {@code "time"}
   * @param units the allowed units and their factors, in the order in which a message lists them
   * @return the number times the factor of its unit
   * @throws IllegalArgumentException when the text is no number, has no unit, or a unit that is not allowed
   */
  static BigDecimal parse(String text, String kind, Map<String, BigDecimal> units) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a " + kind + "; write a number and a unit, one of " + list(units));
    }
    BigDecimal number = new BigDecimal(matcher.group(1).replace("_", ""));
    String unit = matcher.group(2);
    if (unit == null) {
      if (number.signum() == 0) {
        return BigDecimal.ZERO;
      }
      throw new IllegalArgumentException(
          "'" + text + "' has no unit; a " + kind + " needs one of " + list(units));
    }
    BigDecimal factor = units.get(unit);
    if (factor == null) {
      throw new IllegalArgumentException(
          "'" + unit + "' is not a unit of " + kind + " (in '" + text + "'); use one of " + list(units));
    }
    return number.multiply(factor);
  }

  /** Converts an exact value to a {@code long}, refusing negative, fractional and too large values. */
  static long toLong(BigDecimal value, String text, String kind, String base) {
    if (value.signum() < 0) {
      throw new IllegalArgumentException("'" + text + "' is negative; a " + kind + " must be at least 0");
    }
    try {
      return value.longValueExact();
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a whole number of " + base + " below 2^63; choose a coarser or smaller value", e);
    }
  }

  /** Writes a number with at most {@code digits} significant digits and no trailing zeros. */
  static String number(double value, int digits) {
    if (value == 0) {
      return "0";
    }
    BigDecimal rounded = new BigDecimal(value).round(new java.math.MathContext(digits));
    return rounded.stripTrailingZeros().toPlainString().toLowerCase(Locale.ROOT);
  }

  /** Writes a value in the largest unit that leaves at least 1; each unit is so many times the one before. */
  static String scaled(double value, int step, String... units) {
    int unit = 0;
    double left = value;
    while (left >= step && unit < units.length - 1) {
      left /= step;
      unit++;
    }
    return number(left, 6) + " " + units[unit];
  }

  private static String list(Map<String, BigDecimal> units) {
    return String.join(", ", units.keySet());
  }
}
