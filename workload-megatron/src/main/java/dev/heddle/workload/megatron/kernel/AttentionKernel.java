package dev.heddle.workload.megatron.kernel;

/** The generations of kernels for attention. */
public enum AttentionKernel {
  /** Products and softmax one after the other: scores reach memory. */
  UNFUSED,
  /** [Dao et al. 2022], also Triton's. */
  FLASH_1,
  /** [Dao 2023]. */
  FLASH_2,
  /** [Shah et al. 2024], also cuDNN 9's. */
  FLASH_3
}
