package dev.heddle.workload.megatron.kernel;

import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Accelerator.Vendor;
import java.util.List;

/** The generations of kernels for attention. */
public enum AttentionKernel {
  /** Separate kernels for products and softmax: scores are written to memory. */
  UNFUSED,
  /**
   * The fused kernel that Transformer Engine prefers since its release 1.2: cuDNN's on NVIDIA's accelerators from
   * Hopper on, else FlashAttention-2 [Transformer Engine, pull request 497].
   */
  FUSED,
  /** FlashAttention [Dao et al. 2022]. */
  FLASH_1,
  /**
   * FlashAttention written in Triton [Dao-AILab/flash-attention, flash_attn_triton.py], as llm-foundry runs it. Its
   * backward pass is slower than {@link #FLASH_1}'s, its forward pass faster [Dao 2023, section 4.1].
   */
  FLASH_1_TRITON,
  /** FlashAttention-2 [Dao 2023]. */
  FLASH_2,
  /** FlashAttention-3 [Shah et al. 2024], also cuDNN 9's kernel. */
  FLASH_3;

  private static final List<String> BEFORE_HOPPER = List.of("pascal", "volta", "turing", "ampere", "ada");

  /** The kernel itself on an accelerator. */
  AttentionKernel on(Accelerator accelerator) {
    if (this != FUSED) {
      return this;
    }
    return accelerator.vendor() == Vendor.NVIDIA && !isBeforeHopper(accelerator.architecture()) ? FLASH_3 : FLASH_2;
  }

  /** Whether an architecture of NVIDIA's is older than Hopper. */
  static boolean isBeforeHopper(String architecture) {
    return BEFORE_HOPPER.contains(architecture);
  }
}
