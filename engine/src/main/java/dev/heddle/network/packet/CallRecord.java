package dev.heddle.network.packet;

import dev.heddle.collective.MessageLabel;
import dev.heddle.collective.TransportModel;
import dev.heddle.engine.SteppedCollectives;
import dev.heddle.network.MessageNumbers;
import dev.heddle.network.Meter;
import dev.heddle.units.RandomStream;
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
  private static final int PAIRS = 1 << 20;
  private static final int PEER_SHIFT = 20;
  private static final int TAG_SHIFT = 40;

  /** Per member its first message; the last entry is the number of messages. */
  final int[] first;
  final long[] submittedPs;
  final long[] deliveredPs;
  /** Kind and target of the event that submits a message, as {@link PendingCall#localKey}. */
  final int[] submitKey;
  final long[] mixedBytes;
  private final int[] label;
  // Per message with a label that goes by the group: tag from the group's first, peer, number of the route.
  private final long[] route;
  /** Per member the end of its part, and the event by which it ends. */
  final long[] endPs;
  final int[] endKey;
  /** Per member the most messages in its injection queue. */
  final int[] queued;
  /** The time at which the last message has arrived. */
  final long donePs;
  /** The time of the last timer; -1 for none. */
  final long lastTimerPs;
  final long hops;
  final long events;
  final FootprintState.Outcome links;
  final Meter.Batch messages;
  private int @Nullable [] spare;

  /** The end of a record's members, and its counters. */
  record Ends(long[] endPs, int[] endKey, long lastTimerPs, long hops, long events) {}

  CallRecord(AsideRun run, Ends ends, FootprintState.Outcome links, Meter.Batch messages) {
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
    submittedPs = new long[count];
    deliveredPs = new long[count];
    submitKey = new int[count];
    mixedBytes = new long[count];
    label = new int[count];
    route = new long[count];
    int[] next = first.clone();
    long done = 0;
    for (int i = 0; i < count; i++) {
      int at = next[run.member[i]]++;
      submittedPs[at] = run.submitted[i] - run.call.startPs;
      deliveredPs[at] = run.delivered[i] - run.call.startPs;
      submitKey[at] = run.submitKey[i] == ARRIVAL ? ARRIVAL : run.call.localKey(run.submitKey[i]);
      mixedBytes[at] = RandomStream.mix(run.bytes[i]);
      label[at] = run.label[i];
      route[at] = run.route[i];
      done = Math.max(done, deliveredPs[at]);
    }
    donePs = done;
  }

  /** The number of messages. */
  int count() {
    return submittedPs.length;
  }

  /** The identity of a message in a call of a group. */
  long id(int message, int group, int source, long sequence) {
    int bits = label[message];
    if (route[message] != NO_ROUTE) {
      long packed = route[message];
      int tag = SteppedCollectives.firstTag(group) + tagOffset(packed);
      int peer = (int) (packed >>> PEER_SHIFT) & PEERS - 1;
      bits += SteppedCollectives.route(tag, peer, packed & PAIRS - 1) - MessageLabel.route(bits);
    }
    return MessageNumbers.of(source, bits, sequence);
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
