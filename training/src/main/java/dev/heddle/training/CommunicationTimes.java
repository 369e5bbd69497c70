package dev.heddle.training;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.parallel.GroupKind;

/** Times of the communication of an iteration, each kind in isolation. */
public interface CommunicationTimes {
  /**
   * The time of a collective of one group, while all groups of its kind that share nodes with it perform the same.
   *
   * @param kind of the group
   * @param rank a member
   * @param op operation
   * @param bytes of the largest buffer of any rank
   * @return picoseconds
   */
  long collectivePs(GroupKind kind, int rank, CollectiveOp op, long bytes);

  /**
   * The use of links by a rank's group of a kind and those that share nodes with it, while they have them alone.
   *
   * @param kind of the group
   * @param rank a member
   * @param op operation
   * @param bytes of the largest buffer of any rank
   */
  LinkUse use(GroupKind kind, int rank, CollectiveOp op, long bytes);

  /**
   * The time of a message to the same rank of another stage, while all ranks of the stage on the node send theirs.
   *
   * @param rank the sender
   * @param peer the receiver
   * @param bytes payload
   * @return picoseconds
   */
  long messagePs(int rank, int peer, long bytes);
}
