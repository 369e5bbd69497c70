package dev.heddle.workload.megatron.parallel;

/** The order of a pipeline stage's forward and backward passes. */
public enum PipelineOrder {
  /** All forward passes, then all backward passes [Huang et al., GPipe]. */
  GPIPE,
  /**
   * One forward, one backward [Narayanan et al. SC'21 §2.2]; interleaved where a stage has several model chunks.
   */
  ONE_F_ONE_B,
  /**
   * One forward, one backward, with weight gradients deferred into the bubble, at the memory of {@link #ONE_F_ONE_B}
   * [Qi et al., Zero Bubble Pipeline Parallelism, ZB-H1].
   */
  ZERO_BUBBLE
}
