package dev.heddle.internal.collect;

import dev.heddle.collective.RankSteps;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;

/**
 * The streams of a rank's steps that exchange no messages, wait for no other stream, and for which none waits: copies
 * of the rank's own data, at a pace of their own. They compute without a break, so that their end is known beforehand,
 * and the state of all other streams may recur although theirs does not.
 */
public final class LoneStreams {
  private final boolean[] lone;
  private long events;
  private long endPs;
  private int last = -1;

  private LoneStreams(int streams) {
    lone = new boolean[streams];
  }

  /**
   * The lone streams of a rank's steps.
   *
   * @param program of the steps from their begin; it is read
   */
  public static LoneStreams of(RankSteps steps, Program program) {
    boolean[] awaited = new boolean[steps.threadBlocks()];
    for (int step = 0; step < steps.size(); step++) {
      for (int i = 0; i < steps.dependencies(step); i++) {
        awaited[steps.threadBlock(steps.dependency(step, i))] = true;
      }
    }
    LoneStreams found = new LoneStreams(program.streams());
    for (int block = 0; block < awaited.length; block++) {
      if (!awaited[block] && steps.sendPeer(block) == RankSteps.NONE && steps.receivePeer(block) == RankSteps.NONE) {
        found.read(program, block);
      }
    }
    return found;
  }

  private void read(Program program, int stream) {
    Operation operation = new Operation();
    long timePs = 0;
    int computations = 0;
    while (program.next(stream, operation)) {
      boolean computes = operation.kind() == Operation.Kind.COMPUTE && operation.tag() == Operation.UNSHARED;
      if (!computes && operation.kind() != Operation.Kind.SIGNAL) {
        return;
      }
      timePs = Math.addExact(timePs, computes ? operation.timePs() : 0);
      computations += computes ? 1 : 0;
    }
    if (computations > 0) {
      lone[stream] = true;
      events += computations;
      if (timePs >= endPs) {
        endPs = timePs;
        last = stream;
      }
    }
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return events == 0;
  }

  /** The number of their events. */
  public long events() {
    return events;
  }

  /** The time from their begin to the end of the last one, ps. */
  public long endPs() {
    return endPs;
  }

  /** The last one to end, of several the one with the greatest number. */
  public int last() {
    return last;
  }

  /** A program that lacks them. */
  public Program without(Program program) {
    return new Program() {
      @Override
      public int streams() {
        return program.streams();
      }

      @Override
      public boolean next(int stream, Operation operation) {
        return !lone[stream] && program.next(stream, operation);
      }
    };
  }
}
