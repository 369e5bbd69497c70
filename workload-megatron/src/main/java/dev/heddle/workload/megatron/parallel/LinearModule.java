package dev.heddle.workload.megatron.parallel;

/** A linear layer that low-rank adapters may be added to [Megatron-Bridge, LoRA: target_modules]. */
public enum LinearModule {
  /** The projection to queries, keys and values. */
  LINEAR_QKV,
  /** The projection of attention's result. */
  LINEAR_PROJ,
  /** The first matrix of the feed-forward block. */
  LINEAR_FC1,
  /** The last matrix of the feed-forward block. */
  LINEAR_FC2
}
