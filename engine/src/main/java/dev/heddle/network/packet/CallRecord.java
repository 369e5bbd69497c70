package dev.heddle.network.packet;

import dev.heddle.collective.MessageLabel;
import dev.heddle.collective.TransportModel;
import dev.heddle.engine.SteppedCollectives;
import dev.heddle.internal.collect.LongList;
import dev.heddle.internal.collect.LongLongMap;
import dev.heddle.internal.collect.MixedTimes;
import dev.heddle.network.MessageNumbers;
import dev.heddle.network.Meter;
import dev.heddle.units.RandomStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a collective call that was simulated on links without other traffic. All times count from the arrival
 * of the members. Messages are sorted by member and, of one member, in the order in which it submits them.
 */
final class CallRecord {
  /** The event of messages that a member submits as it arrives. */
  static final int ARRIVAL = -1;
  /** The value for a message whose label does not go by the group. */
  static final long NO_ROUTE = -1;
  private static final int PEERS = 1 << 20;
  private static final int LABEL_BITS = MessageLabel.BITS + 1;
  private static final int PAIRS = 1 << 16;
  private static final int PEER_SHIFT = 16;
  private static final int TAG_SHIFT = 36;
  private static final int NONE = -1;

  /** Per member its first message; the last entry is the number of messages. */
  final int[] first;
  final long[] submittedPs;
  final long[] deliveredPs;
  /** Kind and target of the event that submits a message, as {@link CallKeys#local}. */
  final int[] submitKey;
  final long[] mixedBytes;
  // Per message the place of its label and route among all that differ, as many messages share them.
  private final int[] labelAt;
  private final long[] labels;
  // The labels in a group.
  private final int[] bits;
  private int bitsOf = NONE;
  /** Per member the end of its part, and the event by which it ends. */
  final long[] endPs;
  final int[] endKey;
  /** Per member the most messages in its injection queue. */
  final int[] queued;
  /** Per member the bytes of the messages that members send to it. */
  final long[] receivedBytes;
  /** The time at which the last message has arrived. */
  final long donePs;
  /** The time of the last timer; -1 for none. */
  final long lastTimerPs;
  final long hops;
  final long events;
  final FootprintState.Outcome links;
  final Meter.Batch messages;
  // Time and size of each message as they enter the fingerprint.
  private final MixedTimes mixed;
  private int @Nullable [] spare;

  /** The end of a record's members, and its counters. */
  record Ends(long[] endPs, int[] endKey, long lastTimerPs, long hops, long events) {}

  CallRecord(IsolatedRun run, Ends ends, FootprintState.Outcome links, Meter.Batch messages) {
    this.links = links;
    this.messages = messages;
    endPs = ends.endPs;
    endKey = ends.endKey;
    lastTimerPs = ends.lastTimerPs;
    hops = ends.hops;
    events = ends.events;
    queued = run.mostQueued.clone();
    int count = run.count;
    first = new int[run.call.size() + 1];
    for (int i = 0; i < count; i++) {
      first[run.member[i] + 1]++;
    }
    for (int i = 1; i < first.length; i++) {
      first[i] += first[i - 1];
    }
    receivedBytes = run.receivedBytes();
    submittedPs = new long[count];
    deliveredPs = new long[count];
    submitKey = new int[count];
    mixedBytes = new long[count];
    labelAt = new int[count];
    LongLongMap places = new LongLongMap(NONE);
    LongList differing = new LongList();
    int[] next = first.clone();
    long done = 0;
    for (int i = 0; i < count; i++) {
      int at = next[run.member[i]]++;
      submittedPs[at] = run.submitted[i] - run.call.startPs;
      deliveredPs[at] = run.delivered[i] - run.call.startPs;
      submitKey[at] = run.submitKey[i] == ARRIVAL ? ARRIVAL : CallKeys.local(run.call, run.submitKey[i]);
      mixedBytes[at] = RandomStream.mix(run.bytes[i]);
      long label = packed(run.label[i], run.route[i]);
      if (places.get(label) == NONE) {
        places.put(label, differing.size());
        differing.add(label);
      }
      labelAt[at] = (int) places.get(label);
      done = Math.max(done, deliveredPs[at]);
    }
    mixed = new MixedTimes(deliveredPs, mixedBytes);
    labels = differing.toArray();
    bits = new int[labels.length];
    donePs = done;
  }

