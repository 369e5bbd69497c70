package dev.heddle.workload.megatron.parallel;

/** A dimension along which a job is divided: each rank has a place in every dimension. */
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
