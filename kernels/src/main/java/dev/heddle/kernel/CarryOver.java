package dev.heddle.kernel;

/**
 * The carrying of a measured time from one accelerator to another. Products go by the ratio of the rooflines. Kernels
 * of attention, experts and state-space layers keep their start, the shortest time of their table, as launches and
 * synchronization differ little between accelerators; the rest goes by the ratio of the resources that it occupies:
 * matrix units, the units of exponentials, memory, the cache, and the loads that multiprocessors have under way.
 */
final class CarryOver {
  /** Exponentials of a multiprocessor in a clock [CUDA C++ Programming Guide, arithmetic instructions, 8.0 to 10.0]. */
  private static final double EXPONENTIALS = 16;
  /**
   * Bytes that a multiprocessor streams in a clock, half of the width of its port to the cache. On the newest
   * accelerators, whose memory grew more than their multiprocessors, it limits kernels of memory below the rate of HBM.
   */
  private static final double STREAM_WIDTH = 32;
  /** Part of the port's width of 64 bytes that kernels reach from the cache, as in the roofline. */
  private static final double CACHE_WIDTH = 0.35 * 64;
  private static final double MEGA = 1e6;

  private final KernelQuery query;
  private final double[] sizes;

  CarryOver(KernelQuery query) {
    this.query = query;
    sizes = query.sizes();
  }

  /**
   * The time on the query's accelerator.
   *
   * @param from the accelerator that the time is known of
   * @param seconds there
   * @param start the shortest time of such kernels there; 0 if none is known
   */
  double seconds(GpuSpec from, double seconds, double start) {
    if (query.kind().family() == KernelKind.Family.PRODUCT || query.kind().family() == KernelKind.Family.MEMORY) {
      return seconds * roofline(query.gpu()) / roofline(from);
    }
    double kept = Math.min(start, seconds);
    return kept + (seconds - kept) * work(query.gpu()) / work(from);
  }

  private double roofline(GpuSpec gpu) {
    return new KernelRoofline(gpu, query.kind(), query.format()).seconds(sizes);
  }

  private double work(GpuSpec gpu) {
    return Math.hypot(arithmetic(gpu), traffic(gpu));
  }

  private double arithmetic(GpuSpec gpu) {
    double flops = query.kind().geometry().flops(sizes);
    return flops / gpu.reached(query.format())
        + flops * query.kind().exponentialsPerFlop(sizes) / (EXPONENTIALS * clocks(gpu));
  }

  // Loops of measurement leave in the cache the bytes that fit.
  private double traffic(GpuSpec gpu) {
    double bytes = query.kind().geometry().bytes(sizes, query.format());
    double memory = 1 / (KernelRoofline.MEMORY_SHARE * gpu.bandwidth());
    double cache = Math.min(memory, 1 / (CACHE_WIDTH * clocks(gpu)));
    double cached = gpu.cacheBytes() / (gpu.cacheBytes() + bytes);
    return bytes * (cached * cache + (1 - cached) * memory + 1 / (STREAM_WIDTH * clocks(gpu)));
  }

  // Clocks of all multiprocessors in a second.
  private static double clocks(GpuSpec gpu) {
    return gpu.units() * MEGA * gpu.clockMhz();
  }
}