  /** Whether the part of a sender ends before a time from the begin. */
  boolean endsBefore(int position, long afterPs) {
    return endPs[position] < afterPs;
  }

  /** Whether a member submits a message between two times from the begin. */
  boolean submits(int position, long onePs, long otherPs) {
    long from = Math.min(onePs, otherPs);
    long to = Math.max(onePs, otherPs);
    for (int message = first[position]; message < first[position + 1]; message++) {
      if (submittedPs[message] > from && submittedPs[message] < to) {
        return true;
      }
    }
    return false;
  }

  /** Whether the part of a sender ends at a time from the begin. */
  boolean endsAt(int position, long afterPs) {
    return endPs[position] == afterPs;
  }

  /** Whether a sender submits a message at a time from the begin. */
  boolean submitsAt(int position, long afterPs) {
    return Arrays.binarySearch(submittedPs, first[position], first[position + 1], afterPs) >= 0;
  }

  /** The number of messages. */
  int count() {
    return submittedPs.length;
  }

  /** The identity of a message in a call of a group. */
  long id(int message, int group, int source, long sequence) {
    return MessageNumbers.of(source, bits(group)[labelAt[message]], sequence);
  }

  /**
   * The share in a run's fingerprint of messages of one source, numbered in turn, of a call that begins at a time.
   *
   * @param sequence the number of the first message
   */
  long fingerprint(int from, int to, int group, int source, long sequence, long startPs) {
    int[] known = bits(group);
    if (from < to && known.length == 1) {
      long last = sequence + to - from - 1;
      return mixed.sum(from, to, MessageNumbers.of(source, known[0], last) - (last - sequence), startPs);
    }
    long[] times = mixed.at(startPs);
    long sum = 0;
    for (int message = from; message < to; message++) {
      long id = MessageNumbers.of(source, known[labelAt[message]], sequence + message - from);
      sum += RandomStream.mix(id ^ times[message]);
    }
    return sum;
  }

  /** The share of one message. */
  long fingerprint(int message, long id, long startPs) {
    return RandomStream.mix(id ^ RandomStream.mix(startPs + deliveredPs[message] ^ mixedBytes[message]));
  }

  private int[] bits(int group) {
    if (bitsOf != group) {
      bitsOf = group;
      for (int i = 0; i < bits.length; i++) {
        bits[i] = bits(labels[i], group);
      }
    }
    return bits;
  }

  private static int bits(long packed, int group) {
    if (packed < 0) {
      return (int) (NO_ROUTE - packed);
    }
    long route = packed >>> LABEL_BITS;
    int label = (int) packed & (1 << LABEL_BITS) - 1;
    int tag = SteppedCollectives.firstTag(group) + tagOffset(route);
    int peer = (int) (route >>> PEER_SHIFT) & PEERS - 1;
    return label + SteppedCollectives.route(tag, peer, route & PAIRS - 1) - MessageLabel.route(label);
  }

  private static long packed(int label, long route) {
    return route == NO_ROUTE ? NO_ROUTE - label : route << LABEL_BITS | label;
  }

  /** Whether the labels of a protocol's connections go by the group. */
  static boolean spreads(TransportModel protocol) {
    return protocol.connections().paths() > 0 && protocol.connections().headers().spreads();
  }

  /** Packs what the label of a route goes by besides the group. */
  static long route(int tagOffset, int peer, long pair) {
    return (long) tagOffset << TAG_SHIFT | (long) peer << PEER_SHIFT | pair;
  }

  static int tagOffset(long route) {
    return (int) (route >>> TAG_SHIFT);
  }

  /** An array with an entry for each message. */
  int[] numbers() {
    int[] kept = spare;
    spare = null;
    return kept != null ? kept : new int[count()];
  }

  /** Takes the array back. */
  void giveBack(int[] numbers) {
    spare = numbers;
  }
}
