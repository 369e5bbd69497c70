package dev.heddle.workload.megatron.parallel;

/** How a micro-batch's gradients of weights are added to those of the micro-batches before it. */
public enum Accumulation {
  /** The product that makes them adds them up, as Megatron-LM's fused kernel does. */
  PRODUCT,
  /** A kernel adds them up once they are made, as automatic differentiation does. */
  ADDED,
  /**
   * Automatic differentiation adds them to 16-bit gradients that were zeroed; these are converted to 32 bits, and those
   * added up [DeepSpeed, BF16_Optimizer].
   */
  CONVERTED;

  private static final int HALF = 2;
  private static final int FULL = 4;

  /** Bytes that the product moves for each gradient that it makes, of {@code gradientBytes} each. */
  public int productBytes(int gradientBytes) {
    return this == PRODUCT ? 2 * gradientBytes : HALF;
  }

  /** Bytes that other kernels move for each gradient of a micro-batch. */
  public int addedBytes(int gradientBytes) {
    return switch (this) {
      case PRODUCT -> 0;
      case ADDED -> HALF + 2 * gradientBytes;
      // Zeroed, added to the zeros, converted, added up.
      case CONVERTED -> HALF + 3 * HALF + (HALF + FULL) + 3 * FULL;
    };
  }

  /** Kernels that do it. */
  public int kernels() {
    return switch (this) {
      case PRODUCT -> 0;
      case ADDED -> 1;
      case CONVERTED -> 4;
    };
  }
}
