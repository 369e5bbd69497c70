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

  /**
   * Bytes of a 16-bit gradient that is copied into the flat gradient of its unit [PyTorch FSDP, split's derivative].
   */
  private static final int FLATTENED = 4;

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

  /**
   * Bytes that other kernels move for each gradient of a micro-batch where ranks share the parameters as PyTorch's FSDP
   * does it: gradients are copied into one flat tensor, converted to the type in which they are reduced, and divided by
   * a part of the number of ranks, all before they are shared [torch.distributed.fsdp, _post_backward_hook of 2.1].
   */
  public int shardedBytes(int gradientBytes) {
    int converted = gradientBytes == HALF ? 0 : HALF + gradientBytes;
    return this == ADDED ? FLATTENED + converted + 2 * gradientBytes : addedBytes(gradientBytes);
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
