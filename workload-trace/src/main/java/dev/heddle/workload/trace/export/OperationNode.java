package dev.heddle.workload.trace.export;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.Operation;

/**
 * An operation of a rank.
 *
 * @param kind computation, message, receipt or collective; a signal or a wait for one takes no time
 * @param stream whose operation it is
 * @param amount picoseconds or bytes
 * @param peer the other rank, or the root within the group
 * @param number the tag, or the number of the group or signal
 * @param op of a collective
 */
record OperationNode(Operation.Kind kind, int stream, long amount, int peer, int number, CollectiveOp op) {
  static OperationNode of(int stream, Operation operation) {
    boolean computes = operation.kind() == Operation.Kind.COMPUTE;
    boolean alone = computes || operation.kind() == Operation.Kind.SIGNAL || operation.kind() == Operation.Kind.AWAIT;
    return new OperationNode(
        operation.kind(), stream, computes ? operation.timePs() : operation.bytes(), alone ? 0 : operation.peer(),
        operation.tag(),
        operation.kind() == Operation.Kind.COLLECTIVE ? operation.collectiveOp() : CollectiveOp.ALL_REDUCE);
  }

  /** Whether it takes no time and moves nothing. */
  boolean nothing() {
    return kind == Operation.Kind.SIGNAL || kind == Operation.Kind.AWAIT;
  }
}
