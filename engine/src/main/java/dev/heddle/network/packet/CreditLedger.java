package dev.heddle.network.packet;

import dev.heddle.internal.collect.LongList;
import java.util.Arrays;

/**
 * The senders' view of the receivers' buffers: credits per channel, and those on their way back, which count from the
 * time at which they arrive. One ledger serves the channels of one partition.
 */
final class CreditLedger {
  private static final int NONE = -1;

  private final VirtualChannels channels;

  // A returning credit is four words: time, bytes (high 32) and headers (low 32), next, unused.
  private static final int STRIDE = 4;
  private long[] words = new long[STRIDE * 1024];
  private int nodes;
  // Nodes that were given back, a stack.
  private int[] free = new int[1024];
  private int freed;

  CreditLedger(VirtualChannels channels) {
    this.channels = channels;
  }

  /** Whether a channel has credit for a unit now; credits that have arrived by now are counted first. */
  boolean covers(int channel, int wantedBytes, int wantedHeaders, long now) {
    int node = channels.firstReturning(channel);
    if (node != NONE && words[STRIDE * node] <= now) {
      collect(channel, node, now);
    }
    return channels.creditBytes(channel) >= wantedBytes && channels.creditHeaders(channel) >= wantedHeaders;
  }

  private void collect(int channel, int firstNode, long now) {
    int node = firstNode;
    int bytes = channels.creditBytes(channel);
    int headers = channels.creditHeaders(channel);
    while (node != NONE && words[STRIDE * node] <= now) {
      long amount = words[STRIDE * node + 1];
      bytes += (int) (amount >>> 32);
      headers += (int) amount;
      int next = (int) words[STRIDE * node + 2];
      free[freed++] = node;
      node = next;
    }
    channels.credit(channel, bytes, headers);
    channels.returning(channel, node, node == NONE ? NONE : channels.lastReturning(channel));
  }

  /** Reads all credits on their way back in order, once a cache line. */
  long sweep() {
    return PacketTable.sweep(words, STRIDE * nodes);
  }

  void take(int channel, int takenBytes, int takenHeaders) {
    channels.credit(
        channel, channels.creditBytes(channel) - takenBytes, channels.creditHeaders(channel) - takenHeaders);
  }

  /** Notes credit that will have come back at a time. */
  void returnCredit(int channel, int freedBytes, int freedHeaders, long time) {
    int node = allocate();
    words[STRIDE * node] = time;
    words[STRIDE * node + 1] = (long) freedBytes << 32 | freedHeaders;
    words[STRIDE * node + 2] = NONE;
    int tail = channels.lastReturning(channel);
    if (tail == NONE) {
      channels.returning(channel, node, node);
    } else if (words[STRIDE * tail] <= time) {
      words[STRIDE * tail + 2] = node;
      channels.returning(channel, channels.firstReturning(channel), node);
    } else {
      insert(channel, node, time);
    }
  }

  /** When the next credit of a channel arrives; {@link Long#MAX_VALUE} when none is on its way. */
  long nextReturn(int channel) {
    int node = channels.firstReturning(channel);
    return node == NONE ? Long.MAX_VALUE : words[STRIDE * node];
  }

  /** Adds a channel's credits on their way back to a list: time since a start, bytes, headers of each. */
  void copyReturning(int channel, long startPs, LongList into) {
    for (int node = channels.firstReturning(channel); node != NONE; node = (int) words[STRIDE * node + 2]) {
      long amount = words[STRIDE * node + 1];
      into.add(words[STRIDE * node] - startPs);
      into.add(amount >>> 32);
      into.add((int) amount);
    }
  }

  /** Puts off a channel's credits on their way back. */
  void delay(int channel, long byPs) {
    for (int node = channels.firstReturning(channel); node != NONE; node = (int) words[STRIDE * node + 2]) {
      words[STRIDE * node] += byPs;
    }
  }

  /** Drops a channel's credits on their way back. */
  void forget(int channel) {
    int node = channels.firstReturning(channel);
    while (node != NONE) {
      int next = (int) words[STRIDE * node + 2];
      free[freed++] = node;
      node = next;
    }
    channels.returning(channel, NONE, NONE);
  }

  /** Bytes of credit on their way back. */
  long returningBytes(int channel) {
    long sum = 0;
    for (int node = channels.firstReturning(channel); node != NONE; node = (int) words[STRIDE * node + 2]) {
      sum += words[STRIDE * node + 1] >>> 32;
    }
    return sum;
  }

  /** Headers of credit on their way back. */
  long returningHeaders(int channel) {
    long sum = 0;
    for (int node = channels.firstReturning(channel); node != NONE; node = (int) words[STRIDE * node + 2]) {
      sum += (int) words[STRIDE * node + 1];
    }
    return sum;
  }

  private void insert(int channel, int node, long time) {
    int before = NONE;
    int at = channels.firstReturning(channel);
    while (words[STRIDE * at] <= time) {
      before = at;
      at = (int) words[STRIDE * at + 2];
    }
    words[STRIDE * node + 2] = at;
    if (before == NONE) {
      channels.returning(channel, node, channels.lastReturning(channel));
    } else {
      words[STRIDE * before + 2] = node;
    }
  }

  private int allocate() {
    if (freed > 0) {
      return free[--freed];
    }
    if (STRIDE * nodes == words.length) {
      words = Arrays.copyOf(words, 2 * words.length);
      free = Arrays.copyOf(free, 2 * free.length);
    }
    return nodes++;
  }
}
