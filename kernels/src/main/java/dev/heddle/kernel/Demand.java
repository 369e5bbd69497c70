package dev.heddle.kernel;

/**
 * The resources of an accelerator that a kernel asks for. Its time is the start, and beside each other the traffic of
 * memory and the work of the multiprocessors, {@code start + (memory^2 + work^2)^(1/2)}. Traffic runs at the rate of
 * large copies, as often as the kernel passes over its bytes. How much of the start and of each work it takes is the
 * same on accelerators that run one software's kernel, and is told by its measured times ({@link DemandFit}).
 *
 * @param start a start of 1 us at Hopper's boost clock, in seconds; half of its logarithm goes with the clock, as a
 * start is one of instructions and of memory
 * @param memory seconds of the traffic that the cache does not hold
 * @param work seconds of the multiprocessors at one unit of each work
 */
record Demand(double start, double memory, double[] work) {
  private static final double START_CLOCK = 1830e6;
  private static final double MICRO = 1e-6;
  /**
   * Sharpness of the cache's end, above 1: loops of measurement read again what fits, and nothing of what does not; of
   * half of the cache 0.06 is read from memory, of twice 0.94. From 2 to 8 GPUs left out are 1.1 points at most apart
   * [docs/decisions.md, with the other constants of the fit]. A cache of one part ends more sharply than one that keeps
   * some data in two parts and some in one: of 0.7 of it 0.05 is read from memory, of 1.4 times it 0.94.
   */
  private static final double SHARPNESS = 4;
  private static final double SHARPNESS_OF_ONE_PART = 8;

  /** A demand of so much traffic in seconds. */
  static Demand of(GpuSpec gpu, double memory, double... work) {
    return new Demand(MICRO * Math.sqrt(START_CLOCK / gpu.topClock()), memory, work);
  }

  /** The part of so many bytes that the cache does not hold between two runs of a measuring loop. */
  static double beyondCache(GpuSpec gpu, double bytes) {
    return 1 - 1 / (1 + Math.pow(bytes / gpu.cacheBytes(), gpu.undividedCache() ? SHARPNESS_OF_ONE_PART : SHARPNESS));
  }

  /** Seconds of so many bytes that a measuring loop leaves in the cache where they fit. */
  static double traffic(GpuSpec gpu, double bytes) {
    return bytes * beyondCache(gpu, bytes) / gpu.copyRate();
  }

  /** Coefficients of a fit: that of the start, of each work, and the passes over memory. */
  int coefficients() {
    return work.length + 2;
  }

  /** Seconds of the multiprocessors. */
  double worked(double[] coefficients) {
    double sum = 0;
    for (int i = 0; i < work.length; i++) {
      sum += coefficients[i + 1] * work[i];
    }
    return sum;
  }

  /** Seconds of memory. */
  double moved(double[] coefficients) {
    return coefficients[work.length + 1] * memory;
  }

  /** The time in seconds with the coefficients of a fit. */
  double seconds(double[] coefficients) {
    return coefficients[0] * start + Math.hypot(moved(coefficients), worked(coefficients));
  }

  /** The same with the start of another. */
  Demand withStart(Demand other) {
    return new Demand(other.start, memory, work);
  }
}
