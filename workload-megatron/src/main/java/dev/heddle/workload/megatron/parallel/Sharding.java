package dev.heddle.workload.megatron.parallel;

/** States that are divided among data-parallel ranks [Rajbhandari et al., ZeRO]. */
public enum Sharding {
  /** Nothing: gradients are all-reduced. */
  NONE,
  /**
   * Optimizer states (ZeRO 1, Megatron's distributed optimizer): gradients reduce-scattered, by DeepSpeed all-reduced,
   * parameters gathered.
   */
  OPTIMIZER,
  /** Gradients as well (ZeRO 2, FSDP's SHARD_GRAD_OP). */
  GRADIENTS,
  /** Parameters as well (ZeRO 3, FSDP's FULL_SHARD): gathered layer by layer whenever they are needed. */
  PARAMETERS;

  /** Whether the optimizer updates a share of the parameters only. */
  public boolean optimizer() {
    return this != NONE;
  }

  /** Whether a rank keeps a share of the gradients only. */
  public boolean gradients() {
    return this == GRADIENTS || this == PARAMETERS;
  }
}
