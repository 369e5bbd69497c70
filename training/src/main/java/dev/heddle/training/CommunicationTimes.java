package dev.heddle.training;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.parallel.GroupKind;

/** How long the communication of an iteration takes, each kind by itself. */
public interface CommunicationTimes {
  /**
   * A collective of one group, while all groups of its kind that share nodes with it do the same.
   *
   * @param kind of the group
   * @param rank a member
   * @param op operation
   * @param bytes of the largest buffer of any rank
   * @return picoseconds
   */
  long collectivePs(GroupKind kind, int rank, CollectiveOp op, long bytes);

  /** Whether a rank's group of a kind lies within one node. */
  boolean near(GroupKind kind, int rank);

  /**
   * Flows that a collective has at once on the links by which a rank's node sends: its share of them beside others.
   *
   * @param kind of the group
   * @param rank a member
   * @param op operation
   */
  default int flows(GroupKind kind, int rank, CollectiveOp op) {
    return 1;
  }

  /**
   * A message to the same rank of another stage, while all ranks of the stage on its node send theirs.
   *
   * @param rank the sender
   * @param peer the receiver
   * @param bytes payload
   * @return picoseconds
   */
  long messagePs(int rank, int peer, long bytes);
}
