package dev.heddle.network.packet;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The calls that have yet to end, by numbers that are used again. */
final class CallTable {
  private final List<@Nullable PendingCall> calls = new ArrayList<>();
  private final ArrayDeque<Integer> free = new ArrayDeque<>();

  /** A new call. */
  PendingCall enter(CallShape shape, long startPs) {
    int number = free.isEmpty() ? calls.size() : free.remove();
    PendingCall pending = new PendingCall(shape, number, startPs);
    if (number == calls.size()) {
      calls.add(pending);
    } else {
      calls.set(number, pending);
    }
    return pending;
  }

  /** The call of a number; null where it is over and the number is free. */
  @Nullable
  PendingCall find(int number) {
    return calls.get(number);
  }

  /** A call that has yet to end. */
  PendingCall call(int number) {
    PendingCall pending = calls.get(number);
    if (pending == null) {
      throw new IllegalStateException("call " + number + " is over");
    }
    return pending;
  }

  /** Frees the number of a call. */
  void release(PendingCall pending) {
    calls.set(pending.number, null);
    free.add(pending.number);
  }

  /** Whether a call has yet to end. */
  boolean isAnyUnderWay() {
    return calls.size() > free.size();
  }

  /** The calls that have yet to end, by their numbers. */
  List<PendingCall> all() {
    List<PendingCall> all = new ArrayList<>(calls.size() - free.size());
    for (PendingCall pending : calls) {
      if (pending != null) {
        all.add(pending);
      }
    }
    return all;
  }
}
