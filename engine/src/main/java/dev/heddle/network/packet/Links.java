package dev.heddle.network.packet;

import dev.heddle.internal.collect.LongList;
import dev.heddle.network.LinkCounters;
import dev.heddle.spi.Link;

/**
 * Directed links: fixed words, which both ends read, and words that change, which belong to the partition of the link's
 * source alone. The two are apart, and links of one source are together, so that other partitions do not look at the
 * cache lines that one writes.
 */
final class Links implements LinkCounters {
  /** The words of a link that change. */
  static final int STRIDE = 12;
  /** The counters of a link that a replayed call adds to. */
  static final int COUNTERS = 5;
  /** The place of the number of units among the counters. */
  static final int UNIT_COUNTER = 3;
  private static final int FREE_AT = 0;
  private static final int FLAGS = 1;
  private static final int CREDIT_WAKE_AT = 2;
  private static final int STALLED_SINCE = 3;
  private static final int QUEUED_BYTES = 4;
  private static final int MAX_QUEUED_BYTES = 5;
  private static final int BUSY = 6;
  private static final int STALL = 7;
  private static final int PAYLOAD_BYTES = 8;
  private static final int UNITS = 9;
  private static final int ACK_DEBT = 10;
  private static final int ACK_AT = 11;

  // Fixed: ends and traits in one word, source (high 24), target (24), traits (16).
  private static final int FIXED = 4;
  private static final int ENDS = 0;
  private static final int MODEL = 1;
  private static final int LATENCY = 2;
  private static final int FORWARD = 3;
  private static final int DEVICE = (1 << 24) - 1;
  private static final long ACKNOWLEDGES = 1;
  private static final long BETWEEN_NODES = 2;
  private static final long LOSES = 4;
  private static final long HALF_DUPLEX = 8;
  private static final long BY_ARRIVAL = 16;
  private static final long MANAGED = 32;
  private static final long DOWN = 64;
  private static final long DEFERS = 128;
  private static final long CROSSES = 256;
  private static final long SWEPT = 512;

  // Flags: three bits, from bit 8 on the virtual channel that transmitted last, from bit 24 on a bit for each virtual
  // channel that is paused.
  private static final long FREE_SCHEDULED = 1;
  private static final long MARKED = 2;
  private static final long WENT_LAST = 4;
  private static final int LAST_VIRTUAL = 8;
  private static final int PAUSED = 24;

  private final long[] fixed;
  private final long[] words;
  private final int[] place;

  Links(NetworkPlan plan) {
    place = plan.place;
    fixed = new long[Math.multiplyExact(FIXED, plan.links)];
    words = new long[Math.multiplyExact(STRIDE, plan.links)];
    for (int link = 0; link < plan.links; link++) {
      int at = FIXED * link;
      fixed[at + ENDS] = (long) plan.linkSource[link] << 40 | (long) plan.linkTarget[link] << 16 | traits(plan, link);
      fixed[at + MODEL] = (long) plan.firstChannel[link] << 32 | (long) plan.spec[link] << 8
          | plan.channelsPerClass[link] << 4 | plan.channelCount[link];
      fixed[at + LATENCY] = plan.latencyPs[link];
      fixed[at + FORWARD] = plan.latencyPs[link] + plan.forwardPs[plan.linkTarget[link]];
      words[at(link) + CREDIT_WAKE_AT] = Long.MAX_VALUE;
      words[at(link) + STALLED_SINCE] = NetworkState.NONE;
    }
  }

  private static long traits(NetworkPlan plan, int link) {
    Link model = plan.specs[plan.spec[link]];
    return (acknowledges(model) ? ACKNOWLEDGES : 0)
        | (plan.oneTier || plan.fabric.linkTier(link) > 0 ? BETWEEN_NODES : 0)
        | (model.loss() > 0 ? LOSES : 0)
        | (model.halfDuplex() ? HALF_DUPLEX : 0)
        | (plan.fabric.queuesByArrival(link) ? BY_ARRIVAL : 0)
        | (plan.managed[link] ? MANAGED : 0);
  }

  private int at(int link) {
    return STRIDE * place[link];
  }

  private boolean has(int link, long trait) {
    return (fixed[FIXED * link + ENDS] & trait) != 0;
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
    return has(link, ACKNOWLEDGES);
  }

  /** Whether a link belongs to an outer tier, or to the only one. */
  boolean betweenNodes(int link) {
    return has(link, BETWEEN_NODES);
  }

  /** Whether units may be lost on the way. */
  boolean loses(int link) {
    return has(link, LOSES);
  }

  /** Whether a link shares its wire with the opposite one. */
  boolean isHalfDuplex(int link) {
    return has(link, HALF_DUPLEX);
  }

