package dev.heddle.network.packet;

import dev.heddle.collective.MessageLabel;
import dev.heddle.engine.CollectiveGroups;
import dev.heddle.engine.SteppedCollectives;
import dev.heddle.internal.collect.LongLongMap;
import dev.heddle.network.MessageNumbers;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A collective call that is simulated aside: on its own links, with a clock of its own. It records the call, or, where
 * other traffic has come to the call's links, brings them to the present.
 */
final class IsolatedRun {
  /** The first number of recorded messages, which no other message has as long as terminals send fewer. */
  static final long RECORDED = 1L << 27;

  final PendingCall call;
  final boolean recording;
  /** Whether members begin their programs. */
  boolean arriving;
  /** The message of a rank's own program that is submitted now; null where the call's programs submit. */
  PendingCall.@Nullable Guest guest;
  /** Told of the arrival of such a message. */
  Consumer<PendingCall.Guest> ended = guest -> {};

  // Messages of a recording, in the order in which they are submitted.
  int count;
  int[] member = new int[256];
  int[] submitKey = new int[256];
  long[] submitted = new long[256];
  long[] delivered = new long[256];
  long[] bytes = new long[256];
  int[] label = new int[256];
  int[] destination = new int[256];
  long[] route = new long[256];
  int arrived;
  /** Submissions and arrivals of messages of ranks' own programs so far. */
  int guestEvents;
  /** Whether the last message came later than all others and not at the time of an event. */
  boolean distinct = true;
  /** Whether the labels of routes are those that connections take in turn. */
  boolean predictable = true;
  private final LongLongMap turns = new LongLongMap(0);
  /** Per member the most messages in its injection queue at once. */
  final int[] mostQueued;
  private final int[] numbered;
  private final long[] guestNumbers;
  private final Partition partition;
  private final CollectiveGroups groups;
  private final int[] terminals;

  IsolatedRun(PendingCall call, boolean recording, Partition partition, RunContext setup) {
    this.partition = partition;
    groups = setup.communicators;
    terminals = setup.ranks;
    this.call = call;
    this.recording = recording;
    mostQueued = new int[call.members.length];
    numbered = new int[call.size()];
    guestNumbers = new long[call.guests.size()];
    Arrays.fill(guestNumbers, -1);
  }

  /** The number of a message that a rank submits now. */
  long number(int rank, int peer, int tag, int messageLabel, long payload) {
    PendingCall.Guest own = guest;
    int position = own == null ? positionOf(rank) : own.position;
    long sequence = recording ? RECORDED + count : numberOf(position);
    if (own != null) {
      guestNumbers[position - call.members.length] = sequence;
    }
    if (recording) {
      add(own, position, peer, tag, messageLabel, payload);
    }
    return sequence;
  }

  private long numberOf(int position) {
    int index = numbered[position]++;
    if (index < call.numbers.given(position)) {
      return call.numbers.of(position, index);
    }
    if (!call.isWaiting()) {
      throw new IllegalStateException("a call has submitted more messages than its record");
    }
    PendingCall.Sender sender = call.sender(position);
    return arriving ? partition.sequence.next(sender.source, sender.arrivalKey(), sender.stamp())
        : partition.sequence.next(sender.source, partition.eventKey(), Long.MAX_VALUE);
  }

  private void add(
      PendingCall.@Nullable Guest own, int position, int peer, int tag, int messageLabel, long payload) {
    if (count == member.length) {
      grow(2 * count);
    }
    guestEvents += own == null ? 0 : 1;
    member[count] = position;
    submitKey[count] = arriving ? CallRecord.ARRIVAL : partition.eventKey();
    submitted[count] = partition.queue.now();
    delivered[count] = -1;
    bytes[count] = payload;
    label[count] = messageLabel;
    destination[count] =
        own == null ? call.shape.terminal(positionOf(peer)) : own.destination;
    route[count] =
        own == null && MessageLabel.route(messageLabel) != 0 && MessageLabel.railRoute(messageLabel) == 0
            && CallRecord.spreads(call.shape.schedule().protocol())
                ? route(position, peer, tag, messageLabel) : CallRecord.NO_ROUTE;
    count++;
  }

  private int positionOf(int rank) {
    return call.shape.hasAggregators()
        ? call.shape.position(terminals[rank]) : groups.position(call.shape.group, rank);
  }

