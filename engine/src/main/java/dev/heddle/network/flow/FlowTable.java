package dev.heddle.network.flow;

import java.util.Arrays;

/** Table of the flows under way; rows are used again. */
final class FlowTable {
  /** In place of a channel: the flow stands for a message that packets carry. */
  static final int PACKETS = -2;

  private static final int NONE = -1;

  private int count;
  private int free = NONE;
  private int[] nextFree = new int[64];

  /** Injection channel of a message, or none. */
  int[] channelOf = new int[64];
  /** Message that a flow carries. */
  int[] messageOf = new int[64];
  /** Bytes to be carried from the time of {@link #since} on. */
  double[] remaining = new double[64];
  /** Begin of a flow. */
  long[] begunAt = new long[64];
  /** Time up to which a flow has been advanced. */
  long[] since = new long[64];
  /** End of a flow at its present rate. */
  long[] finishAt = new long[64];
  /** Begin of the next message of a flow's channel, while the flow is under way. */
  long[] followAt = new long[64];
  /** Time of a flow's pending event. */
  long[] pendingAt = new long[64];
  /** Number of a flow's pending event. */
  int[] version = new int[64];
  /** Time from the departure of a message's last byte to its arrival. */
  long[] lagPs = new long[64];
  /** Links that carry a flow's payload. */
  int[] hops = new int[64];

  /** The rows that were ever taken. */
  int count() {
    return count;
  }

  /** Takes a row. */
  int take() {
    int flow = free;
    if (flow != NONE) {
      free = nextFree[flow];
      return flow;
    }
    if (count == channelOf.length) {
      grow(2 * count);
    }
    pendingAt[count] = Long.MAX_VALUE;
    return count++;
  }

  /** Gives a row back. */
  void giveBack(int flow) {
    nextFree[flow] = free;
    free = flow;
  }

  private void grow(int grown) {
    channelOf = Arrays.copyOf(channelOf, grown);
    messageOf = Arrays.copyOf(messageOf, grown);
    remaining = Arrays.copyOf(remaining, grown);
    begunAt = Arrays.copyOf(begunAt, grown);
    since = Arrays.copyOf(since, grown);
    finishAt = Arrays.copyOf(finishAt, grown);
    followAt = Arrays.copyOf(followAt, grown);
    pendingAt = Arrays.copyOf(pendingAt, grown);
    version = Arrays.copyOf(version, grown);
    lagPs = Arrays.copyOf(lagPs, grown);
    hops = Arrays.copyOf(hops, grown);
    nextFree = Arrays.copyOf(nextFree, grown);
  }
}
