package dev.heddle.workload.megatron.program;

/** A category of a rank's time. The ordinal is the activity's number in programs. */
public enum Activity {
  /** Forward and backward passes. */
  COMPUTE("compute", "Compute"),
  /** Recomputed forward passes. */
  RECOMPUTE("recompute", "Recomputation"),
  /** Accumulation of gradients, their norm, and the update. */
  OPTIMIZER("optimizer", "Optimizer"),
  /** Tensor-parallel communication that nothing hides. */
  TENSOR("tensor", "Exposed tensor-parallel communication"),
  /** Context-parallel communication that nothing hides. */
  CONTEXT("context", "Exposed context-parallel communication"),
  /** Expert-parallel communication that nothing hides. */
  EXPERT("expert", "Exposed expert-parallel communication"),
  /** Reducing gradients and gathering parameters that nothing hides. */
  DATA("data", "Exposed data-parallel communication"),
  /** Waiting for another stage: the bubble, and the time of messages between stages. */
  PIPELINE("pipeline", "Pipeline bubble and messages"),
  /** Waiting for the host to launch kernels. */
  HOST("host", "Waiting for the host"),
  /** Waiting for copies between the device's and the host's memory. */
  OFFLOAD("offload", "Waiting for copies to and from the host");

  private final String id;
  private final String title;

  Activity(String id, String title) {
    this.id = id;
    this.title = title;
  }

  /** Stable key. */
  public String id() {
    return id;
  }

  /** The name in reports. */
  public String title() {
    return title;
  }
}
