package dev.heddle.collectives.nccl.schedule;

import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;

/**
 * Threads of a thread block that serve several peers together: they take one slice of each in turn, and wait for all of
 * these slices' flags at once. Its steps come one after the other, and only the first of a turn costs a start.
 */
final class PeerGroup {
  private final RankStepsBuilder steps;
  private final boolean any;
  private int last = RankSteps.NONE;
  private boolean begun;

  /**
   * Threads with nothing to do yet.
   *
   * @param peers that they serve; with none, those beside them move the data
   */
  PeerGroup(RankStepsBuilder steps, int peers) {
    this.steps = steps;
    any = peers > 0;
  }

  /** Begins another turn. */
  void turn() {
    begun = false;
  }

  /** A step that sends. */
  int sends(int step) {
    return next(steps.access(step, MemoryAccess.COPY));
  }

  /** A step that keeps what it receives, or adds it to what is there. */
  int keeps(int step) {
    return next(steps.memoryAccess(step, 0, 1));
  }

  /** A step that sends on what these threads have put where it leaves from. */
  int passes(int step) {
    return any ? steps.access(step, MemoryAccess.OPERAND) : step;
  }

  /** A step that receives what these threads take from where it arrives. */
  int finds(int step) {
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
