package dev.heddle.workload.megatron.program;

import dev.heddle.workload.megatron.parallel.GroupKind;

/** A part of a machine that may limit a training iteration. */
public enum Resource {
  /** Arithmetic units of the accelerators, which limit large products and attention. */
  ARITHMETIC("arithmetic", "Accelerators' arithmetic units"),
  /** Memory of the accelerators, which limits norms, activations, casts and the optimizer. */
  MEMORY("memory", "Accelerators' memory"),
  /** Latencies and instructions of small kernels, which neither arithmetic nor bytes explain. */
  KERNEL_LATENCY("kernel-latency", "Latencies of kernels"),
  /** Hosts, which launch the kernels. */
  HOST("host", "Hosts, which launch kernels"),
  /** Communication of tensor-parallel ranks. */
  TENSOR("tensor", "Tensor-parallel communication"),
  /** Communication of context-parallel ranks. */
  CONTEXT("context", "Context-parallel communication"),
  /** Communication of expert-parallel ranks. */
  EXPERT("expert", "Expert-parallel communication"),
  /** Reduction of gradients, and gathers of parameters. */
  DATA("data", "Data-parallel communication"),
  /** Messages between pipeline stages. */
  MESSAGES("messages", "Messages between stages");

  private final String id;
  private final String title;

  Resource(String id, String title) {
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

  /** The communication that collectives of a kind belong to. */
  public static Resource of(GroupKind kind) {
    return switch (kind) {
      case TENSOR, TENSOR_OVERLAPPED -> TENSOR;
      case CONTEXT, CONTEXT_HEADS -> CONTEXT;
      case EXPERT, EXPERT_NODE, EXPERT_RAIL -> EXPERT;
      case DATA, PARAMETERS, EXPERT_DATA, EMBEDDING, MODEL, REPLICAS, EXPERT_REPLICAS -> DATA;
    };
  }
}