  /** Whether of the two directions that share a wire this one was the last to carry data. */
  boolean wentLast(int link) {
    return (words[at(link) + FLAGS] & WENT_LAST) != 0;
  }

  void wentLast(int link, boolean value) {
    flag(link, WENT_LAST, value);
  }

  /** Whether the virtual channels go by the link by which units come to the source. */
  boolean queuesByArrival(int link) {
    return has(link, BY_ARRIVAL);
  }

  /** Whether a transport protocol runs over a link, and its source manages the queue. */
  boolean isManaged(int link) {
    return has(link, MANAGED);
  }

  /** Whether packets leave without an event for each ({@link DeferredPorts}). */
  boolean defers(int link) {
    return has(link, DEFERS);
  }

  /** Whether a link that defers departures ends in another partition. */
  boolean crosses(int link) {
    return has(link, CROSSES);
  }

  /** Whether the departures of a link that defers them are carried out in sweeps of all such links. */
  boolean isSwept(int link) {
    return has(link, SWEPT);
  }

  void defer(int link, boolean crosses, boolean swept) {
    fixed[FIXED * link + ENDS] |= DEFERS | (crosses ? CROSSES : 0) | (swept ? SWEPT : 0);
  }

  /** The virtual channels of a link that priority flow control pauses, a bit each. */
  int paused(int link) {
    return (int) (words[at(link) + FLAGS] >>> PAUSED) & 0xFFFF;
  }

  void paused(int link, int virtual, boolean value) {
    flag(link, 1L << PAUSED + virtual, value);
  }

  int source(int link) {
    return (int) (fixed[FIXED * link + ENDS] >>> 40);
  }

  int target(int link) {
    return (int) (fixed[FIXED * link + ENDS] >>> 16) & DEVICE;
  }

  int firstChannel(int link) {
    return (int) (fixed[FIXED * link + MODEL] >>> 32);
  }

  int spec(int link) {
    return (int) fixed[FIXED * link + MODEL] >>> 8;
  }

  /** A link takes on another model, and may go down or come back. */
  void change(int link, int spec, boolean loses, boolean down) {
    int at = FIXED * link;
    fixed[at + MODEL] = fixed[at + MODEL] & ~0xFFFFFF00L | (long) spec << 8;
    fixed[at + ENDS] = fixed[at + ENDS] & ~(LOSES | DOWN) | (loses ? LOSES : 0) | (down ? DOWN : 0);
  }

  /** Whether all that a link carries is lost. */
  boolean isDown(int link) {
    return has(link, DOWN);
  }

  int channelCount(int link) {
    return (int) fixed[FIXED * link + MODEL] & 0xF;
  }

  /** The channels that carry data: all but the one for control packets of a transport protocol. */
  int dataChannels(int link) {
    return channelCount(link) - (isManaged(link) ? 1 : 0);
  }

  /** The virtual channels that the routes of one traffic class take. */
  int channelsPerClass(int link) {
    return (int) fixed[FIXED * link + MODEL] >>> 4 & 0xF;
  }

  long latencyPs(int link) {
    return fixed[FIXED * link + LATENCY];
  }

  /** Latency of the link and of the device that forwards at its end. */
  long forwardPs(int link) {
    return fixed[FIXED * link + FORWARD];
  }

  long freeAt(int link) {
    return words[at(link) + FREE_AT];
  }

  void freeAt(int link, long time) {
    words[at(link) + FREE_AT] = time;
  }

  boolean isFreeScheduled(int link) {
    return (words[at(link) + FLAGS] & FREE_SCHEDULED) != 0;
  }

  void freeScheduled(int link, boolean value) {
    flag(link, FREE_SCHEDULED, value);
  }

  boolean isMarked(int link) {
    return (words[at(link) + FLAGS] & MARKED) != 0;
  }

  void marked(int link, boolean value) {
    flag(link, MARKED, value);
  }

  private void flag(int link, long bit, boolean value) {
    int at = at(link) + FLAGS;
    words[at] = value ? words[at] | bit : words[at] & ~bit;
  }

  int lastVirtual(int link) {
    return (int) (words[at(link) + FLAGS] >>> LAST_VIRTUAL) & 0xFF;
  }

  void lastVirtual(int link, int virtual) {
    int at = at(link) + FLAGS;
    words[at] = (words[at] & ~(0xFFL << LAST_VIRTUAL)) | (long) virtual << LAST_VIRTUAL;
  }

  long creditWakeAt(int link) {
    return words[at(link) + CREDIT_WAKE_AT];
  }

