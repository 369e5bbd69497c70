package dev.heddle.workload.megatron.parallel;

/** Transport of tokens to the ranks of their experts and back. */
public enum ExpertDispatch {
  /** One all_to_all in which every token travels once for each of its experts [Megatron-Core, alltoall]. */
  ALL_TO_ALL,
  /**
   * One copy of a token for each node that holds one of its experts, sent to the rank with the sender's place there,
   * which forwards it to each rank that holds one; both parts run at the same time. The kernels are DeepEP's within
   * nodes of up to eight accelerators, as many as they know, and HybridEP's where NVLink joins more.
   */
  FLEX,
  /** The same copies by DeepEP's normal kernels, whose channels take a time for each token and copy. */
  DEEPEP,
  /** The same copies by HybridEP's kernels, whose few multiprocessors keep the links busy [HybridEP, README]. */
  HYBRIDEP;

  private static final int DEEPEP_PEERS = 8;

  /** The transport on nodes of so many accelerators: without a choice between kernels. */
  public ExpertDispatch on(int accelerators) {
    if (this != FLEX) {
      return this;
    }
    return accelerators > DEEPEP_PEERS ? HYBRIDEP : DEEPEP;
  }
}
