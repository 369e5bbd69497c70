package dev.heddle.workload.megatron.parallel;

/** Transport of tokens to the ranks of their experts and back. */
public enum ExpertDispatch {
  /** One all_to_all in which every token travels once for each of its experts [Megatron-Core, alltoall]. */
  ALL_TO_ALL,
  /**
   * One copy of a token for each node that holds one of its experts, sent to the rank with the sender's place there,
   * which forwards it to each rank that holds one [DeepEP, normal kernels; HybridEP]. Both parts run at the same time.
   */
  FLEX
}
