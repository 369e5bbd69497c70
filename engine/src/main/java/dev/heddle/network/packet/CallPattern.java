package dev.heddle.network.packet;

import com.google.common.primitives.ImmutableLongArray;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.TransportModel;
import java.util.Arrays;
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

  private record Start(long[] words) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Start that && Arrays.equals(words, that.words);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(words);
    }
  }

  // The record that was looked up last comes last.
  private final Map<Start, CallRecord> records = new LinkedHashMap<>(MOST_RECORDS, 0.75f, true);
  private long replays;
  private long misses;
  private long disturbances;
  // The starts of calls that waited for members.
  private final Set<Start> waited = new LinkedHashSet<>();
  private long lateReplays;
  private long waitsInVain;
  private boolean unfit;

  /** The record of a call that starts in a state; null for none. */
  @Nullable
  CallRecord find(long[] start) {
    CallRecord found = records.get(new Start(start));
    if (found != null) {
      replays++;
    } else {
      misses++;
    }
    return found;
  }

  /** Whether there is a record of a call that starts in a state. */
  boolean knows(long[] start) {
    return records.containsKey(new Start(start));
  }

  /** The record of a call that has waited for members; null for none. */
  @Nullable
  CallRecord findLate(long[] start) {
    CallRecord found = records.get(new Start(start));
    lateReplays += found == null ? 0 : 1;
    return found;
  }

  /**
   * Whether it pays to record a call that has waited for members: where it is long, so that a record for groups beside
   * it saves much and costs no more than the call message by message, or where a call has waited before for members
   * that came in the same way, as at random times none comes again.
   */
  boolean paysLate(long[] start, long bytes) {
    boolean pays = !waited.add(new Start(start)) || bytes >= LONG_BYTES;
    if (waited.size() > MOST_RECORDS) {
      waited.remove(waited.iterator().next());
    }
    return pays;
  }

  /** Adds a record. */
  void add(long[] start, CallRecord record) {
    if (records.size() == MOST_RECORDS) {
      records.remove(records.keySet().iterator().next());
    }
    records.put(new Start(start), record);
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
