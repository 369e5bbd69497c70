package dev.heddle.network.packet;

import dev.heddle.internal.collect.LongList;
import dev.heddle.network.CompiledFabric;
import java.util.Arrays;

/**
 * The units of one partition: packets, or bursts of packets, in one {@code long} array, eight to a unit. Under a
 * transport protocol these are the words that a hop looks at, and an array of its own holds what only the ends of a
 * connection need.
 */
final class PacketTable {
  // Word 0: payload bytes (high 32) and next unit in a queue (low 32). Word 1: source terminal (24), destination
  // terminal (24), traffic class (3), packets that take header credits (13). Word 2: flags (8), next waypoint (24) and
  // output channel, -1 while it waits for more of its message (low 32). Flags: ends its message (1), its very last
  // packet was lost (1), how often in a row (6). Word 3: message number, unique in the run. Word 4: time of generation.
  // Word 5: channel whose buffer holds the unit, -1 for none (high 32), and bytes held there (low 32). Word 6: bytes of
  // the whole message (40) and tag + 1 (24). Word 7: time from which the unit's last byte may be forwarded. Under a
  // transport protocol words 3, 4 and 6 are those of its header that every hop looks at, and the message, the time and
  // the size that belong there come first among the words for the ends.

  static final int MAX_DEVICES = 1 << 24;
  static final int MAX_PACKETS = CompiledFabric.MOST_PACKETS;
  static final int NONE = -1;
  static final int STRIDE = 8;

  private static final long ENDS = 1L << 56;
  private static final long LOST_END = 1L << 57;
  private static final int LOSSES = 58;
  private static final long FLAGS = 0xFFL << 56;

  private long[] words = new long[STRIDE * 1024];

  // Per unit the words for the ends of a connection; empty without a transport protocol.
  private final int endWords;
  private long[] ends;

  // Units that were given back, a stack: the one to take next is known before its words are read.
  private int[] free = new int[1024];
  private int count;
  private int freed;

  /**
   * An empty table.
   *
   * @param endWords words of a unit for the ends of a connection; 0 without a transport protocol
   */
  PacketTable(int endWords) {
    this.endWords = endWords;
    ends = new long[endWords * 1024];
  }

  /** The words of a unit that crosses into another partition. */
  int recordWords() {
    return STRIDE + endWords;
  }

  /** A word of a transport protocol's header that every hop looks at: 3, 4 or 6. */
  long header(int unit, int word) {
    return words[STRIDE * unit + word];
  }

  void header(int unit, int word, long value) {
    words[STRIDE * unit + word] = value;
  }

  /** A word for the ends of a connection; the first three are the message's. */
  long end(int unit, int word) {
    return ends[endWords * unit + word];
  }

  void end(int unit, int word, long value) {
    ends[endWords * unit + word] = value;
  }

  /** Copies words for the ends of a connection from one unit to another. */
  void copyEnd(int from, int to, int word, int length) {
    System.arraycopy(ends, endWords * from + word, ends, endWords * to + word, length);
  }

  /** Lets two units change places: each is then known by the other's number, and keeps the other's place in a queue. */
  void swap(int one, int other) {
    for (int word = 0; word < STRIDE; word++) {
      long mask = word == 0 ? 0xFFFFFFFF00000000L : -1L;
      long difference = (words[STRIDE * one + word] ^ words[STRIDE * other + word]) & mask;
      words[STRIDE * one + word] ^= difference;
      words[STRIDE * other + word] ^= difference;
    }
    for (int word = 0; word < endWords; word++) {
      long kept = end(one, word);
      end(one, word, end(other, word));
      end(other, word, kept);
    }
  }

  /** Takes a unit from the pool. */
  int allocate() {
    if (freed > 0) {
      int unit = free[--freed];
      clearHeader(unit);
      return unit;
    }
    if (STRIDE * (count + 1) > words.length) {
      words = Arrays.copyOf(words, 2 * words.length);
      ends = Arrays.copyOf(ends, 2 * ends.length);
      free = Arrays.copyOf(free, 2 * free.length);
    }
    clearHeader(count);
    return count++;
  }

