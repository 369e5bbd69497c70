package dev.heddle.internal.collect;

import dev.heddle.collective.MessageLabel;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A program whose operations of one more period can be read in advance, to tell whether they are those of a period that
 * was carried out. Only programs that depend on nothing but themselves can be read in advance.
 */
public final class ForeseenProgram implements Program {
  private final Program program;
  // Per stream the operations since the begin of the period, those that were read in advance, and the last of these in
  // periods that were passed over.
  private final List<List<Operation>> period = new ArrayList<>();
  private final List<ArrayDeque<Operation>> ahead = new ArrayList<>();
  private final @Nullable Operation[] last;
  private long[] raised = new long[0];
  private boolean keeps;

  /** Makes a program of a schedule foreseeable. */
  public ForeseenProgram(Program program) {
    this.program = program;
    for (int stream = 0; stream < program.streams(); stream++) {
      period.add(new ArrayList<>());
      ahead.add(new ArrayDeque<>());
    }
    last = new Operation[program.streams()];
  }

  @Override
  public int streams() {
    return program.streams();
  }

  @Override
  public boolean next(int stream, Operation operation) {
    Operation told = ahead.get(stream).poll();
    if (told != null) {
      copy(told, operation);
    } else if (!program.next(stream, operation)) {
      return false;
    }
    if (keeps) {
      Operation kept = new Operation();
      copy(operation, kept);
      period.get(stream).add(kept);
    }
    return true;
  }

  private static void copy(Operation from, Operation to) {
    switch (from.kind()) {
      case COMPUTE -> to.compute(from.timePs(), from.tag());
      case SEND -> {
        int beyond = MessageLabel.networkBits(from.label());
        to.send(from.peer(), from.bytes(), from.tag(), from.trafficClass());
        to.onNetwork(MessageLabel.networkClass(beyond), MessageLabel.labelledRoute(beyond));
        to.sendAfter(from.timePs(), from.turnPs());
      }
      case RECEIVE -> to.receive(from.peer(), from.tag());
      case SIGNAL -> to.signal(from.tag());
      case AWAIT -> to.await(from.tag(), from.bytes());
      default -> throw new IllegalStateException("a schedule has no operation " + from.kind());
    }
  }

  /**
   * Begins a period.
   *
   * @param signals how often each has been raised
   */
  public void begin(long[] signals) {
    keeps = true;
    raised = signals.clone();
    period.forEach(List::clear);
  }

  /**
   * Reads one more period; whether its operations are those of the one that was carried out.
   *
   * @param signals how often each has been raised at the end of that one
   * @param later the number of periods from that one to the one in question
   */
  public boolean repeats(long[] signals, long later) {
    for (int stream = 0; stream < streams(); stream++) {
      Iterator<Operation> known = new ArrayList<>(ahead.get(stream)).iterator();
      for (Operation expected : period.get(stream)) {
        Operation next = known.hasNext() ? known.next() : read(stream);
        if (next == null || !isSame(expected, next, signals, later)) {
          return false;
        }
      }
    }
    return true;
  }

  private @Nullable Operation read(int stream) {
    Operation next = new Operation();
    if (!program.next(stream, next)) {
      return null;
    }
    ahead.get(stream).add(next);
    return next;
  }

  private boolean isSame(Operation expected, Operation next, long[] signals, long later) {
    if (expected.kind() != next.kind()) {
      return false;
    }
    return switch (expected.kind()) {
      case COMPUTE -> expected.timePs() == next.timePs() && expected.tag() == next.tag();
      case SEND -> expected.peer() == next.peer() && expected.bytes() == next.bytes() && expected.tag() == next.tag()
          && expected.label() == next.label() && expected.timePs() == next.timePs()
          && expected.turnPs() == next.turnPs();
      case RECEIVE -> expected.peer() == next.peer() && expected.tag() == next.tag();
      case SIGNAL -> expected.tag() == next.tag();
      case AWAIT -> expected.tag() == next.tag()
          && expected.bytes() + later * raisedIn(signals, expected.tag()) == next.bytes();
      default -> false;
    };
  }

  /** The number of times that a signal was raised in the period. */
  public long raisedIn(long[] signals, int signal) {
    long now = signal < signals.length ? signals[signal] : 0;
    return now - (signal < raised.length ? raised[signal] : 0);
  }

  /** Passes over a period that repeats. */
  public void pass() {
    for (int stream = 0; stream < streams(); stream++) {
      for (int passed = 0; passed < period.get(stream).size(); passed++) {
        last[stream] = ahead.get(stream).remove();
      }
    }
  }

  /** Whether operations of a stream were passed over. */
  public boolean hasPassed(int stream) {
    return last[stream] != null;
  }

  /** Takes the last operation of a stream that was passed over. */
  public Operation takeLast(int stream) {
    Operation end = Objects.requireNonNull(last[stream], "no operation was passed over");
    last[stream] = null;
    return end;
  }
}
