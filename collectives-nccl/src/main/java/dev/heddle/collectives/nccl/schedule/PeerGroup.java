package dev.heddle.collectives.nccl.schedule;

import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;

/**
 * A group of threads of a thread block that serves several peers together: it takes one slice of each peer in turn and
 * waits for the flags of all of these slices at once. Its steps run in order, and only the first step of a turn pays
 * the cost of a start.
 */
final class PeerGroup {
  private final RankStepsBuilder steps;
  private final boolean any;
  private int last = RankSteps.NONE;
  private boolean begun;

  /**
   * A group without steps.
   *
   * @param peers number of peers; a group without peers leaves its data to other threads
   */
  PeerGroup(RankStepsBuilder steps, int peers) {
    this.steps = steps;
    any = peers > 0;
  }

  /** Begins the next turn. */
  void beginTurn() {
    begun = false;
  }

  /** Adds a step that sends. */
  int addSend(int step) {
    return next(steps.access(step, MemoryAccess.COPY));
  }

  /** Adds a step that receives into memory, with or without an addition. */
  int addStore(int step) {
    return next(steps.memoryAccess(step, 0, 1));
  }

  /** Adds a step that sends data which this group has stored in the send buffer. */
  int addSendOfStored(int step) {
    return any ? steps.access(step, MemoryAccess.OPERAND) : step;
  }

  /** Adds a step that receives data which this group reads from the receive buffer. */
  int addReceiveForSend(int step) {
    return any ? steps.memoryAccess(step, 0, 0) : step;
  }

  private int next(int step) {
    if (begun) {
      steps.coalesced(step);
    }
    begun = true;
    steps.after(step, last);
    last = step;
    return step;
  }
}
