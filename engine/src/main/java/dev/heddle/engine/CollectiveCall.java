package dev.heddle.engine;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.MessageLabel;
import dev.heddle.workload.Operation;

/**
 * A collective call of a group.
 *
 * @param group number of the group
 * @param op operation
 * @param bytes of the largest buffer of any rank
 * @param root rank within the group, or 0; of an all_to_all_v the number of its sizes
 * @param networkClass traffic class between nodes of messages for which its algorithm chooses none, or
 *     {@link MessageLabel#SAME_CLASS}
 */
public record CollectiveCall(int group, CollectiveOp op, long bytes, int root, int networkClass) {
  /** A call without a traffic class. */
  public CollectiveCall(int group, CollectiveOp op, long bytes, int root) {
    this(group, op, bytes, root, MessageLabel.SAME_CLASS);
  }

  /** The call that a program's operation is a part of. */
  public static CollectiveCall of(Operation operation) {
    return new CollectiveCall(
        operation.tag(), operation.collectiveOp(), operation.bytes(), operation.peer(),
        MessageLabel.networkClass(MessageLabel.networkBits(operation.label())));
  }
}
