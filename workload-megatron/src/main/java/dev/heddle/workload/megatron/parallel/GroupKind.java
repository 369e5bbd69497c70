package dev.heddle.workload.megatron.parallel;

/** The communicators of a training job. Those that overlap the computation have a stream of their own. */
public enum GroupKind {
  /** Tensor-parallel ranks, in the stream of the computation. */
  TENSOR(false, "tensor parallel"),
  /** Tensor-parallel ranks, overlapping the computation. */
  TENSOR_OVERLAPPED(true, "tensor parallel, overlapped"),
  /** Context-parallel ranks, overlapping the computation. */
  CONTEXT(true, "context parallel"),
  /** Expert-parallel ranks. */
  EXPERT(true, "expert parallel"),
  /** Expert-parallel ranks of one node, among which copies of tokens are forwarded. */
  EXPERT_NODE(true, "expert parallel, within nodes"),
  /** Expert-parallel ranks at the same place of each node. */
  EXPERT_RAIL(true, "expert parallel, between nodes"),
  /** Ranks with the same share of the model, context-parallel ones included, for gradients. */
  DATA(true, "gradients"),
  /** Ranks with the same share of the model, for parameters. */
  PARAMETERS(true, "parameters"),
  /** Ranks with the same experts. */
  EXPERT_DATA(true, "experts' gradients"),
  /** First and last stage of a pipeline, for the gradients of the embedding that both hold. */
  EMBEDDING(false, "embedding's gradients"),
  /** All ranks of one copy of the model, for the norm of the gradients. */
  MODEL(false, "norm");

  private final boolean overlapsCompute;
  private final String title;

  GroupKind(boolean beside, String title) {
    this.overlapsCompute = beside;
    this.title = title;
  }

  /** The name in reports. */
  public String title() {
    return title;
  }

  /** Whether its collectives run in a stream of their own. */
  public boolean overlapsCompute() {
    return overlapsCompute;
  }
}
