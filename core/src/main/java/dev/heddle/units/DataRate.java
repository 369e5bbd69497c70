package dev.heddle.units;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A data rate in whole bits per second, above 0, and the only place where bytes become time.
 *
 * @param bitsPerSecond the rate in bits per second
 */
public record DataRate(long bitsPerSecond) implements Comparable<DataRate> {
  private static final long PS_PER_S = 1_000_000_000_000L;
  private static final Map<String, BigDecimal> UNITS = units();

  /**
   * Checks the range.
   *
   * @throws IllegalArgumentException when {@code bitsPerSecond} is not positive
   */
  public DataRate {
    if (bitsPerSecond <= 0) {
      throw new IllegalArgumentException("a rate must be above 0 b/s: " + bitsPerSecond);
    }
  }

  /** Makes a rate of {@code value} bits per second. */
  public static DataRate ofBitsPerSecond(long value) {
    return new DataRate(value);
  }

  /** Makes a rate of {@code value} times 10^9 bits per second, rounded to whole bits per second. */
  public static DataRate ofGigabitsPerSecond(double value) {
    return new DataRate(Math.round(value * 1e9));
  }

  /**
   * Parses a text such as {@code "400 Gb/s"} or {@code "50 GB/s"}; a fraction of a bit per second is cut off.
   *
   * @throws IllegalArgumentException when the text is malformed, has no unit or a wrong one, is not positive or too
   *     large
   */
  public static DataRate parse(String text) {
    BigDecimal bits = Quantity.parse(text, "rate", UNITS).setScale(0, RoundingMode.DOWN);
    long value = Quantity.toLong(bits, text, "rate", "bits per second");
    if (value == 0) {
      throw new IllegalArgumentException("'" + text + "' is not above 0; a rate must be positive");
    }
    return new DataRate(value);
  }

  /**
   * The time that {@code bytes} occupy a wire of this rate: {@code ceil(bytes * 8 * 10^12 / rate)} picoseconds, exact
   * in 128 bits. It is never faster than the rate and less than 1 ps slow.
   *
   * @param bytes at least 0
   * @throws ArithmeticException when the time exceeds a {@code long} of picoseconds
   * @throws IllegalArgumentException when {@code bytes} is negative
   */
  public long wirePs(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("bytes must be at least 0: " + bytes);
    }
    long bits = Math.multiplyExact(bytes, 8L);
    long high = Math.multiplyHigh(bits, PS_PER_S);
    long low = bits * PS_PER_S;
    if (high == 0 && low >= 0) {
      long quotient = low / bitsPerSecond;
      return quotient * bitsPerSecond == low ? quotient : quotient + 1;
    }
    return new BigDecimal(bits)
        .multiply(BigDecimal.valueOf(PS_PER_S))
        .divide(BigDecimal.valueOf(bitsPerSecond), 0, RoundingMode.CEILING)
        .longValueExact();
  }

  /** This rate in bytes per nanosecond, which is GB/s. */
  public double bytesPerNano() {
    return bitsPerSecond / 8e9;
  }

  /** This rate in bytes per second. */
  public double bytesPerSecond() {
    return bitsPerSecond / 8.0;
  }

  @Override
  public int compareTo(DataRate other) {
    return Long.compare(bitsPerSecond, other.bitsPerSecond);
  }

  /** Writes the rate in the largest SI unit of bits per second that leaves at least 1. */
  @Override
  public String toString() {
    return Quantity.scaled(bitsPerSecond, 1000, "b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s", "Pb/s");
  }

  private static Map<String, BigDecimal> units() {
    Map<String, BigDecimal> units = new LinkedHashMap<>();
    BigDecimal si = BigDecimal.ONE;
    BigDecimal iec = BigDecimal.ONE;
    BigDecimal eight = BigDecimal.valueOf(8);
    units.put("b/s", BigDecimal.ONE);
    units.put("B/s", eight);
    for (String prefix : new String[] {"k", "M", "G", "T"}) {
      si = si.multiply(BigDecimal.valueOf(1000));
      iec = iec.multiply(BigDecimal.valueOf(1024));
      units.put(prefix + "b/s", si);
      units.put(prefix + "B/s", si.multiply(eight));
      units.put((prefix.equals("k") ? "K" : prefix) + "iB/s", iec.multiply(eight));
      if (!prefix.equals("k")) {
        units.put(prefix + "bps", si);
      }
    }
    return Collections.unmodifiableMap(units);
  }
}
