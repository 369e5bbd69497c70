package dev.heddle.engine;

import dev.heddle.internal.collect.LongLongMap;
import dev.heddle.workload.Operation;
import java.util.function.LongConsumer;

/** Messages with tags that have arrived, and streams that wait for one. */
public final class Mailbox {
  private static final int NONE = -1;

  // (rank, peer, tag) to the number of messages that nobody has received yet, or -1 - slot of the stream that waits.
  private final LongLongMap entries = new LongLongMap(0);

  /** Whether there are no messages, and no stream waits for one. */
  public boolean isEmpty() {
    return entries.size() == 0;
  }

  /** Adds a message; the slot of the stream that waits for it, or -1. */
  int deliver(int rank, int peer, int tag) {
    long key = key(rank, peer, tag);
    long state = entries.get(key);
    if (state < 0) {
      entries.remove(key);
      return (int) (-1 - state);
    }
    entries.put(key, state + 1);
    return NONE;
  }

  /** Whether a message is there for a stream, which takes it; otherwise the stream waits from now on. */
  boolean receive(int rank, int slot, Operation op) {
    long key = key(rank, op.peer(), op.tag());
    long state = entries.get(key);
    if (state > 1) {
      entries.put(key, state - 1);
      return true;
    }
    if (state == 1) {
      entries.remove(key);
      return true;
    }
    if (state < 0) {
      throw new IllegalStateException(
          "two streams of rank " + rank + " receive from rank " + op.peer() + " with tag " + op.tag() + " at once");
    }
    entries.put(key, -1 - slot);
    return false;
  }

  /** Adds all entries to a list, in a fixed order. */
  void describe(LongConsumer into) {
    for (long key : entries.keys()) {
      into.accept(key);
      into.accept(entries.get(key));
    }
  }

  private static long key(int rank, int peer, int tag) {
    if (tag < 0 || tag > ProgramRunner.MAX_TAG) {
      throw new IllegalStateException("tag " + tag + " is not of 0 to " + ProgramRunner.MAX_TAG);
    }
    return (long) rank << 44 | (long) peer << 24 | tag;
  }
}