  void creditWakeAt(int link, long time) {
    words[at(link) + CREDIT_WAKE_AT] = time;
  }

  /** Since when the link has been idle with a unit waiting for credit; {@link NetworkState#NONE} when it is not. */
  long stalledSince(int link) {
    return words[at(link) + STALLED_SINCE];
  }

  void stalledSince(int link, long time) {
    words[at(link) + STALLED_SINCE] = time;
  }

  long queuedBytes(int link) {
    return words[at(link) + QUEUED_BYTES];
  }

  void queue(int link, long bytes) {
    int at = at(link);
    long queued = words[at + QUEUED_BYTES] + bytes;
    words[at + QUEUED_BYTES] = queued;
    if (queued > words[at + MAX_QUEUED_BYTES]) {
      words[at + MAX_QUEUED_BYTES] = queued;
    }
  }

  void unqueue(int link, long bytes) {
    words[at(link) + QUEUED_BYTES] -= bytes;
  }

  @Override
  public long maxQueuedBytes(int link) {
    return words[at(link) + MAX_QUEUED_BYTES];
  }

  void countBusy(int link, long busyPs) {
    words[at(link) + BUSY] += busyPs;
  }

  void countUnit(int link, long payload) {
    words[at(link) + PAYLOAD_BYTES] += payload;
    words[at(link) + UNITS]++;
  }

  void countStall(int link, long stallPs) {
    words[at(link) + STALL] += stallPs;
  }

  @Override
  public long lastPs(int link) {
    return freeAt(link);
  }

  @Override
  public long busyPs(int link) {
    return words[at(link) + BUSY];
  }

  @Override
  public long stallPs(int link) {
    return words[at(link) + STALL];
  }

  @Override
  public long payloadBytes(int link) {
    return words[at(link) + PAYLOAD_BYTES];
  }

  @Override
  public long units(int link) {
    return words[at(link) + UNITS];
  }

  long ackDebtPs(int link) {
    return words[at(link) + ACK_DEBT];
  }

  long ackAt(int link) {
    return words[at(link) + ACK_AT];
  }

  void addAckDebt(int link, long debtPs, long now) {
    words[at(link) + ACK_DEBT] = debtPs;
    words[at(link) + ACK_AT] = now;
  }

  void settleDebt(int link) {
    words[at(link) + ACK_DEBT] = 0;
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
    int at = at(link);
    into.add(words[at + FLAGS]);
    into.add(Math.max(0, words[at + FREE_AT] - now));
    long wake = words[at + CREDIT_WAKE_AT];
    into.add(wake == Long.MAX_VALUE ? wake : wake - now);
    long stalled = words[at + STALLED_SINCE];
    into.add(stalled == NetworkState.NONE ? Long.MAX_VALUE : stalled - now);
  }

  /** Adds the counters of a link, and the bytes that wait for it, to a list. */
  void count(int link, LongList into) {
    int at = at(link);
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
    int at = at(link);
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
    return fixed[FIXED * link] + words[at(link)] + words[at(link) + CacheSweep.LINE];
  }

  /** Copies the words of a link out. */
  void copyOut(int link, long[] into, int at) {
    System.arraycopy(words, at(link), into, at, STRIDE);
  }

  /** Copies the words of a link in. */
  void copyIn(int link, long[] from, int at) {
    System.arraycopy(from, at, words, at(link), STRIDE);
  }

  /** The time until which a link is busy, of words that were copied out. */
  static long freeAt(long[] copy, int at) {
    return copy[at + FREE_AT];
  }

  void clearMaxQueued(int link) {
    words[at(link) + MAX_QUEUED_BYTES] = 0;
  }

  /** The counters of a link less those of words that were copied out; the most bytes that waited as they are. */
  void countersSince(int link, long[] copy, int at, long[] into, int place) {
    int now = at(link);
    into[place] = words[now + BUSY] - copy[at + BUSY];
    into[place + 1] = words[now + STALL] - copy[at + STALL];
    into[place + 2] = words[now + PAYLOAD_BYTES] - copy[at + PAYLOAD_BYTES];
    into[place + 3] = words[now + UNITS] - copy[at + UNITS];
    into[place + 4] = words[now + MAX_QUEUED_BYTES];
  }

  /** Adds to the counters of a link. */
  void addCounters(int link, long[] more, int place) {
    int at = at(link);
    words[at + BUSY] += more[place];
    words[at + STALL] += more[place + 1];
    words[at + PAYLOAD_BYTES] += more[place + 2];
    words[at + UNITS] += more[place + 3];
    words[at + MAX_QUEUED_BYTES] = Math.max(words[at + MAX_QUEUED_BYTES], more[place + 4]);
  }
}
