package dev.heddle.engine;

import dev.heddle.workload.Operation;
import org.jspecify.annotations.Nullable;

/**
 * Streams of a rank that are kept for a program while another of its streams waits for the program's end. The program
 * may run on them aside, at another time than the queue's, any number of times; in the end the streams are
 * {@linkplain ProgramRunner#release released}, or they {@linkplain ProgramRunner#join join} the others.
 */
public final class Reservation {
  final Scope scope;
  boolean released;
  @Nullable
  LentSlots lent;

  Reservation(Scope scope) {
    this.scope = scope;
  }

  /** The slot of a stream. */
  public int slot(int stream) {
    return scope.slots[stream];
  }

  /** The number of streams. */
  public int streams() {
    return scope.slots.length;
  }

  /** Whether the streams have been released. */
  public boolean isReleased() {
    return released;
  }

  /** The streams that use a released program's slots now, while that program runs on them once more. */
  record LentSlots(
      Scope[] scopes, Operation[] operations, int[] streams, boolean[] ended, long[] since, int[] next, long[] lines) {
    LentSlots(int count) {
      this(new Scope[count], new Operation[count], new int[count], new boolean[count], new long[count],
          new int[count], new long[count]);
    }
  }
}
