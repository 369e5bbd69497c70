package dev.heddle.collective;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;

/**
 * Proves schedules. It executes them symbolically: a chunk's value is the multiset of (rank, input chunk) contributions
 * that were added up in it. At the end every output must hold the operation's result, each contribution exactly once.
 *
 * <p>One execution stands for all: if any two steps that access the same chunk, one of them writing, are ordered, and
 * messages of one connection keep their order, every execution computes the same. Steps are ordered by their thread
 * block, by dependencies, and by messages. A schedule that ends with a connection window of some messages ends with any
 * larger one.
 */
public final class Verifier {
  private static final int MOST_FINDINGS = 16;

  private final int window;

  private Verifier(int window) {
    this.window = window;
  }

  /** A verifier by which a connection holds one message that was sent and not yet received: the strictest. */
  public static Verifier strict() {
    return new Verifier(1);
  }

  /**
   * A verifier by which a connection holds several messages.
   *
   * @param messages sent and not yet received, at least 1
   */
  public static Verifier withWindow(int messages) {
    if (messages < 1) {
      throw new IllegalArgumentException("a connection holds at least 1 message: " + messages);
    }
    return new Verifier(messages);
  }

  /** Proves a schedule, or finds its faults: the first 16 at most. */
  public Verdict verify(Schedule schedule) {
    List<Finding> findings = new ArrayList<>();
    Connections connections = new Connections(schedule);
    connections.findUnmatched(findings, MOST_FINDINGS);
    if (!findings.isEmpty()) {
      return new Verdict(ImmutableList.copyOf(findings), 0);
    }
    SymbolicRun run = new SymbolicRun(connections, window);
    run.execute(findings);
    if (!findings.isEmpty()) {
      return new Verdict(ImmutableList.copyOf(findings), 0);
    }
    new Races(connections, run).find(findings, MOST_FINDINGS);
    new Postcondition(connections, run).check(findings, MOST_FINDINGS);
    return new Verdict(ImmutableList.copyOf(findings), run.rounds());
  }

  /**
   * The verifier's result for a schedule.
   *
   * @param findings faults; none: the schedule is proved
   * @param rounds length of the longest chain of messages each of which waits for its predecessor; 0 where the schedule
   * does not end
   */
  public record Verdict(ImmutableList<Finding> findings, int rounds) {
    /** Whether nothing is wrong. */
    public boolean proved() {
      return findings.isEmpty();
    }
  }

  /**
   * A fault in a schedule, with its position.
   *
   * @param fault kind of the fault
   * @param rank whose steps are at fault
   * @param channel of the thread block, or {@link RankSteps#NONE}
   * @param threadBlock of the rank, or {@link RankSteps#NONE} where no step is at fault
   * @param step of the rank, or {@link RankSteps#NONE} where no step is at fault
   * @param message description of the fault
   */
  public record Finding(Fault fault, int rank, int channel, int threadBlock, int step, String message) {
    /** Kind of a fault. */
    public enum Fault {
      /** A message without a matching receive. */
      UNMATCHED_SEND,
      /** A receive without a matching message. */
      UNMATCHED_RECEIVE,
      /** A message of another length than its receive, or a source of another length than its target. */
      LENGTH,
      /** Thread blocks that wait for each other. */
      DEADLOCK,
      /** A chunk that is read before anything is written to it. */
      READ_BEFORE_WRITE,
      /** A write to the caller's input, though the schedule is not in place. */
      INPUT_OVERWRITTEN,
      /** Two steps of which at least one writes a chunk, in no order. */
      RACE,
      /** An output that does not hold the operation's result. */
      WRONG_RESULT
    }

    static Finding at(Fault fault, RankSteps rank, int step, String message) {
      int block = rank.threadBlock(step);
      return new Finding(
          fault, rank.rank(), rank.channel(block), block, step, rank.step(step) + ": " + message);
    }

    /** The position and the message, in one line. */
    @Override
    public String toString() {
      String place = step == RankSteps.NONE ? "rank " + rank
          : "rank " + rank + ", channel " + channel + ", thread block " + threadBlock + ", step " + step;
      return place + ": " + message;
    }
  }
}
