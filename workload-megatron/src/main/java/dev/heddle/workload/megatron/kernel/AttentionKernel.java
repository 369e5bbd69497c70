package dev.heddle.workload.megatron.kernel;

/** The generations of kernels for attention. */
public enum AttentionKernel {
  /** Separate kernels for products and softmax: scores are written to memory. */
  UNFUSED,
  /** FlashAttention [Dao et al. 2022], also Triton's kernel. */
  FLASH_1,
  /** FlashAttention-2 [Dao 2023]. */
  FLASH_2,
  /** FlashAttention-3 [Shah et al. 2024], also cuDNN 9's kernel. */
  FLASH_3
}
