package dev.heddle.collectives.nccl.tuner;

import dev.heddle.collective.CollectiveOp;

/**
 * A call, or several calls that NCCL joins.
 *
 * @param op broadcast, reduce, all_gather, reduce_scatter or all_reduce
 * @param bytes of the largest buffer of any rank, as in nccl-tests
 * @param joined number of calls of one group that are joined, at least 1
 * @param reduction kind of reduction
 */
public record Call(CollectiveOp op, long bytes, int joined, Reduction reduction) {
  /** Checks ranges. */
  public Call {
    if (bytes < 0 || joined < 1) {
      throw new IllegalArgumentException("a call has at least 0 bytes and is at least 1: " + bytes + ", " + joined);
    }
  }

  /** The kind of reduction, as far as NVSwitches support it. */
  public enum Reduction {
    /** Types and operations that NVSwitches support, such as a sum of floats. */
    COMMON,
    /** Floating-point numbers of eight bits. */
    FP8,
    /** Integers of eight bits, which only GPUs reduce. */
    BYTES,
    /** Types and operations that only GPUs support, such as a product. */
    OTHER
  }

  /** A single call of a common reduction. */
  public static Call of(CollectiveOp op, long bytes) {
    return new Call(op, bytes, 1, Reduction.COMMON);
  }
}
