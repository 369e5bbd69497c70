package dev.heddle.network.packet;

import java.util.Arrays;

/**
 * The senders' view of the receivers' buffers: credits per channel, and those on their way back, which count from the
 * time at which they arrive. One ledger serves the channels of one partition.
 */
final class CreditLedger {
  private static final int NONE = -1;

  private final int[] bytes;
  private final int[] headers;
  private final int[] first;
  private final int[] last;

  private long[] nodeTime = new long[1024];
  private int[] nodeBytes = new int[1024];
  private int[] nodeHeaders = new int[1024];
  private int[] nodeNext = new int[1024];
  private int nodes;
  private int free = NONE;

  CreditLedger(SharedState state) {
    bytes = state.creditBytes;
    headers = state.creditHeaders;
    first = state.creditFirst;
    last = state.creditLast;
  }

  /** Whether a channel has credit for a unit now; credits that have arrived by now are counted first. */
  boolean covers(int channel, int wantedBytes, int wantedHeaders, long now) {
    int node = first[channel];
    while (node != NONE && nodeTime[node] <= now) {
      bytes[channel] += nodeBytes[node];
      headers[channel] += nodeHeaders[node];
      int next = nodeNext[node];
      nodeNext[node] = free;
      free = node;
      node = next;
    }
    first[channel] = node;
    if (node == NONE) {
      last[channel] = NONE;
    }
    return bytes[channel] >= wantedBytes && headers[channel] >= wantedHeaders;
  }

  void take(int channel, int takenBytes, int takenHeaders) {
    bytes[channel] -= takenBytes;
    headers[channel] -= takenHeaders;
  }

  /** Notes credit that will have come back at a time. */
  void giveBack(int channel, int freedBytes, int freedHeaders, long time) {
    int node = allocate();
    nodeTime[node] = time;
    nodeBytes[node] = freedBytes;
    nodeHeaders[node] = freedHeaders;
    nodeNext[node] = NONE;
    int tail = last[channel];
    if (tail == NONE) {
      first[channel] = node;
      last[channel] = node;
    } else if (nodeTime[tail] <= time) {
      nodeNext[tail] = node;
      last[channel] = node;
    } else {
      insert(channel, node, time);
    }
  }

  /** When the next credit of a channel arrives; {@link Long#MAX_VALUE} when none is on its way. */
  long nextReturn(int channel) {
    return first[channel] == NONE ? Long.MAX_VALUE : nodeTime[first[channel]];
  }

  long availableBytes(int channel) {
    return bytes[channel];
  }

  long availableHeaders(int channel) {
    return headers[channel];
  }

  /** Bytes of credit on their way back. */
  long returningBytes(int channel) {
    long sum = 0;
    for (int node = first[channel]; node != NONE; node = nodeNext[node]) {
      sum += nodeBytes[node];
    }
    return sum;
  }

  /** Headers of credit on their way back. */
  long returningHeaders(int channel) {
    long sum = 0;
    for (int node = first[channel]; node != NONE; node = nodeNext[node]) {
      sum += nodeHeaders[node];
    }
    return sum;
  }

  private void insert(int channel, int node, long time) {
    int before = NONE;
    int at = first[channel];
    while (nodeTime[at] <= time) {
      before = at;
      at = nodeNext[at];
    }
    nodeNext[node] = at;
    if (before == NONE) {
      first[channel] = node;
    } else {
      nodeNext[before] = node;
    }
  }

  private int allocate() {
    int node = free;
    if (node != NONE) {
      free = nodeNext[node];
      return node;
    }
    if (nodes == nodeTime.length) {
      int grown = 2 * nodes;
      nodeTime = Arrays.copyOf(nodeTime, grown);
      nodeBytes = Arrays.copyOf(nodeBytes, grown);
      nodeHeaders = Arrays.copyOf(nodeHeaders, grown);
      nodeNext = Arrays.copyOf(nodeNext, grown);
    }
    return nodes++;
  }
}
