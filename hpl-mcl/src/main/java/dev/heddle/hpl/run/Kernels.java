package dev.heddle.hpl.run;

import dev.heddle.spi.Accelerator;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Precision;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.DataRate;
import java.util.Optional;

/**
 * The times of HPL's computations on an accelerator, by their size.
 *
 * <p>A product takes the longer of the time of its operations at the sustained rate and of its operands through memory.
 * Compute units work at square tiles, wave by wave: a wave that is not full, or a tile at the edge, takes as long as a
 * full one. So the efficiency rises with the size, and falls with it at the end of a run.
 */
public final class Kernels {
  private static final double WORD = 8;
  private static final double PS = 1e12;

  private final KernelSettings settings;
  private final double flopsPerSecond;
  private final double memoryBytesPerSecond;
  private final int units;

  private Kernels(KernelSettings settings, double flopsPerSecond, double memoryBytesPerSecond, int units) {
    this.settings = settings;
    this.flopsPerSecond = flopsPerSecond;
    this.memoryBytesPerSecond = memoryBytesPerSecond;
    this.units = units;
  }

  /**
   * The kernels of an accelerator.
   *
   * @throws InvalidSettingException when neither settings nor accelerator state its peak
   */
  public static Kernels of(KernelSettings settings, Optional<Accelerator> accelerator) {
    ComputeRate peak = settings.peak()
        .or(() -> accelerator.flatMap(each -> each.peak(Precision.FP64_MATRIX)))
        .or(() -> accelerator.flatMap(each -> each.peak(Precision.FP64)))
        .orElseThrow(() -> new InvalidSettingException(
            "kernels", "the cluster does not say how fast its accelerators are in double precision; write peak,"
                + " such as 67 Tflop/s"));
    return new Kernels(
        settings, peak.flopPerSecond() * settings.sustained().value(),
        accelerator.map(each -> each.memoryBandwidth().bytesPerSecond()).orElse(Double.POSITIVE_INFINITY),
        accelerator.map(Accelerator::computeUnits).orElse(1));
  }

  /**
   * The kernels of a device of which only the peak and the memory's rate are known.
   *
   * @param peak in double precision, where the settings do not state it
   * @param memory rate of its own memory
   */
  public static Kernels of(KernelSettings settings, ComputeRate peak, DataRate memory) {
    double flops = settings.peak().orElse(peak).flopPerSecond() * settings.sustained().value();
    return new Kernels(settings, flops, memory.bytesPerSecond(), 1);
  }

  /** Operations per second that large products reach. */
  public double sustainedFlops() {
    return flopsPerSecond;
  }

  /** Operations per second of the product of m × k and k × n, all at least 1. */
  public double productFlops(long m, long n, long k) {
    double flops = 2.0 * m * n * k;
    return flops / seconds(m, n, k, flops);
  }

  /** The product of m × k and k × n, added to m × n: picoseconds. */
  long product(long m, long n, long k) {
    return m == 0 || n == 0 ? 0 : ps(seconds(m, n, k, 2.0 * m * n * k));
  }

  /** Solving a triangle of k × k for n columns: picoseconds. Half the operations of a product. */
  long solve(long n, long k) {
    return n == 0 ? 0 : ps(seconds(k, n, k, (double) k * k * n));
  }

  /**
   * Factorising a panel of m rows and {@code columns}, of which this process holds m: picoseconds. Halves are
   * factorised recursively and updated by products, down to {@code stop} columns, which are eliminated one by one
   * through memory.
   */
  long factorise(long m, int columns, int stop) {
    if (m == 0) {
      return 0;
    }
    double seconds = 0;
    int width = columns;
    long parts = 1;
    while (width > stop && width > 1) {
      int half = width / 2;
      seconds += parts * seconds(m, half, half, 2.0 * m * half * half);
      width -= half;
      parts *= 2;
    }
    double column = settings.launch().seconds() + WORD * m * width / memoryBytesPerSecond;
    return ps(seconds + columns * column);
  }

  private double seconds(long m, long n, long k, double flops) {
    double across = (double) m / settings.tile() * n / settings.tile();
    double tiles = Math.ceil((double) m / settings.tile()) * Math.ceil((double) n / settings.tile());
    double fill = across / (Math.ceil(tiles / units) * units);
    double bytes = WORD * ((double) m * k + (double) k * n + 2.0 * m * n);
    return settings.launch().seconds() + Math.max(flops / (flopsPerSecond * fill), bytes / memoryBytesPerSecond);
  }

  private static long ps(double seconds) {
    return Math.round(seconds * PS);
  }
}
