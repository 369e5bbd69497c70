package dev.heddle.workload.megatron.parallel;

import java.util.Optional;

/** The communicators of a training job. Those that overlap the computation have a stream of their own. */
public enum GroupKind {
  /** Tensor-parallel ranks, in the stream of the computation. */
  TENSOR(false, "tensor parallel"),
  /** Tensor-parallel ranks, overlapping the computation. */
  TENSOR_OVERLAPPED(true, "tensor parallel, overlapped"),
  /** Context-parallel ranks that exchange keys and values, overlapping the computation. */
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
  MODEL(false, "norm"),
  /** Context-parallel ranks that exchange heads, overlapping the computation. */
  CONTEXT_HEADS(true, "context parallel, heads"),
  /** Ranks at the same place of the copies of shared states, for gradients that {@link #DATA} has scattered. */
  REPLICAS(true, "gradients of replicas"),
  /** The same for experts, whose gradients {@link #EXPERT_DATA} has scattered. */
  EXPERT_REPLICAS(true, "experts' gradients of replicas");

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

  /** The kind whose collective each collective of this one comes after, in the same order; empty for none. */
  public Optional<GroupKind> follows() {
    return switch (this) {
      case REPLICAS -> Optional.of(DATA);
      case EXPERT_REPLICAS -> Optional.of(EXPERT_DATA);
      default -> Optional.empty();
    };
  }

  /** Whether its collectives run in a stream of their own. */
  public boolean overlapsCompute() {
    return overlapsCompute;
  }
}
