package dev.heddle.workload.megatron.parallel;

/** Kernels of the matrices of a rank's experts. */
public enum ExpertKernels {
  /**
   * A product for each expert on one of several streams; activation, bias and casts as kernels of their own
   * [Transformer Engine, general_grouped_gemm].
   */
  SEPARATE,
  /**
   * One product for all experts, with the activation, the bias and the cast of its result in it, forward and backward
   * [Transformer Engine 2.13, cuDNN frontend: grouped GEMM with SwiGLU and quantisation].
   */
  FUSED
}
