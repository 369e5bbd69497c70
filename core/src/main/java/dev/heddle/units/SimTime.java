package dev.heddle.units;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A span of simulated time in whole picoseconds, at least 0; the largest is about 106 days.
 *
 * @param ps the span in picoseconds
 */
public record SimTime(long ps) implements Comparable<SimTime> {
  /** No time at all. */
  public static final SimTime ZERO = new SimTime(0);

  private static final Map<String, BigDecimal> UNITS = units();

  /**
   * Checks the range.
   *
   * @throws IllegalArgumentException when {@code ps} is negative
   */
  public SimTime {
    if (ps < 0) {
      throw new IllegalArgumentException("a time must be at least 0 ps: " + ps);
    }
  }

  /** Makes a span of {@code value} picoseconds. */
  public static SimTime ofPs(long value) {
    return new SimTime(value);
  }

  /** Makes a span of {@code value} nanoseconds, rounded to the nearest picosecond. */
  public static SimTime ofNanos(double value) {
    return new SimTime(Math.round(value * 1e3));
  }

  /**
   * Rounds a span in picoseconds to whole ones.
   *
   * @throws ArithmeticException when the span is negative, no number, or 2^62 ps (53 days) or more
   */
  public static long roundPs(double ps) {
    if (ps >= 0 && ps < 0x1p62) {
      return Math.round(ps);
    }
    throw new ArithmeticException("a span of " + ps + " ps");
  }

  /**
   * Parses a text such as {@code "2.5 ms"}; a fraction of a picosecond is rounded half up.
   *
   * @throws IllegalArgumentException when the text is malformed, has no unit or a wrong one, is negative or too large
   */
  public static SimTime parse(String text) {
    BigDecimal ps = Quantity.parse(text, "time", UNITS).setScale(0, RoundingMode.HALF_UP);
    return new SimTime(Quantity.toLong(ps, text, "time", "picoseconds"));
  }

  /** This span in seconds. */
  public double seconds() {
    return ps * 1e-12;
  }

  /** This span in nanoseconds. */
  public double nanos() {
    return ps * 1e-3;
  }

  /** This span in microseconds. */
  public double micros() {
    return ps * 1e-6;
  }

  @Override
  public int compareTo(SimTime other) {
    return Long.compare(ps, other.ps);
  }

  /** Writes the span in the largest unit that leaves at least 1, with six significant digits. */
  @Override
  public String toString() {
    if (ps == 0) {
      return "0 s";
    }
    String unit = "ps";
    double factor = 1;
    for (Map.Entry<String, BigDecimal> entry : UNITS.entrySet()) {
      double candidate = entry.getValue().doubleValue();
      if (candidate <= 1e12 && ps >= candidate) {
        unit = entry.getKey();
        factor = candidate;
      }
    }
    return Quantity.number(ps / factor, 6) + " " + unit;
  }

  private static Map<String, BigDecimal> units() {
    Map<String, BigDecimal> units = new LinkedHashMap<>();
    units.put("ps", BigDecimal.ONE);
    units.put("ns", BigDecimal.valueOf(1_000L));
    units.put("us", BigDecimal.valueOf(1_000_000L));
    units.put("ms", BigDecimal.valueOf(1_000_000_000L));
    units.put("s", BigDecimal.valueOf(1_000_000_000_000L));
    units.put("min", BigDecimal.valueOf(60_000_000_000_000L));
    units.put("h", BigDecimal.valueOf(3_600_000_000_000_000L));
    return Collections.unmodifiableMap(units);
  }
}
