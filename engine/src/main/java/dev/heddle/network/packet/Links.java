package dev.heddle.network.packet;

import dev.heddle.internal.collect.LongList;
import dev.heddle.network.LinkCounters;
import dev.heddle.spi.Link;

/**
 * State of directed links, sixteen {@code long}s to a link: the first eight, one cache line, serve every transmission;
 * the others are counters and rarely used values. Everything belongs to the partition of the link's source, which alone
 * writes it.
 */
final class Links implements LinkCounters {
  /** The words of a link. */
  static final int STRIDE = 16;
  /** The counters of a link that a replayed call adds to. */
  static final int COUNTERS = 5;
  /** The place of the number of units among the counters. */
  static final int UNIT_COUNTER = 3;
  private static final int FREE_AT = 0;
  private static final int ENDS = 1;
  private static final int MODEL = 2;
  private static final int LATENCY = 3;
  private static final int FLAGS = 4;
  private static final int CREDIT_WAKE_AT = 5;
  private static final int STALLED_SINCE = 6;
  private static final int QUEUED_BYTES = 7;
  private static final int MAX_QUEUED_BYTES = 8;
  private static final int BUSY = 9;
  private static final int STALL = 10;
  private static final int PAYLOAD_BYTES = 11;
  private static final int UNITS = 12;
  private static final int ACK_DEBT = 13;
  private static final int ACK_AT = 14;
  private static final int FORWARD = 15;

  // Flags: eight bits, the virtual channel that transmitted last in the next eight, then two more flags; from
  // bit 24 on a bit for each virtual channel that is paused.
  private static final long FREE_SCHEDULED = 1;
  private static final long MARKED = 2;
  private static final long ACKNOWLEDGES = 4;
  private static final long BETWEEN_NODES = 8;
  private static final long LOSES = 16;
  private static final long HALF_DUPLEX = 32;
  private static final long WENT_LAST = 64;
  private static final long BY_ARRIVAL = 128;
  private static final int LAST_VIRTUAL = 8;
  private static final long MANAGED = 1L << 16;
  private static final long DOWN = 1L << 18;
  private static final int PAUSED = 24;

  private final long[] words;

  Links(NetworkPlan plan) {
    words = new long[Math.multiplyExact(STRIDE, plan.links)];
    for (int link = 0; link < plan.links; link++) {
      int at = STRIDE * link;
      words[at + ENDS] = (long) plan.linkSource[link] << 32 | plan.linkTarget[link];
      words[at + MODEL] = (long) plan.firstChannel[link] << 32 | (long) plan.spec[link] << 8
          | plan.channelsPerClass[link] << 4 | plan.channelCount[link];
      words[at + LATENCY] = plan.latencyPs[link];
      words[at + FORWARD] = plan.latencyPs[link] + plan.forwardPs[plan.linkTarget[link]];
      words[at + FLAGS] = (acknowledges(plan.specs[plan.spec[link]]) ? ACKNOWLEDGES : 0)
          | (plan.oneTier || plan.fabric.linkTier(link) > 0 ? BETWEEN_NODES : 0)
          | (plan.specs[plan.spec[link]].loss() > 0 ? LOSES : 0)
          | (plan.specs[plan.spec[link]].halfDuplex() ? HALF_DUPLEX : 0)
          | (plan.fabric.queuesByArrival(link) ? BY_ARRIVAL : 0)
          | (plan.managed[link] ? MANAGED : 0);
      words[at + CREDIT_WAKE_AT] = Long.MAX_VALUE;
      words[at + STALLED_SINCE] = NetworkState.NONE;
    }
  }

  private static boolean acknowledges(Link model) {
    if (model.halfDuplex()) {
      return false;
    }
    for (int trafficClass = 0; trafficClass < 8; trafficClass++) {
      if (model.ackPs(model.maxPayloadBytes(), trafficClass) > 0) {
        return true;
      }
    }
    return false;
  }

  /** Whether units of this link make acknowledgements that occupy the opposite direction. */
  boolean acknowledges(int link) {
    return (words[STRIDE * link + FLAGS] & ACKNOWLEDGES) != 0;
  }

  /** Whether a link belongs to an outer tier, or to the only one. */
  boolean betweenNodes(int link) {
    return (words[STRIDE * link + FLAGS] & BETWEEN_NODES) != 0;
  }

  /** Whether units may be lost on the way. */
  boolean loses(int link) {
    return (words[STRIDE * link + FLAGS] & LOSES) != 0;
  }

  /** Whether a link shares its wire with the opposite one. */
  boolean isHalfDuplex(int link) {
    return (words[STRIDE * link + FLAGS] & HALF_DUPLEX) != 0;
  }

  /** Whether of the two directions that share a wire this one was the last to carry data. */
  boolean wentLast(int link) {
    return (words[STRIDE * link + FLAGS] & WENT_LAST) != 0;
  }

  void wentLast(int link, boolean value) {
    flag(link, WENT_LAST, value);
  }