  // The first word of a header holds its kind: 0 for a unit of no transport protocol.
  private void clearHeader(int unit) {
    if (endWords > 0) {
      words[STRIDE * unit + TransportHeader.KIND] = 0;
    }
  }

  /** Gives a unit back. */
  void release(int unit) {
    words[STRIDE * unit] = Long.MIN_VALUE;
    free[freed++] = unit;
  }

  /** Reads what a hop looks at of all units in order, once a cache line. */
  long sweep() {
    return sweep(words, STRIDE * count);
  }

  /** Reads the words of a unit that a hop looks at, and those that its end does, once a cache line. */
  long sweep(int unit, boolean isAtEnd) {
    long sum = words[STRIDE * unit] + words[STRIDE * unit + STRIDE - 1];
    return isAtEnd && endWords > 0 ? sum + ends[endWords * unit + 3] + ends[endWords * unit + 7] : sum;
  }

  /** Reads words in order, once a cache line; returns their sum. */
  static long sweep(long[] words, int end) {
    long sum = 0;
    for (int at = 0; at < end; at += CacheSweep.LINE) {
      sum += words[at];
    }
    return sum;
  }

  int live() {
    return count - freed;
  }

  /** The number of units ever in use at once; units 0 to this - 1 may be scanned with {@link #isLive}. */
  int allocated() {
    return count;
  }

  boolean isLive(int unit) {
    return words[STRIDE * unit] >= 0;
  }

  /** Whether no unit is on a channel of a call's links or asks for one. */
  boolean avoids(int[] linkOf, CallShape shape) {
    for (int unit = 0; live() > 0 && unit < count; unit++) {
      if (isLive(unit)) {
        int channel = channel(unit);
        int held = heldChannel(unit);
        if (channel != NONE && shape.indexOfLink(linkOf[channel]) >= 0
            || held != NONE && shape.indexOfLink(linkOf[held]) >= 0) {
          return false;
        }
      }
    }
    return true;
  }

  void identity(int unit, int source, int destination, int trafficClass) {
    words[STRIDE * unit + 1] = (long) source << 40 | (long) destination << 16 | (long) trafficClass << 13;
  }

  void message(int unit, long message, long generated, long total, int tag) {
    if (endWords > 0) {
      int at = endWords * unit;
      ends[at] = message;
      ends[at + 1] = generated;
      ends[at + 2] = total << 24 | (tag + 1);
    } else {
      int at = STRIDE * unit;
      words[at + 3] = message;
      words[at + 4] = generated;
      words[at + 6] = total << 24 | (tag + 1);
    }
  }

  void payload(int unit, int payload) {
    words[STRIDE * unit] = (long) payload << 32 | 0xFFFFFFFFL;
  }

  int payload(int unit) {
    return (int) (words[STRIDE * unit] >>> 32);
  }

  int next(int unit) {
    return (int) words[STRIDE * unit];
  }

  void next(int unit, int next) {
    int at = STRIDE * unit;
    words[at] = (words[at] & 0xFFFFFFFF00000000L) | (next & 0xFFFFFFFFL);
  }

  int source(int unit) {
    return (int) (words[STRIDE * unit + 1] >>> 40);
  }

  int destination(int unit) {
    return (int) (words[STRIDE * unit + 1] >>> 16) & (MAX_DEVICES - 1);
  }

  int trafficClass(int unit) {
    return (int) (words[STRIDE * unit + 1] >>> 13) & 7;
  }

  int heldHeaders(int unit) {
    return (int) words[STRIDE * unit + 1] & MAX_PACKETS;
  }

  void route(int unit, int waypoint, int channel) {
    int at = STRIDE * unit + 2;
    words[at] = (words[at] & FLAGS) | (long) waypoint << 32 | (channel & 0xFFFFFFFFL);
  }

  /** Notes of a new unit, before its route, whether it is the last of its message. */
  void ends(int unit, boolean last) {
    words[STRIDE * unit + 2] = last ? ENDS : 0;
  }

