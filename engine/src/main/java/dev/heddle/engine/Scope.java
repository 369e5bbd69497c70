package dev.heddle.engine;

import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import org.jspecify.annotations.Nullable;

/** A program under way: its streams and its signals, and the stream that waits for its end, if any. */
final class Scope {
  final int parent;
  final int[] slots;
  Program program;
  long[] signals = new long[0];
  /** Time until which each shared unit of the streams is occupied. */
  long[] takenPs = new long[0];
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
  }
}
