package dev.heddle.workload.megatron.parallel;

/** Kernels of the optimizer's update. */
public enum OptimizerKernels {
  /** One kernel reads the gradient and the states, and writes them [Apex and Transformer Engine, FusedAdam]. */
  FUSED,
  /** An operator of PyTorch for each step of the formula, tensor by tensor [Composer, DecoupledAdamW]. */
  SEPARATE
}
