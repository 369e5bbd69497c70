package dev.heddle.workload.megatron.parallel;

/** Exchanges of context-parallel ranks for attention (Megatron-Core: cp_comm_type). */
public enum ContextExchange {
  /** Keys and values go round a ring, beside the computation of the steps. */
  P2P,
  /** Keys and values are gathered before attention, and their gradients reduced and scattered after it. */
  ALL_GATHER,
  /** Each rank takes the whole sequence of a share of the heads [Jacobs et al., DeepSpeed Ulysses]. */
  A2A,
  /** Neighbouring ranks exchange heads, and the ranks at the same place among them keys and values in a ring. */
  A2A_P2P
}
