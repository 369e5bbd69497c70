package dev.heddle.network.packet;

import com.google.common.primitives.ImmutableLongArray;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.TransportModel;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The records of collective calls that are equal but for the numbers of their links, ranks and streams: members run the
 * same steps over links and devices of the same properties, joined in the same way and numbered in the same order.
 */
final class CallPattern {
  private static final int MOST_RECORDS = 64;
  private static final int PATIENCE = 4;
  private static final int MOST_UNPAID = 16;
  // Bytes of a call whose record pays though its times may be of one training step: the rails of a job have them too.
  private static final long LONG_BYTES = 1L << 26;

  /**
   * Everything on which the course of a call depends besides the state of its links.
   *
   * @param steps of each member
   * @param layout of the members' buffers; null without members
   * @param protocol of the messages
   * @param structure of the footprint
   */
  record Key(
      List<RankSteps> steps, @Nullable Layout layout, TransportModel protocol, ImmutableLongArray structure) {}

  // The record that was looked up last comes last.
  private final Map<CallStart, CallRecord> records = new LinkedHashMap<>(MOST_RECORDS, 0.75f, true);
  private long replays;
  private long misses;
  private long disturbances;
  // The starts of calls that waited for members.
  private final Set<CallStart> waited = new LinkedHashSet<>();
  private long lateReplays;
  private long waitsInVain;
  private boolean unfit;

  /** The record of a call that starts in a state; null for none. */
  @Nullable
  CallRecord find(CallStart start) {
    CallRecord found = records.get(start);
    if (found != null) {
      replays++;
    } else {
      misses++;
    }
    return found;
  }

  /**
   * The record of a call whose begins and links differ least in their times, the one used last among equals; null where
   * all differ by more than the tolerance.
   */
  @Nullable
  MovedStart near(PendingCall call, CallStart start, long nowPs, long tolerancePs) {
    MovedStart nearest = null;
    for (Map.Entry<CallStart, CallRecord> each : records.entrySet()) {
      MovedStart moved = MovedStart.of(call, start, each, nowPs, tolerancePs);
      if (moved != null && (nearest == null || moved.deviationPs() <= nearest.deviationPs())) {
        nearest = moved;
      }
    }
    return nearest;
  }

  /** Counts the replay of a record of other begins. */
  void replaysNear(MovedStart moved, boolean late) {
    records.get(moved.start());
    replays += late ? 0 : 1;
    lateReplays += late ? 1 : 0;
  }

  /** Whether there is a record of a call that starts in a state. */
  boolean knows(CallStart start) {
    return records.containsKey(start);
  }

  /** The record of a call that has waited for members; null for none. */
  @Nullable
  CallRecord findLate(CallStart start) {
    CallRecord found = records.get(start);
    lateReplays += found == null ? 0 : 1;
    return found;
  }

  /**
   * Whether it pays to record a call that has waited for members: where it is long, so that a record for groups beside
   * it saves much and costs no more than the call message by message, or where a call has waited before for members
   * that came in the same way, as at random times none comes again.
   */
  boolean paysLate(CallStart start, long bytes) {
    boolean pays = !waited.add(start) || bytes >= LONG_BYTES;
    if (waited.size() > MOST_RECORDS) {
      waited.remove(waited.iterator().next());
    }
    return pays;
  }

  /** Adds a record. */
  void add(CallStart start, CallRecord record) {
    if (records.size() == MOST_RECORDS) {
      records.remove(records.keySet().iterator().next());
    }
    records.put(start, record);
  }

  /** A call has turned out to share its links with other traffic. */
  void disturbed() {
    disturbances++;
    unfit |= disturbances > PATIENCE + replays;
  }

  /** A call has waited for members and was not replayed. */
  void waitedInVain() {
    waitsInVain++;
  }

  /** Whether it pays for a call to wait for members that have yet to arrive. */
  boolean mayWait() {
    return !unfit && waitsInVain <= MOST_UNPAID + lateReplays;
  }

  /** Calls like this one cannot be replayed. */
  void exclude() {
    unfit = true;
  }

  /** Whether enough calls take their outcome from a record, where each may begin in a state of its own. */
  boolean recurs() {
    return !unfit && misses <= MOST_UNPAID + replays;
  }

  /** Whether it pays to record calls. */
  boolean isFit() {
    return !unfit;
  }
}
