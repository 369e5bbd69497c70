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
   * The links by which a rank's group of a kind communicates, as a number below that of kinds and one: kinds that have
   * links in common share their bandwidth and have the same number.
   */
  int medium(GroupKind kind, int rank);

  /**
   * Concurrent flows of a collective on the links by which a rank's node sends; bandwidth is shared with other
   * collectives in their proportion.
   *
   * @param kind of the group
   * @param rank a member
   * @param op operation
   */
  default int flows(GroupKind kind, int rank, CollectiveOp op) {
    return 1;
  }

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
