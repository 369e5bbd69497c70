package dev.heddle.workload.megatron.program;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.parallel.GroupKind;

/** An operation of a stage for a micro-batch. */
public sealed interface StageOp {
  /**
   * Kernels one after the other.
   *
   * @param activity to which their time counts
   * @param ps duration, at least 0
   */
  record Compute(Activity activity, long ps) implements StageOp {}

  /**
   * A collective that the computation waits for.
   *
   * @param activity to which its time counts
   * @param group participating ranks, of a kind that does not overlap computation
   * @param op operation
   * @param bytes of the largest buffer of any rank
   */
  record Blocking(Activity activity, GroupKind group, CollectiveOp op, long bytes) implements StageOp {}

  /**
   * A collective that begins after the earlier ones of its group, while the computation continues.
   *
   * @param group participating ranks, of a kind that overlaps computation
   * @param op operation
   * @param bytes of the largest buffer of any rank
   */
  record Begin(GroupKind group, CollectiveOp op, long bytes) implements StageOp {}

  /**
   * A wait until a communicator has ended a number of collectives of the iteration.
   *
   * @param activity to which the wait counts
   * @param group the communicator, of a kind that overlaps computation
   * @param ended collectives, at least 1
   */
  record Await(Activity activity, GroupKind group, int ended) implements StageOp {}

  /**
   * Work of the host, which launches the kernels and collectives around it, while the device computes; the device waits
   * here until the host has done it.
   *
   * @param ps duration, at least 0
   */
  record Launch(long ps) implements StageOp {}

  /**
   * A copy between the device's and the host's memory that begins after the earlier ones, while the computation
   * continues.
   *
   * @param ps duration, at least 0
   */
  record Copy(long ps) implements StageOp {}

  /** A wait for all copies that have begun. */
  record JoinCopies() implements StageOp {}

  /** A point of the device's work for which the host waits at the next {@link Synchronise}. */
  record Reach() implements StageOp {}

  /** A wait of the host until the device has come to the latest {@link Reach}; the device goes on. */
  record Synchronise() implements StageOp {}

  /**
   * A wait for collectives that have begun.
   *
   * @param activity to which the wait counts
   * @param group the communicator
   * @param leave number of the most recent collectives that may still run
   */
  record Join(Activity activity, GroupKind group, int leave) implements StageOp {}
}
