package dev.heddle.workload.megatron.parallel;

/** The communicators of a training job. Those that run beside the computation have a stream of their own. */
public enum GroupKind {
  /** Tensor-parallel ranks, in the stream of the computation. */
  TENSOR(false, "tensor parallel"),
  /** The same ranks, beside the computation. */
  TENSOR_BESIDE(true, "tensor parallel, beside"),
  /** Context-parallel ranks, beside the computation. */
  CONTEXT(true, "context parallel"),
  /** Expert-parallel ranks. */
  EXPERT(true, "expert parallel"),
  /** Expert-parallel ranks of one node, among which copies of tokens are forwarded. */
  EXPERT_NODE(true, "expert parallel, within nodes"),
  /** Expert-parallel ranks with the same place on each node. */
  EXPERT_RAIL(true, "expert parallel, between nodes"),
  /** Ranks with the same share of the model, context-parallel ones included: gradients. */
  DATA(true, "gradients"),
  /** The same ranks: parameters. */
  PARAMETERS(true, "parameters"),
  /** Ranks with the same experts. */
  EXPERT_DATA(true, "experts' gradients"),
  /** First and last stage of a pipeline, which both hold the embedding. */
  EMBEDDING(false, "embedding's gradients"),
  /** All ranks that hold one copy of the model: the norm of the gradients. */
  MODEL(false, "norm");

  private final boolean beside;
  private final String title;

  GroupKind(boolean beside, String title) {
    this.beside = beside;
    this.title = title;
  }

  /** For people. */
  public String title() {
    return title;
  }

  /** Whether its collectives run in a stream of their own. */
  public boolean overlapsCompute() {
    return beside;
  }
}
