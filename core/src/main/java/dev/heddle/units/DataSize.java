package dev.heddle.units;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An amount of data in whole bytes, at least 0.
 *
 * @param bytes the amount in bytes
 */
public record DataSize(long bytes) implements Comparable<DataSize> {
  /** No data. */
  public static final DataSize ZERO = new DataSize(0);

  private static final Map<String, BigDecimal> UNITS = units();

  /**
   * Checks the range.
   *
   * @throws IllegalArgumentException when {@code bytes} is negative
   */
  public DataSize {
    if (bytes < 0) {
      throw new IllegalArgumentException("a size must be at least 0 B: " + bytes);
    }
  }

  /** Makes a size of {@code value} bytes. */
  public static DataSize ofBytes(long value) {
    return new DataSize(value);
  }

  /** Makes a size of {@code value} KiB. */
  public static DataSize ofKiB(long value) {
    return new DataSize(Math.multiplyExact(value, 1024L));
  }

  /**
   * Parses a text such as {@code "4 KiB"} or {@code "1.5 GB"}; bits ({@code Kb}) are distinguished from bytes.
   *
   * @throws IllegalArgumentException when the text is malformed, has no unit or a wrong one, is negative, too large, or
   * no whole number of bytes
   */
  public static DataSize parse(String text) {
    return new DataSize(Quantity.toLong(Quantity.parse(text, "size", UNITS), text, "size", "bytes"));
  }

  @Override
  public int compareTo(DataSize other) {
    return Long.compare(bytes, other.bytes);
  }

  /** Writes the size in the largest IEC unit that leaves at least 1, with six significant digits. */
  @Override
  public String toString() {
    return Quantity.scaled(bytes, 1024, "B", "KiB", "MiB", "GiB", "TiB", "PiB");
  }

  private static Map<String, BigDecimal> units() {
    Map<String, BigDecimal> units = new LinkedHashMap<>();
    BigDecimal si = BigDecimal.ONE;
    BigDecimal iec = BigDecimal.ONE;
    units.put("B", BigDecimal.ONE);
    for (String prefix : new String[] {"k", "M", "G", "T", "P"}) {
      si = si.multiply(BigDecimal.valueOf(1000));
      iec = iec.multiply(BigDecimal.valueOf(1024));
      units.put(prefix + "B", si);
      if (prefix.equals("k")) {
        units.put("KB", si);
      }
      units.put((prefix.equals("k") ? "K" : prefix) + "iB", iec);
    }
    return Collections.unmodifiableMap(units);
  }
}
