package dev.heddle.units;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A share of a whole, at least 0, written as {@code "20 %"} or {@code 0.2}; above 1 where a setting's range allows it.
 *
 * @param value the share; 1 is the whole
 */
public record Fraction(double value) implements Comparable<Fraction> {
  private static final Map<String, BigDecimal> UNITS = units();

  /**
   * Checks the range.
   *
   * @throws IllegalArgumentException when {@code value} is negative or not finite
   */
  public Fraction {
    if (!(value >= 0) || Double.isInfinite(value)) {
      throw new IllegalArgumentException("a fraction must be finite and at least 0: " + value);
    }
  }

  /** Makes a share of {@code value}; 1 is the whole. */
  public static Fraction of(double value) {
    return new Fraction(value);
  }

  /**
   * Parses {@code "20 %"} or {@code "0.2"}.
   *
   * @throws IllegalArgumentException when the text is malformed or negative
   */
  public static Fraction parse(String text) {
    String trimmed = text.strip();
    try {
      return new Fraction(new BigDecimal(trimmed).doubleValue());
    } catch (NumberFormatException notPlain) {
      return new Fraction(Quantity.parse(trimmed, "fraction", UNITS).doubleValue());
    }
  }

  @Override
  public int compareTo(Fraction other) {
    return Double.compare(value, other.value);
  }

  /** Writes the share in percent. */
  @Override
  public String toString() {
    return Quantity.number(value * 100, 6) + " %";
  }

  private static Map<String, BigDecimal> units() {
    Map<String, BigDecimal> units = new LinkedHashMap<>();
    units.put("%", new BigDecimal("0.01"));
    return Collections.unmodifiableMap(units);
  }
}
