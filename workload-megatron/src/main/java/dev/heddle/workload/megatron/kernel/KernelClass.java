package dev.heddle.workload.megatron.kernel;

/** Kernels by the resource that limits them [SimAI Table 1]. */
public enum KernelClass {
  /** One product of two matrices. */
  GEMM,
  /** Many products of small matrices in one kernel: scores and context of unfused attention, experts. */
  BATCHED_GEMM,
  /** Attention in one kernel, whose scores are not written to memory. */
  ATTENTION,
  /** Kernels bound by memory bandwidth: normalisation, activation, softmax, dropout, optimizer. */
  MEMORY
}
