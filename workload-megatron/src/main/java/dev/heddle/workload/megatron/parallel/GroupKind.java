package dev.heddle.workload.megatron.parallel;

/** The communicators of a training job. Those that run beside the computation have a stream of their own. */
public enum GroupKind {
  /** Tensor-parallel ranks, in the stream of the computation. */
  TENSOR(false),
  /** The same ranks, beside the computation. */
  TENSOR_BESIDE(true),
  /** Context-parallel ranks, beside the computation. */
  CONTEXT(true),
  /** Expert-parallel ranks. */
  EXPERT(false),
  /** Ranks with the same share of the model, context-parallel ones included: gradients. */
  DATA(true),
  /** The same ranks: parameters. */
  PARAMETERS(true),
  /** Ranks with the same experts. */
  EXPERT_DATA(true),
  /** First and last stage of a pipeline, which both hold the embedding. */
  EMBEDDING(false),
  /** All ranks that hold one copy of the model: the norm of the gradients. */
  MODEL(false);

  private final boolean beside;

  GroupKind(boolean beside) {
    this.beside = beside;
  }

  /** Whether its collectives run in a stream of their own. */
  public boolean beside() {
    return beside;
  }
}
