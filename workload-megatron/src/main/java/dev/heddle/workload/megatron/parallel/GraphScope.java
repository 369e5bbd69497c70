package dev.heddle.workload.megatron.parallel;

import dev.heddle.workload.megatron.model.ModelShape;

/**
 * Module of a layer, or more, whose kernels a CUDA graph holds, so that the host starts them with one launch a pass
 * [Megatron-Core, cuda_graph_scope with Transformer Engine's graphs].
 */
public enum GraphScope {
  /** Attention with its normalisation, projections and residual. */
  ATTN,
  /** State-space mixer with its normalisation, projections and residual. */
  MAMBA,
  /** Dense block with its normalisation and residual. */
  MLP,
  /** Normalisation and router before experts, and shared experts. */
  MOE_ROUTER,
  /** Counts and maps of rows before the exchange of tokens. */
  MOE_PREPROCESS,
  /** All passes of an iteration, but not the optimizer's step [Megatron-Core, FullCudaGraphWrapper]. */
  FULL_ITERATION;

  /** Whether a model has the module. */
  public boolean in(ModelShape model) {
    return switch (this) {
      case ATTN, MLP, FULL_ITERATION -> true;
      case MAMBA -> model.stateSpace().isPresent();
      case MOE_ROUTER, MOE_PREPROCESS -> model.experts().isPresent();
    };
  }
}
