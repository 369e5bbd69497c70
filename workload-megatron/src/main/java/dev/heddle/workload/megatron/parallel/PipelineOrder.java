package dev.heddle.workload.megatron.parallel;

/** In which order a pipeline stage does the forward and backward passes of its micro-batches. */
public enum PipelineOrder {
  /** All forward passes, then all backward passes [Huang et al., GPipe]. */
  GPIPE,
  /**
   * One forward, one backward [Narayanan et al. SC'21 §2.2]; interleaved where a stage has several model chunks.
   */
  ONE_F_ONE_B,
  /**
   * One forward, one backward, whose weight gradients wait to fill what would be idle, at the memory of
   * {@link #ONE_F_ONE_B} [Qi et al., Zero Bubble Pipeline Parallelism, ZB-H1].
   */
  ZERO_BUBBLE
}
