package dev.heddle.kernel.exchange;

import java.util.Locale;

/** A family of kernels that exchange tokens among the ranks of experts. */
public enum ExchangeKernel {
  /**
   * DeepEP's kernels for training and prefill: one copy of a token for each node, forwarded over NVLink to each rank;
   * pairs of multiprocessors are the channels [DeepEP, intranode.cu and internode.cu].
   */
  DEEPEP_NORMAL,
  /** DeepEP's kernels for decode: one message for each token and expert, none forwarded [DeepEP, internode_ll.cu]. */
  DEEPEP_LOW_LATENCY,
  /** Stores into symmetric buffers of the peers of one NVLink domain, one for each rank [TensorRT-LLM, one-sided]. */
  NVLINK_ONE_SIDED,
  /** Queues between each two ranks of one NVLink domain [TensorRT-LLM, two-sided]. */
  NVLINK_TWO_SIDED;

  /** Whether the ranks of this kernel lie in one NVLink domain, however many nodes it spans. */
  public boolean isOfDomain() {
    return this == NVLINK_ONE_SIDED || this == NVLINK_TWO_SIDED;
  }

  /** The name in tables. */
  public String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