  boolean ends(int unit) {
    return (words[STRIDE * unit + 2] & ENDS) != 0;
  }

  /**
   * Notes the loss of a unit on a link.
   *
   * @param times number of losses in a row, at most 63
   * @param end whether the last packet of its message is
   */
  void lost(int unit, int times, boolean end) {
    int at = STRIDE * unit + 2;
    words[at] = (words[at] & ~FLAGS | words[at] & ENDS) | (long) times << LOSSES | (end ? LOST_END : 0);
  }

  int losses(int unit) {
    return (int) (words[STRIDE * unit + 2] >>> LOSSES);
  }

  boolean lostEnd(int unit) {
    return (words[STRIDE * unit + 2] & LOST_END) != 0;
  }

  int waypoint(int unit) {
    return (int) (words[STRIDE * unit + 2] >>> 32) & (MAX_DEVICES - 1);
  }

  int channel(int unit) {
    return (int) words[STRIDE * unit + 2];
  }

  long message(int unit) {
    return endWords > 0 ? ends[endWords * unit] : words[STRIDE * unit + 3];
  }

  long generated(int unit) {
    return endWords > 0 ? ends[endWords * unit + 1] : words[STRIDE * unit + 4];
  }

  void hold(int unit, int channel, int bytes, int headers) {
    int at = STRIDE * unit;
    words[at + 5] = (long) channel << 32 | (bytes & 0xFFFFFFFFL);
    words[at + 1] = (words[at + 1] & ~(long) MAX_PACKETS) | headers;
  }

  int heldChannel(int unit) {
    return (int) (words[STRIDE * unit + 5] >> 32);
  }

  int heldBytes(int unit) {
    return (int) words[STRIDE * unit + 5];
  }

  long total(int unit) {
    return size(unit) >>> 24;
  }

  int tag(int unit) {
    return (int) (size(unit) & 0xFFFFFF) - 1;
  }

  private long size(int unit) {
    return endWords > 0 ? ends[endWords * unit + 2] : words[STRIDE * unit + 6];
  }

  long tailAt(int unit) {
    return words[STRIDE * unit + 7];
  }

  void tailAt(int unit, long time) {
    words[STRIDE * unit + 7] = time;
  }

  /** Copies a unit's words out, to cross into another partition. */
  void copyOut(int unit, long[] into, int offset) {
    System.arraycopy(words, STRIDE * unit, into, offset, STRIDE);
    System.arraycopy(ends, endWords * unit, into, offset + STRIDE, endWords);
  }

  /** Copies a unit's words in. */
  void copyIn(int unit, long[] from, int offset) {
    System.arraycopy(from, offset, words, STRIDE * unit, STRIDE);
    System.arraycopy(from, offset + STRIDE, ends, endWords * unit, endWords);
  }

  /** Adds what a unit is, and where, to a list. */
  void describe(int unit, RelativeClock clock, LongList into) {
    int at = STRIDE * unit;
    into.add(words[at] >>> 32);
    into.add(words[at + 1]);
    into.add(words[at + 2]);
    into.add(words[at + 3] - clock.numbers());
    into.add(words[at + 4] - clock.generations());
    into.add(words[at + 5]);
    into.add(words[at + 6]);
    into.add(Math.max(0, words[at + 7] - clock.now()));
  }

  /** Moves a unit to a later time. */
  void delay(int unit, RelativeClock.Jump by) {
    words[STRIDE * unit + 3] += by.numbers();
    words[STRIDE * unit + 4] += by.generations();
    words[STRIDE * unit + 7] += by.ps();
  }

  /** Makes another unit of the same message and place, which goes ahead of it. */
  int copy(int unit) {
    int copy = allocate();
    System.arraycopy(words, STRIDE * unit, words, STRIDE * copy, STRIDE);
    if (endWords > 0) {
      copyEnd(unit, copy, 0, endWords);
    }
    words[STRIDE * copy + 2] &= ~ENDS;
    return copy;
  }
}
