package dev.heddle.engine;

import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A program under way: its streams and its signals, and the stream that waits for its end, if any. */
final class Scope {
  final int parent;
  final int[] slots;
  Program program;
  long[] signals = new long[0];
  /** Time until which each shared unit of the streams is occupied. */
  long[] takenPs = new long[0];
  /** Earliest departure of the next delayed message that takes a turn. */
  long turnPs;
  int running;
  boolean starting;
  /** Told of the program's end in place of the parent, where the program does not run at the queue's time. */
  @Nullable
  Runnable listener;

  Scope(Program program, int parent) {
    this.program = program;
    this.parent = parent;
    slots = new int[program.streams()];
    running = slots.length;
  }

  /** Streams of a program that has yet to be made. */
  record Unstarted(int streams) implements Program {
    @Override
    public boolean next(int stream, Operation operation) {
      throw new IllegalStateException("a reserved stream has no program");
    }
  }

  /** Begins a program on the streams. */
  void play(Program played, @Nullable Runnable endListener) {
    program = played;
    listener = endListener;
    running = slots.length;
    signals = new long[0];
    takenPs = new long[0];
    turnPs = 0;
  }

  /**
   * The begin of a use of a unit, which is occupied from then on: now, or the end of the uses before it.
   *
   * @param nowPs the time
   * @param unit shared by the streams, or {@link Operation#UNSHARED}
   * @param forPs duration of the use
   */
  long takePs(long nowPs, int unit, long forPs) {
    if (unit == Operation.UNSHARED) {
      return nowPs;
    }
    if (unit >= takenPs.length) {
      takenPs = Arrays.copyOf(takenPs, Math.max(unit + 1, 2 * takenPs.length));
    }
    long turn = Math.max(nowPs, takenPs[unit]);
    takenPs[unit] = Math.addExact(turn, forPs);
    return turn;
  }

  /**
   * The departure of a delayed message: after its delay, or after the turns of those before it.
   *
   * @param readyPs end of its delay
   * @param forPs its turn: time to the next departure; 0 for none, so that it waits for none
   */
  long departPs(long readyPs, long forPs) {
    if (forPs == 0) {
      return readyPs;
    }
    long depart = Math.max(readyPs, turnPs);
    turnPs = Math.addExact(depart, forPs);
    return depart;
  }
}
