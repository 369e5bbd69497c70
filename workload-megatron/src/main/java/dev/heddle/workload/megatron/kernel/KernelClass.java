package dev.heddle.workload.megatron.kernel;

/** Kernels that are alike in what limits them [SimAI Table 1]. */
public enum KernelClass {
  /** One product of two matrices. */
  GEMM,
  /** Many products of small matrices in one kernel: scores and context of unfused attention, experts. */
  BATCHED_GEMM,
  /** Attention in one kernel, whose scores never reach memory. */
  ATTENTION,
  /** All that moves more than it computes: normalisation, activation, softmax, dropout, optimizer. */
  MEMORY
}
