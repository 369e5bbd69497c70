package dev.heddle.collectives.nccl.timing;

/**
 * Sums of integers of eight bits. NCCL adds four of them by seven integer instructions, where two halves or one float
 * take one instruction [NCCL 2.18 to 2.30.7, device/reduce_kernel.h]. A multiprocessor has four schedulers with half as
 * many integer units as threads of a warp. The warps of a thread block compute while others wait for memory, so that
 * warps and the integer units of a scheduler form a closed network of queues, as blocks and ports do.
 */
final class ByteSums {
  private static final int BYTES = 4;
  private static final int INSTRUCTIONS = 7;
  // Results of 32-bit additions and logical operations of a multiprocessor per clock [CUDA C++ programming guide,
  // throughput of native arithmetic instructions, compute capability 8.0 and 9.0; later ones as 9.0].
  private static final double UNITS = 64;
  private static final int SCHEDULERS = 4;
  // Threads of a block with Simple, 512, in warps of 32 [NCCL, device.h].
  private static final int WARPS = 16;
  private static final int AMPERE = 80;
  private static final int HOPPER = 90;
  private static final int BLACKWELL = 100;
  // Highest clocks, GHz, as data sheets' rates of float32 imply: 19.5, 67 and 80 TFLOPS of 108, 132 and 148
  // multiprocessors with 128 (A100: 64) units.
  private static final double AMPERE_CLOCK = 1.41;
  private static final double HOPPER_CLOCK = 1.98;
  private static final double BLACKWELL_CLOCK = 2.1;

  private ByteSums() {}

  /**
   * The rate at which a multiprocessor adds integers of eight bits without waiting for memory, bytes per nanosecond;
   * infinite for GPUs before Ampere, whose sums are not known.
   */
  static double ofCapability(int capability) {
    if (capability < AMPERE) {
      return Double.POSITIVE_INFINITY;
    }
    double clock =
        capability >= BLACKWELL ? BLACKWELL_CLOCK : capability >= HOPPER ? HOPPER_CLOCK : AMPERE_CLOCK;
    return UNITS * BYTES / INSTRUCTIONS * clock;
  }

  /**
   * The rate of a thread block that adds besides copying, bytes per nanosecond.
   *
   * @param copy rate without the time of sums
   * @param sums rate of its multiprocessor's sums
   */
  static double rate(double copy, double sums) {
    if (Double.isInfinite(sums)) {
      return copy;
    }
    double units = sums / SCHEDULERS;
    double warp = 1 / (WARPS / copy + 1 / units);
    return SCHEDULERS * SharedPort.rate(warp, units, (double) WARPS / SCHEDULERS);
  }
}
