package dev.heddle.workload.megatron.kernel;

/** The generations of kernels for normalisation. */
public enum NormKernel {
  /** Apex's fused layer norm, Megatron-LM's until the end of 2021, and PyTorch's: gradients read their inputs twice. */
  FUSED,
  /** Apex's fast layer norm and Transformer Engine's: a row stays in registers [NVIDIA/apex pull request 1037]. */
  PERSISTENT,
  /** Kernels of cuDNN, which Transformer Engine runs where NVTE_NORM_FWD_USE_CUDNN is set. */
  CUDNN
}
