package dev.heddle.collectives.nccl.tuner;

import dev.heddle.collective.CollectiveOp;

/**
 * One call, or several that NCCL joins.
 *
 * @param op broadcast, reduce, all_gather, reduce_scatter or all_reduce
 * @param bytes of the largest buffer of any rank, as nccl-tests counts them
 * @param joined how many calls of one group are joined, at least 1
 * @param reduction what is reduced
 */
public record Call(CollectiveOp op, long bytes, int joined, Reduction reduction) {
  /** Checks ranges. */
  public Call {
    if (bytes < 0 || joined < 1) {
      throw new IllegalArgumentException("a call has at least 0 bytes and is at least 1: " + bytes + ", " + joined);
    }
  }

  /** What is reduced, as far as it matters. */
  public enum Reduction {
    /** Types and operations that NVSwitches reduce, such as a sum of floats. */
    COMMON,
    /** Numbers of eight bits with an exponent. */
    FP8,
    /** What only GPUs reduce, such as a product. */
    OTHER
  }

  /** A single call of a common reduction. */
  public static Call of(CollectiveOp op, long bytes) {
    return new Call(op, bytes, 1, Reduction.COMMON);
  }
}