  /** Whether the virtual channels go by the link by which units come to the source. */
  boolean queuesByArrival(int link) {
    return (words[STRIDE * link + FLAGS] & BY_ARRIVAL) != 0;
  }

  /** Whether a transport protocol runs over a link, and its source manages the queue. */
  boolean isManaged(int link) {
    return (words[STRIDE * link + FLAGS] & MANAGED) != 0;
  }

  /** The virtual channels of a link that priority flow control pauses, a bit each. */
  int paused(int link) {
    return (int) (words[STRIDE * link + FLAGS] >>> PAUSED) & 0xFFFF;
  }

  void paused(int link, int virtual, boolean value) {
    flag(link, 1L << PAUSED + virtual, value);
  }

  int source(int link) {
    return (int) (words[STRIDE * link + ENDS] >>> 32);
  }

  int target(int link) {
    return (int) words[STRIDE * link + ENDS];
  }

  int firstChannel(int link) {
    return (int) (words[STRIDE * link + MODEL] >>> 32);
  }

  int spec(int link) {
    return (int) words[STRIDE * link + MODEL] >>> 8;
  }

  /** A link takes on another model, and may go down or come back. */
  void change(int link, int spec, boolean loses, boolean down) {
    int at = STRIDE * link + MODEL;
    words[at] = words[at] & ~0xFFFFFF00L | (long) spec << 8;
    flag(link, LOSES, loses);
    flag(link, DOWN, down);
  }

  /** Whether all that a link carries is lost. */
  boolean isDown(int link) {
    return (words[STRIDE * link + FLAGS] & DOWN) != 0;
  }

  int channelCount(int link) {
    return (int) words[STRIDE * link + MODEL] & 0xF;
  }

  /** The channels that carry data: all but the one for control packets of a transport protocol. */
  int dataChannels(int link) {
    return channelCount(link) - (isManaged(link) ? 1 : 0);
  }

  /** The virtual channels that the routes of one traffic class take. */
  int channelsPerClass(int link) {
    return (int) words[STRIDE * link + MODEL] >>> 4 & 0xF;
  }

  long latencyPs(int link) {
    return words[STRIDE * link + LATENCY];
  }

  /** Latency of the link and of the device that forwards at its end. */
  long forwardPs(int link) {
    return words[STRIDE * link + FORWARD];
  }

  long freeAt(int link) {
    return words[STRIDE * link + FREE_AT];
  }

  void freeAt(int link, long time) {
    words[STRIDE * link + FREE_AT] = time;
  }

  boolean isFreeScheduled(int link) {
    return (words[STRIDE * link + FLAGS] & FREE_SCHEDULED) != 0;
  }

  void freeScheduled(int link, boolean value) {
    flag(link, FREE_SCHEDULED, value);
  }

  boolean isMarked(int link) {
    return (words[STRIDE * link + FLAGS] & MARKED) != 0;
  }

  void marked(int link, boolean value) {
    flag(link, MARKED, value);
  }

  private void flag(int link, long bit, boolean value) {
    int at = STRIDE * link + FLAGS;
    words[at] = value ? words[at] | bit : words[at] & ~bit;
  }

  int lastVirtual(int link) {
    return (int) (words[STRIDE * link + FLAGS] >>> LAST_VIRTUAL) & 0xFF;
  }

  void lastVirtual(int link, int virtual) {
    int at = STRIDE * link + FLAGS;
    words[at] = (words[at] & ~(0xFFL << LAST_VIRTUAL)) | (long) virtual << LAST_VIRTUAL;
  }

  long creditWakeAt(int link) {
    return words[STRIDE * link + CREDIT_WAKE_AT];
  }

  void creditWakeAt(int link, long time) {
    words[STRIDE * link + CREDIT_WAKE_AT] = time;
  }

  /** Since when the link has been idle with a unit waiting for credit; {@link NetworkState#NONE} when it is not. */
  long stalledSince(int link) {
    return words[STRIDE * link + STALLED_SINCE];
  }

  void stalledSince(int link, long time) {
    words[STRIDE * link + STALLED_SINCE] = time;
  }

  long queuedBytes(int link) {
    return words[STRIDE * link + QUEUED_BYTES];
  }

  void queue(int link, long bytes) {
    int at = STRIDE * link;
    long queued = words[at + QUEUED_BYTES] + bytes;
    words[at + QUEUED_BYTES] = queued;
    if (queued > words[at + MAX_QUEUED_BYTES]) {
      words[at + MAX_QUEUED_BYTES] = queued;
    }
  }

  void unqueue(int link, long bytes) {
    words[STRIDE * link + QUEUED_BYTES] -= bytes;
  }

  @Override
  public long maxQueuedBytes(int link) {
    return words[STRIDE * link + MAX_QUEUED_BYTES];
  }

  void countBusy(int link, long busyPs) {
    words[STRIDE * link + BUSY] += busyPs;
  }

  void countUnit(int link, long payload) {
    words[STRIDE * link + PAYLOAD_BYTES] += payload;
    words[STRIDE * link + UNITS]++;
  }

  void countStall(int link, long stallPs) {
    words[STRIDE * link + STALL] += stallPs;
  }

