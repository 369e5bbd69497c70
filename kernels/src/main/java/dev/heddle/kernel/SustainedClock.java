package dev.heddle.kernel;

import java.util.Locale;

/**
 * Power of kernels, and the clock that the limit of power leaves when they last. Tables of short benchmarks hold times
 * at the boost clock; a job's kernels run for hours. Power is that of an idle GPU, of the time in which arithmetic
 * keeps the multiprocessors busy, and of the bytes; above the limit the clock falls until it holds, where energy of an
 * operation goes with the square of the voltage and that with the clock, so dynamic power with the cube. A kernel that
 * arithmetic bounds draws what the best product draws, whatever its rate: on H100 products in 32, 16 and 8 bits, thin
 * products and cuDNN's attention take 1.12 to 1.18 times as long in a loop, on H200 1.17 to 1.21
 * [kernels/src/main/measured]. Kernels that do not use the generation's own instruction of matrix units draw less.
 *
 * @param gpu whose best products tell the power of busy multiprocessors
 * @param limitWatts of the board
 * @param idleWatts while a program holds the GPU
 * @param joulesPerFlop of the best products in 16 bits at the boost clock
 * @param eight energy of an operation in 8 bits relative to it
 * @param four the same in 4 bits, where matrix units do four times as many in a clock as in 16
 * @param joulesPerByte of memory
 */
public record SustainedClock(
    GpuSpec gpu, double limitWatts, double idleWatts, double joulesPerFlop, double eight, double four,
    double joulesPerByte) {
  private static final double PICO = 1e-12;
  private static final double EXPONENT = 1.0 / 3;
  /** Clocks do not fall further: voltage is at its floor and leakage takes over. */
  private static final double SLOWEST = 0.5;
  /**
   * Most power of busy multiprocessors that multiply with the instruction of matrix units before Hopper, relative to
   * that of the best products: FlashAttention-2's kernels of 25 and 73 ms, a third of a second and more without a rest,
   * keep the rate of those of 3 ms, also on the H200 whose products take 1.207 times as long in a loop, and power goes
   * with the cube of the clock. How far below the limit it stays was not measured [kernels/src/main/measured].
   */
  private static final double OLDER_INSTRUCTION = 1 / (1.207 * 1.207 * 1.207);

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
    return new SustainedClock(gpu, gpu.watts(), found.number("idle"), PICO * found.number("operation"),
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
    return new SustainedClock(gpu, idleWatts + dynamic, idleWatts, joulesPerFlop, eight, four, joulesPerByte);
  }

  /** The same accelerator where kernels multiply with the instruction of matrix units before Hopper (mma.sync). */
  public SustainedClock withOlderInstruction() {
    return new SustainedClock(
        gpu, limitWatts, idleWatts, OLDER_INSTRUCTION * joulesPerFlop, eight, four, joulesPerByte);
  }

  /**
   * The same accelerator with another limit of power, as its driver sets it (nvidia-smi --power-limit).
   *
   * @param watts above those of the idle accelerator
   */
  public SustainedClock limitedTo(double watts) {
    if (watts <= idleWatts) {
      throw new IllegalArgumentException(
          watts + " W are no more than the " + idleWatts + " W of an idle " + gpu.name());
    }
    return new SustainedClock(gpu, watts, idleWatts, joulesPerFlop, eight, four, joulesPerByte);
  }

  private double busyWatts(NumberFormat format) {
    return gpu.reached(format) * joulesPerFlop * switch (format.peak()) {
      case FP32 -> 4;
      case TF32 -> 2;
      case BITS_16 -> 1;
      case BITS_8 -> eight;
      // Busy units draw the same in every format, so that an operation takes the less the more of them a clock has:
      // Blackwell Ultra's units do six times as many in 4 bits as in 16.
      case BITS_4 -> four * 4 * gpu.peak(NumberFormat.BF16) / gpu.peak(format);
    };
  }

  /**
   * The part of a kernel's time in seconds that arithmetic keeps the multiprocessors busy: all of it where arithmetic
   * bounds it, else that of its operations at the rate of the best products.
   */
  public double busy(NumberFormat format, Bound bound, double flops, double seconds) {
    return bound == Bound.COMPUTE ? seconds : Math.min(seconds, flops / gpu.reached(format));
  }

  /**
   * Power in W at the boost clock; more than the limit where the clock must fall.
   *
   * @param share of the time that arithmetic takes, in [0, 1]
   * @param bytesPerSecond of memory
   */
  public double watts(NumberFormat format, double share, double bytesPerSecond) {
    return idleWatts + busyWatts(format) * share + joulesPerByte * bytesPerSecond;
  }

  /** The clock that a kernel keeps when it lasts, relative to the boost clock; arguments as of {@link #watts}. */
  public double clock(NumberFormat format, double share, double bytesPerSecond) {
    double watts = watts(format, share, bytesPerSecond);
    return watts <= limitWatts ? 1
        : Math.max(SLOWEST, Math.pow((limitWatts - idleWatts) / (watts - idleWatts), EXPONENT));
  }

  /**
   * The time of a kernel in a job that lasts. Traffic does not slow down with the clock, so that only the part of the
   * time that arithmetic takes grows.
   *
   * @param busy part of the time that arithmetic takes, see {@link #busy}
   * @param bytes of memory
   * @param seconds at the boost clock
   */
  public double sustained(NumberFormat format, double busy, double bytes, double seconds) {
    double share = Math.min(1, busy / seconds);
    return seconds * (1 - share + share / clock(format, share, bytes / seconds));
  }

  /** Energy in J of a kernel that takes so long; arguments as of {@link #sustained}. */
  public double joules(NumberFormat format, double busy, double bytes, double seconds) {
    return Math.min(limitWatts, watts(format, Math.min(1, busy / seconds), bytes / seconds)) * seconds;
  }

  /** One line on power, clock and energy; arguments as of {@link #sustained}. */
  public String describe(NumberFormat format, double busy, double bytes, double seconds) {
    double share = Math.min(1, busy / seconds);
    return String.format(Locale.ROOT,
        "%.0f W of %.0f at the boost clock; in a loop that lasts the clock keeps %.0f %%, %.2f us; %.3g J",
        watts(format, share, bytes / seconds), limitWatts, 100 * clock(format, share, bytes / seconds),
        1e6 * sustained(format, busy, bytes, seconds), joules(format, busy, bytes, seconds));
  }
}
