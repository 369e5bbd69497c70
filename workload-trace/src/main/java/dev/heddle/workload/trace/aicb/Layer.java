package dev.heddle.workload.trace.aicb;

import dev.heddle.collective.CollectiveOp;
import java.util.Optional;

/**
 * A line of a workload: a computation and a collective each for the forward pass, the gradient of the input and that of
 * the weights.
 *
 * @param forward forward pass
 * @param input gradient of the input
 * @param weights gradient of the weights
 * @param delayPs after each collective, in picoseconds
 */
record Layer(Pass forward, Pass input, Pass weights, long delayPs) {
  /**
   * A computation and the collective after it.
   *
   * @param ps time of the computation, in picoseconds
   * @param call the collective; none where there is none, or nothing to move
   */
  record Pass(long ps, Optional<Call> call) {}

  /**
   * A collective.
   *
   * @param op operation
   * @param kind kind of its group
   * @param bytes size of the largest buffer of any rank
   */
  record Call(CollectiveOp op, GroupKind kind, long bytes) {}
}