  // Messages of a connection take its routes in turn.
  private long route(int position, int peer, int tag, int messageLabel) {
    int other = positionOf(peer);
    int tagOffset = tag - SteppedCollectives.firstTag(call.shape.group);
    long connection = connection(position, tagOffset);
    long turn = turns.get(connection);
    turns.put(connection, turn + 1);
    long pair = turn % paths();
    predictable &= SteppedCollectives.route(tag, other, pair) == MessageLabel.route(messageLabel);
    return CallRecord.route(tagOffset, other, pair);
  }

  /** Whether a member is among those that have sent messages since there were so many. */
  boolean sent(int position, int since) {
    for (int i = since; i < count; i++) {
      if (member[i] == position) {
        return true;
      }
    }
    return false;
  }

  /** Whether each connection takes all its routes equally often in messages since there were so many. */
  boolean takesRoutesInFull(int since) {
    LongLongMap messages = messages(since);
    for (long connection : messages.keys()) {
      if (messages.get(connection) % paths() != 0) {
        return false;
      }
    }
    return true;
  }

  // Messages of each connection that takes routes in turn.
  private LongLongMap messages(int since) {
    LongLongMap messages = new LongLongMap(0);
    for (int i = since; i < count; i++) {
      if (route[i] != CallRecord.NO_ROUTE) {
        long connection = connection(member[i], CallRecord.tagOffset(route[i]));
        messages.put(connection, messages.get(connection) + 1);
      }
    }
    return messages;
  }

  private static long connection(int position, int tagOffset) {
    return (long) position << 32 | tagOffset;
  }

  private int paths() {
    return call.shape.schedule().protocol().connections().paths();
  }

  /**
   * Adds the messages of periods that are as the last one, in which each connection took all its routes equally often.
   *
   * @param since the number of messages before that one
   * @param sincePs the time of its begin
   */
  void repeat(int since, long sincePs, long periods, long periodPs) {
    int each = count - since;
    int before = count;
    while (before + periods * each > member.length) {
      grow(Math.multiplyExact(2, member.length));
    }
    for (long i = 1; i <= periods; i++) {
      for (int row = since; row < before; row++) {
        member[count] = member[row];
        submitKey[count] = submitKey[row];
        submitted[count] = submitted[row] + i * periodPs;
        delivered[count] = -1;
        bytes[count] = bytes[row];
        label[count] = label[row];
        destination[count] = destination[row];
        route[count] = route[row];
        count++;
      }
    }
    // Backwards, as a message that is on its way at the end of a period arrives in the next one.
    for (int row = before - 1; row >= 0; row--) {
      if (delivered[row] > sincePs) {
        for (long i = 1; i <= periods; i++) {
          delivered[(int) (row + i * each)] = delivered[row] + i * periodPs;
          arrived++;
        }
      }
    }
  }

  /** The bytes that each member receives from others. */
  long[] receivedBytes() {
    long[] received = new long[call.members.length];
    LongLongMap position = new LongLongMap(0);
    for (int i = 0; i < received.length; i++) {
      position.put(call.shape.terminal(i), i);
    }
    for (int i = 0; i < count; i++) {
      if (member[i] < received.length) {
        received[(int) position.get(destination[i])] += bytes[i];
      }
    }
    return received;
  }

  private void grow(int rows) {
    member = Arrays.copyOf(member, rows);
    submitKey = Arrays.copyOf(submitKey, rows);
    submitted = Arrays.copyOf(submitted, rows);
    delivered = Arrays.copyOf(delivered, rows);
    bytes = Arrays.copyOf(bytes, rows);
    label = Arrays.copyOf(label, rows);
    destination = Arrays.copyOf(destination, rows);
    route = Arrays.copyOf(route, rows);
  }

  /** Notes the length of a member's injection queue. */
  void queued(int rank, int messages) {
    PendingCall.Guest own = guest;
    int position = own == null ? positionOf(rank) : call.shape.position(own.source);
    if (position < 0) {
      return;
    }
    mostQueued[position] = Math.max(mostQueued[position], messages);
  }

  /** A message has arrived whole. */
  void delivered(long message, long now) {
    delivered[(int) (MessageNumbers.sequence(message) - RECORDED)] = now;
    arrived++;
  }

  /**
   * Takes a message that has arrived where it is one of a rank's own program: its receiver is not simulated.
   */
  boolean takes(int source, long message) {
    long sequence = MessageNumbers.sequence(message);
    for (PendingCall.Guest each : call.guests) {
      if (each.source == source && guestNumbers[each.position - call.members.length] == sequence) {
        guestEvents++;
        ended.accept(each);
        return true;
      }
    }
    return false;
  }
}