  @Override
  public long lastPs(int link) {
    return freeAt(link);
  }

  @Override
  public long busyPs(int link) {
    return words[STRIDE * link + BUSY];
  }

  @Override
  public long stallPs(int link) {
    return words[STRIDE * link + STALL];
  }

  @Override
  public long payloadBytes(int link) {
    return words[STRIDE * link + PAYLOAD_BYTES];
  }

  @Override
  public long units(int link) {
    return words[STRIDE * link + UNITS];
  }

  long ackDebtPs(int link) {
    return words[STRIDE * link + ACK_DEBT];
  }

  long ackAt(int link) {
    return words[STRIDE * link + ACK_AT];
  }

  void addAckDebt(int link, long debtPs, long now) {
    words[STRIDE * link + ACK_DEBT] = debtPs;
    words[STRIDE * link + ACK_AT] = now;
  }

  void settleDebt(int link) {
    words[STRIDE * link + ACK_DEBT] = 0;
  }

  /** The virtual channel that went last, and whether this direction of a shared wire did. */
  int turn(int link) {
    return lastVirtual(link) << 1 | (wentLast(link) ? 1 : 0);
  }

  void turn(int link, int turn) {
    lastVirtual(link, turn >> 1);
    wentLast(link, (turn & 1) != 0);
  }

  /** Adds what of a link's state is neither counter nor idle time to a list; times count from now. */
  void describe(int link, long now, LongList into) {
    int at = STRIDE * link;
    into.add(words[at + FLAGS]);
    into.add(Math.max(0, words[at + FREE_AT] - now));
    long wake = words[at + CREDIT_WAKE_AT];
    into.add(wake == Long.MAX_VALUE ? wake : wake - now);
    long stalled = words[at + STALLED_SINCE];
    into.add(stalled == NetworkState.NONE ? Long.MAX_VALUE : stalled - now);
  }

  /** Adds the counters of a link, and the bytes that wait for it, to a list. */
  void count(int link, LongList into) {
    int at = STRIDE * link;
    into.add(words[at + BUSY]);
    into.add(words[at + STALL]);
    into.add(words[at + PAYLOAD_BYTES]);
    into.add(words[at + UNITS]);
    into.add(words[at + QUEUED_BYTES]);
  }

  /**
   * Moves the state of a link to a later time.
   *
   * @param more added to the counters and to the bytes that wait, in the order of {@link #count}
   */
  void delay(int link, long byPs, long[] more, int place) {
    int at = STRIDE * link;
    words[at + FREE_AT] += byPs;
    words[at + ACK_AT] += byPs;
    if (words[at + CREDIT_WAKE_AT] != Long.MAX_VALUE) {
      words[at + CREDIT_WAKE_AT] += byPs;
    }
    if (words[at + STALLED_SINCE] != NetworkState.NONE) {
      words[at + STALLED_SINCE] += byPs;
    }
    words[at + BUSY] += more[place];
    words[at + STALL] += more[place + 1];
    words[at + PAYLOAD_BYTES] += more[place + 2];
    words[at + UNITS] += more[place + 3];
    words[at + QUEUED_BYTES] += more[place + 4];
  }

  /** Reads the words of a link, once a cache line. */
  long sweep(int link) {
    return words[STRIDE * link] + words[STRIDE * link + CacheSweep.LINE];
  }

  /** Copies the words of a link out. */
  void copyOut(int link, long[] into, int at) {
    System.arraycopy(words, STRIDE * link, into, at, STRIDE);
  }

  /** Copies the words of a link in. */
  void copyIn(int link, long[] from, int at) {
    System.arraycopy(from, at, words, STRIDE * link, STRIDE);
  }

  /** The time until which a link is busy, of words that were copied out. */
  static long freeAt(long[] copy, int at) {
    return copy[at + FREE_AT];
  }

  void clearMaxQueued(int link) {
    words[STRIDE * link + MAX_QUEUED_BYTES] = 0;
  }

  /** The counters of a link less those of words that were copied out; the most bytes that waited as they are. */
  void countersSince(int link, long[] copy, int at, long[] into, int place) {
    int now = STRIDE * link;
    into[place] = words[now + BUSY] - copy[at + BUSY];
    into[place + 1] = words[now + STALL] - copy[at + STALL];
    into[place + 2] = words[now + PAYLOAD_BYTES] - copy[at + PAYLOAD_BYTES];
    into[place + 3] = words[now + UNITS] - copy[at + UNITS];
    into[place + 4] = words[now + MAX_QUEUED_BYTES];
  }

  /** Adds to the counters of a link. */
  void addCounters(int link, long[] more, int place) {
    int at = STRIDE * link;
    words[at + BUSY] += more[place];
    words[at + STALL] += more[place + 1];
    words[at + PAYLOAD_BYTES] += more[place + 2];
    words[at + UNITS] += more[place + 3];
    words[at + MAX_QUEUED_BYTES] = Math.max(words[at + MAX_QUEUED_BYTES], more[place + 4]);
  }
}
