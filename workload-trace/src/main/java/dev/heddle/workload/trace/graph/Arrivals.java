package dev.heddle.workload.trace.graph;

/**
 * The messages of a rank that matches them by arrival: sender, number of the tag and number of messages of each kind,
 * and whether they are puts.
 */
record Arrivals(int[] from, int[] tag, int[] count, boolean[] put) {
  /** No messages: the rank matches by sender and tag. */
  static final Arrivals NONE = new Arrivals(new int[0], new int[0], new int[0], new boolean[0]);

  /** The number of different senders and tags. */
  int kinds() {
    return from.length;
  }

  /** The number of messages. */
  int total() {
    int total = 0;
    for (int each : count) {
      total += each;
    }
    return total;
  }
}
