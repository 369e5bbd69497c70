package dev.heddle.kernel;

import java.util.Locale;

/**
 * Power of kernels, and the clock that the limit of power leaves when they last. Tables of short benchmarks hold times
 * at the boost clock; a job's kernels run for hours. Power is that of an idle GPU, the operations and the bytes; above
 * the limit the clock falls until it holds, where energy of an operation goes with the square of the voltage and that
 * with the clock, so dynamic power with the cube.
 *
 * @param limitWatts of the board
 * @param idleWatts while a program holds the GPU
 * @param joulesPerFlop of 16 bits at the boost clock
 * @param eight energy of an operation in 8 bits relative to it
 * @param four the same in 4 bits
 * @param joulesPerByte of memory
 */
public record SustainedClock(
    double limitWatts, double idleWatts, double joulesPerFlop, double eight, double four, double joulesPerByte) {
  private static final double PICO = 1e-12;
  private static final double EXPONENT = 1.0 / 3;
  /** Clocks do not fall further: voltage is at its floor and leakage takes over. */
  private static final double SLOWEST = 0.5;

  /** Power of an accelerator; of a generation that has no figures, that of Hopper. */
  public static SustainedClock of(GpuSpec gpu) {
    CsvRows.Row found = null;
    for (CsvRows.Row row : CsvRows.parse("power.csv", Resources.text("power.csv")).rows()) {
      if (row.cell("architecture").equals(gpu.architecture())
          || found == null && row.cell("architecture").equals("hopper")) {
        found = row;
      }
    }
    if (found == null) {
      throw new IllegalStateException("power.csv lacks hopper");
    }
    return new SustainedClock(gpu.watts(), found.number("idle"), PICO * found.number("operation"),
        found.number("eight"), found.number("four"), PICO * found.number("byte"));
  }

  /**
   * The same accelerator where its chip needs so much power that it keeps a lower clock at the limit: that of one with
   * a lower limit.
   *
   * @param share by which the clock is lower, in [0, 1)
   */
  public SustainedClock slower(double share) {
    double dynamic = (limitWatts - idleWatts) * Math.pow(1 - share, 1 / EXPONENT);
    return new SustainedClock(idleWatts + dynamic, idleWatts, joulesPerFlop, eight, four, joulesPerByte);
  }

  private double perFlop(NumberFormat format) {
    return joulesPerFlop * switch (format.peak()) {
      case FP32 -> 4;
      case TF32 -> 2;
      case BITS_16 -> 1;
      case BITS_8 -> eight;
      case BITS_4 -> four;
    };
  }

  /** Power in W of operations and bytes a second at the boost clock; more than the limit where the clock must fall. */
  public double watts(NumberFormat format, double flopsPerSecond, double bytesPerSecond) {
    return idleWatts + perFlop(format) * flopsPerSecond + joulesPerByte * bytesPerSecond;
  }

  /** The clock that a kernel keeps when it lasts, relative to the boost clock. */
  public double clock(NumberFormat format, double flopsPerSecond, double bytesPerSecond) {
    double watts = watts(format, flopsPerSecond, bytesPerSecond);
    return watts <= limitWatts ? 1
        : Math.max(SLOWEST, Math.pow((limitWatts - idleWatts) / (watts - idleWatts), EXPONENT));
  }

  /**
   * The time of a kernel in a job that lasts. Traffic does not slow down with the clock, so that only the part of the
   * time that arithmetic takes grows.
   *
   * @param seconds at the boost clock
   */
  public double sustained(NumberFormat format, double flops, double bytes, double seconds, double arithmetic) {
    double clock = clock(format, flops / seconds, bytes / seconds);
    double share = Math.min(1, arithmetic / seconds);
    return seconds * (1 - share + share / clock);
  }

  /** Energy in J of a kernel that takes so long. */
  public double joules(NumberFormat format, double flops, double bytes, double seconds) {
    return Math.min(limitWatts, watts(format, flops / seconds, bytes / seconds)) * seconds;
  }

  /** One line on power, clock and energy. */
  public String describe(NumberFormat format, double flops, double bytes, double seconds) {
    double watts = watts(format, flops / seconds, bytes / seconds);
    double clock = clock(format, flops / seconds, bytes / seconds);
    return String.format(Locale.ROOT,
        "%.0f W of %.0f at the boost clock; in a loop that lasts the clock keeps %.0f %%, "
            + "%.2f us; %.3g J",
        watts, limitWatts, 100 * clock,
        1e6 * sustained(format, flops, bytes, seconds, seconds), joules(format, flops, bytes, seconds));
  }
}
