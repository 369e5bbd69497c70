package dev.heddle.network.packet;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Joining of messages that meet. A message that comes to links which calls without members keep becomes one call with
 * their messages: recorded from the begin of the first, and replayed, whenever messages meet in the same way.
 */
final class JoinedMessages {
  private static final int MOST_MESSAGES = 64;
  // Shapes that are known, for each rank.
  private static final int SHAPES_OF_RANK = 64;

  private final MemoizedCollectives memoized;
  private final List<PendingCall> undecided;
  private final FootprintTracer tracer;
  private final Partition partition;
  private final NetworkPlan plan;
  private final RunContext setup;
  private final Map<List<Message>, Optional<CallShape>> shapes = new LinkedHashMap<>();

  private record Message(int rank, int peer, long bytes, int service) {}

  JoinedMessages(
      MemoizedCollectives memoized, List<PendingCall> undecided, FootprintTracer tracer, OwnMessages.Ground ground) {
    this.memoized = memoized;
    this.undecided = undecided;
    this.tracer = tracer;
    partition = ground.partition();
    plan = ground.plan();
    setup = ground.setup();
  }

  /**
   * Takes a message that a rank sends now where it meets messages that are replayed.
   *
   * @param met the calls under way on its links
   */
  boolean takes(int rank, List<PendingCall> met, PendingCall.Sent sent) {
    int messages = 1;
    for (PendingCall each : met) {
      messages += each.members.length > 0 ? MOST_MESSAGES : each.guests.size();
    }
    CallShape shape = met.isEmpty() || messages > MOST_MESSAGES ? null : shape(met, rank, sent);
    if (shape == null || !shape.pattern.recurs() || !isFree(shape, met, rank)) {
      return false;
    }
    PendingCall joint = memoized.calls.enter(shape, met.get(0).startPs);
    met.forEach(each -> joint.guests.addAll(each.guests));
    PendingCall.Guest guest = new PendingCall.Guest(joint, rank, setup.ranks[rank], partition, sent);
    joint.guests.add(guest);
    joint.claim();
    CallRecord record = memoized.outcomes.of(joint, met);
    if (record == null) {
      memoized.calls.release(joint);
      return false;
    }
    guest.instant = memoized.instants;
    partition.sequence.open(guest);
    memoized.replay(joint, record, met);
    return true;
  }

  /** The calls under way on links of a shape, by their begins. */
  List<PendingCall> met(CallShape own) {
    List<PendingCall> met = new ArrayList<>();
    for (int link : own.state.links) {
      int holder = setup.holder[link];
      PendingCall other = holder == 0 ? null : memoized.calls.call(holder - 1);
      if (other != null && !memoized.carryIfOver(other) && !met.contains(other)) {
        met.add(other);
      }
    }
    met.sort(JoinedMessages::compareBegins);
    return met;
  }

  private static int compareBegins(PendingCall one, PendingCall other) {
    int begins = Long.compare(one.startPs, other.startPs);
    return begins != 0 ? begins : Long.compare(one.inOrder().get(0).stamp(), other.inOrder().get(0).stamp());
  }

  private @Nullable CallShape shape(List<PendingCall> met, int rank, PendingCall.Sent sent) {
    List<Message> messages = new ArrayList<>();
    for (PendingCall call : met) {
      for (PendingCall.Guest each : call.guests) {
        messages.add(new Message(each.rank, each.peer, each.bytes, each.service));
      }
    }
    messages.add(new Message(rank, sent.peer(), sent.bytes(), sent.service()));
    Optional<CallShape> known = shapes.get(messages);
    if (known == null) {
      if (shapes.size() >= SHAPES_OF_RANK * setup.ranks.length) {
        return null;
      }
      List<FootprintTracer.Guest> guests = new ArrayList<>();
      for (Message each : messages) {
        guests.add(new FootprintTracer.Guest(0, setup.ranks[each.rank], each.peer, each.bytes, each.service));
      }
      known = Optional.ofNullable(tracer.trace(guests));
      shapes.put(messages, known);
    }
    return known.orElse(null);
  }

  // Whether nothing else is on the links of a shape or comes to them in this instant.
  private boolean isFree(CallShape shape, List<PendingCall> met, int rank) {
    for (int link : shape.state.links) {
      int holder = setup.holder[link];
      if (holder != 0 && !met.contains(memoized.calls.call(holder - 1))) {
        return false;
      }
    }
    for (PendingCall pending : undecided) {
      for (int link : pending.shape.state.links) {
        if (shape.indexOfLink(link) >= 0) {
          return false;
        }
      }
    }
    for (PendingCall call : met) {
      for (PendingCall.Guest each : call.guests) {
        boolean begun = each.arrivalPs == partition.queue.now() && each.instant != memoized.instants;
        if (begun || partition.runner.waitsForRoom(each.rank)) {
          return false;
        }
      }
    }
    return !partition.runner.waitsForRoom(rank) && setup.sequence[setup.ranks[rank]] < IsolatedRun.RECORDED
        && setup.queued[rank] + setup.reservedRoom[rank] < setup.injectionQueue
        && shape.state.isIdle() && partition.units.avoids(plan.channelLink, shape);
  }
}
