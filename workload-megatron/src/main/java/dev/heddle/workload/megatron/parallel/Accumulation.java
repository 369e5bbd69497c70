package dev.heddle.workload.megatron.parallel;

/** Accumulation of a micro-batch's weight gradients with those of earlier micro-batches. */
public enum Accumulation {
  /** Accumulation by the matrix product itself, as in Megatron-LM's fused kernel. */
  PRODUCT,
  /** Accumulation by a separate kernel, as in automatic differentiation. */
  ADDED,
  /**
   * A new 16-bit gradient for each micro-batch, which is converted to 32 bits and added to a sum [DeepSpeed of 2022,
   * BF16_Optimizer: clear_lp_grads lets go of the last one, update_hp_grads].
   */
  CONVERTED;

  /**
   * Bytes of a 16-bit gradient that is copied into the flat gradient of its unit [PyTorch FSDP, split's derivative].
   */
  private static final int FLATTENED = 4;

  private static final int HALF = 2;
  private static final int FULL = 4;

  /** Memory traffic of the product for each gradient, of {@code gradientBytes} each. */
  public int productBytes(int gradientBytes) {
    return this == PRODUCT ? 2 * gradientBytes : HALF;
  }

  /** Memory traffic of other kernels for each gradient of a micro-batch. */
  public int addedBytes(int gradientBytes) {
    return switch (this) {
      case PRODUCT -> 0;
      case ADDED -> HALF + 2 * gradientBytes;
      case CONVERTED -> HALF + FULL + 3 * FULL;
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

  /** The number of separate kernels. */
  public int kernels() {
    return switch (this) {
      case PRODUCT -> 0;
      case ADDED -> 1;
      case CONVERTED -> 2;
    };
  }
}
