package dev.heddle.workload.trace.aicb;

import dev.heddle.collective.CollectiveOp;
import java.util.Optional;

/**
 * A line of a workload: what is computed, and which collective follows, going forward, for the gradient of the input and
 * for that of the weights.
 *
 * @param forward going forward
 * @param input for the gradient of the input
 * @param weights for the gradient of the weights
 * @param delayPs after each collective, in picoseconds
 */
record Layer(Pass forward, Pass input, Pass weights, long delayPs) {
  /**
   * A computation and the collective after it.
   *
   * @param ps how long it computes, in picoseconds
   * @param call the collective; none where there is none, or nothing to move
   */
  record Pass(long ps, Optional<Call> call) {}

  /**
   * A collective.
   *
   * @param op what is done
   * @param kind of the group
   * @param bytes of the largest buffer of any rank
   */
  record Call(CollectiveOp op, GroupKind kind, long bytes) {}
}
