package dev.heddle.engine;

import dev.heddle.internal.collect.EventQueue;
import dev.heddle.internal.collect.ForeseenProgram;
import dev.heddle.workload.Operation;
import java.util.function.LongConsumer;

/** The state of programs of schedules on a runner relative to the clock and to the signals that were raised. */
public final class ProgramState {
  private static final int NONE = -1;

  private final ProgramRunner runner;
  private final EventQueue queue;

  /** The state of programs on a runner. */
  public ProgramState(ProgramRunner runner, EventQueue queue) {
    this.runner = runner;
    this.queue = queue;
  }

  /** Adds what the streams of a program wait for to a list. */
  public void describe(Reservation reservation, LongConsumer into) {
    Scope of = reservation.scope;
    for (int slot : of.slots) {
      into.accept(runner.ended[slot] ? 1 : 0);
      if (!runner.ended[slot]) {
        describe(of, runner.operation[slot], into);
      }
      runner.lagging.describe(slot, into);
    }
    for (long taken : of.takenPs) {
      into.accept(Math.max(0, taken - queue.now()));
    }
    into.accept(Math.max(0, of.turnPs - queue.now()));
    for (int slot = runner.roomHead[runner.rankOf[of.slots[0]]]; slot != NONE; slot = runner.nextWaiter[slot]) {
      into.accept(slot);
    }
  }

  private static void describe(Scope of, Operation operation, LongConsumer into) {
    into.accept(operation.kind().ordinal());
    switch (operation.kind()) {
      case SEND -> {
        into.accept((long) operation.peer() << 32 | operation.tag() & 0xFFFFFFFFL);
        into.accept(operation.bytes());
        into.accept(operation.label());
      }
      case RECEIVE -> into.accept((long) operation.peer() << 32 | operation.tag());
      case AWAIT -> {
        into.accept(operation.tag());
        int signal = operation.tag();
        into.accept(operation.bytes() - (signal < of.signals.length ? of.signals[signal] : 0));
      }
      default -> into.accept(operation.tag());
    }
  }

  /** Adds the messages that have arrived and that nobody has received yet, and who waits for one, to a list. */
  public void describeMail(LongConsumer into) {
    runner.mailbox.describe(into);
  }

  /** Whether the operations of a program can be read in advance. */
  public boolean isForeseen(Reservation reservation) {
    return reservation.scope.program instanceof ForeseenProgram;
  }

  /** Begins a period of a program. */
  public void begin(Reservation reservation) {
    foreseen(reservation).begin(reservation.scope.signals);
  }

  private static ForeseenProgram foreseen(Reservation reservation) {
    return (ForeseenProgram) reservation.scope.program;
  }

  /** Reads one more period of a program; whether it is as the one that was carried out, so many periods before. */
  public boolean repeats(Reservation reservation, long later) {
    return foreseen(reservation).repeats(reservation.scope.signals, later);
  }

  /** Passes over the period of a program that was read. */
  public void pass(Reservation reservation) {
    foreseen(reservation).pass();
  }

  /**
   * Moves a program to a later time, after periods that were passed over.
   *
   * @param periods their number
   * @param byPs their length in all
   */
  public void delay(Reservation reservation, long periods, long byPs) {
    Scope of = reservation.scope;
    ForeseenProgram program = foreseen(reservation);
    long[] later = of.signals.clone();
    for (int signal = 0; signal < later.length; signal++) {
      later[signal] += periods * program.raisedIn(of.signals, signal);
    }
    of.signals = later;
    for (int unit = 0; unit < of.takenPs.length; unit++) {
      of.takenPs[unit] += byPs;
    }
    of.turnPs += byPs;
    for (int stream = 0; stream < of.slots.length; stream++) {
      if (program.hasPassed(stream)) {
        runner.operation[of.slots[stream]] = program.takeLast(stream);
      }
    }
  }
}
