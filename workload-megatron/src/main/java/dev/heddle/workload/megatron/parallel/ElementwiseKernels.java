package dev.heddle.workload.megatron.parallel;

/** Kernels of normalisation without a mean, of rotations and of gated activations. */
public enum ElementwiseKernels {
  /** One kernel for each, of the framework or of a compiler (torch.compile). */
  FUSED,
  /** A kernel for each operator of PyTorch, as a model runs that is not compiled. */
  OPERATORS
}
