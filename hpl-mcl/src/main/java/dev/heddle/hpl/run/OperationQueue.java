package dev.heddle.hpl.run;

import dev.heddle.workload.Operation;
import java.util.Arrays;

/** Operations of a stream that are produced together, such as those of one panel; reused, so that it stops growing. */
final class OperationQueue {
  private static final int COMPUTE = 0;
  private static final int SEND = 1;
  private static final int RECEIVE = 2;
  private static final int SIGNAL = 3;
  private static final int AWAIT = 4;

  private int[] kinds = new int[64];
  private int[] targets = new int[64];
  private int[] tags = new int[64];
  private long[] values = new long[64];
  private int first;
  private int end;

  boolean isEmpty() {
    return first == end;
  }

  void compute(long durationPs) {
    if (durationPs > 0) {
      add(COMPUTE, 0, 0, durationPs);
    }
  }

  void send(int peer, long bytes, int tag) {
    add(SEND, peer, tag, bytes);
  }

  void receive(int peer, int tag) {
    add(RECEIVE, peer, tag, 0);
  }

  void signal(int signal) {
    add(SIGNAL, signal, 0, 0);
  }

  void await(int signal, long count) {
    add(AWAIT, signal, 0, count);
  }

  private void add(int kind, int target, int tag, long value) {
    if (end == kinds.length) {
      int grown = 2 * end;
      kinds = Arrays.copyOf(kinds, grown);
      targets = Arrays.copyOf(targets, grown);
      tags = Arrays.copyOf(tags, grown);
      values = Arrays.copyOf(values, grown);
    }
    kinds[end] = kind;
    targets[end] = target;
    tags[end] = tag;
    values[end++] = value;
  }

  /** Takes the first operation; there must be one. */
  void take(Operation into) {
    int at = first++;
    if (first == end) {
      first = 0;
      end = 0;
    }
    switch (kinds[at]) {
      case COMPUTE -> into.compute(values[at]);
      case SEND -> into.send(targets[at], values[at], tags[at], 0);
      case RECEIVE -> into.receive(targets[at], tags[at]);
      case SIGNAL -> into.signal(targets[at]);
      case AWAIT -> into.await(targets[at], values[at]);
      default -> throw new IllegalStateException("unknown kind " + kinds[at]);
    }
  }
}
