package dev.heddle.units;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A rate of arithmetic in whole floating-point operations per second, above 0. A fused multiply-add counts as two.
 *
 * @param flopPerSecond operations per second
 */
public record ComputeRate(long flopPerSecond) implements Comparable<ComputeRate> {
  private static final Map<String, BigDecimal> UNITS = units();

  /**
   * Checks the range.
   *
   * @throws IllegalArgumentException when {@code flopPerSecond} is not positive
   */
  public ComputeRate {
    if (flopPerSecond <= 0) {
      throw new IllegalArgumentException("a compute rate must be above 0 flop/s: " + flopPerSecond);
    }
  }

  /**
   * Parses a text such as {@code "989.4 Tflop/s"}.
   *
   * @throws IllegalArgumentException when the text is malformed, has no unit or a wrong one, is not positive or too
   *     large
   */
  public static ComputeRate parse(String text) {
    BigDecimal operations = Quantity.parse(text, "compute rate", UNITS);
    long value = Quantity.toLong(operations, text, "compute rate", "floating-point operations per second");
    if (value == 0) {
      throw new IllegalArgumentException("'" + text + "' is not above 0; a compute rate must be positive");
    }
    return new ComputeRate(value);
  }

  @Override
  public int compareTo(ComputeRate other) {
    return Long.compare(flopPerSecond, other.flopPerSecond);
  }

  /** Writes the rate in the largest SI unit that leaves at least 1. */
  @Override
  public String toString() {
    return Quantity.scaled(flopPerSecond, 1000, UNITS.keySet().toArray(new String[0]));
  }

  private static Map<String, BigDecimal> units() {
    Map<String, BigDecimal> units = new LinkedHashMap<>();
    BigDecimal factor = BigDecimal.ONE;
    for (String prefix : new String[] {"", "k", "M", "G", "T", "P"}) {
      units.put(prefix + "flop/s", factor);
      factor = factor.multiply(BigDecimal.valueOf(1000));
    }
    return Collections.unmodifiableMap(units);
  }
}
