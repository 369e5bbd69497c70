package dev.heddle.workload.megatron.program;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.parallel.GroupKind;

/** A part of what a stage does for a micro-batch. */
public sealed interface StageOp {
  /**
   * Kernels one after the other.
   *
   * @param activity to which their time counts
   * @param ps how long, at least 0
   */
  record Compute(Activity activity, long ps) implements StageOp {}

  /**
   * A collective that the computation waits for.
   *
   * @param activity to which its time counts
   * @param group who takes part, of a kind that is not beside
   * @param op what is done
   * @param bytes of the largest buffer of any rank
   */
  record Blocking(Activity activity, GroupKind group, CollectiveOp op, long bytes) implements StageOp {}

  /**
   * A collective that begins, after those that the group began before, while the computation goes on.
   *
   * @param group who takes part, of a kind that is beside
   * @param op what is done
   * @param bytes of the largest buffer of any rank
   */
  record Begin(GroupKind group, CollectiveOp op, long bytes) implements StageOp {}

  /**
   * Waits until a communicator has ended so many collectives of the iteration, counted from its first.
   *
   * @param activity to which the wait counts
   * @param group the communicator, of a kind that overlaps computation
   * @param ended collectives, at least 1
   */
  record Await(Activity activity, GroupKind group, int ended) implements StageOp {}

  /**
   * Waits for collectives that have begun.
   *
   * @param activity to which the wait counts
   * @param group whose
   * @param leave how many of the last begun may go on
   */
  record Join(Activity activity, GroupKind group, int leave) implements StageOp {}
}
