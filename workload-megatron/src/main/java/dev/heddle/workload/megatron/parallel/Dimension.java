package dev.heddle.workload.megatron.parallel;

/** What a job is cut along: each rank has a place in every dimension. */
public enum Dimension {
  /** Shares of each layer's matrices. */
  TENSOR,
  /** Shares of each sequence. */
  CONTEXT,
  /** Copies of the model. */
  DATA,
  /** Stages. */
  PIPELINE
}
