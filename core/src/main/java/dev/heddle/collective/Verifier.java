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
   * @param messages sent and not yet received, at least 1; NCCL's connections hold 8 steps
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
}
