package dev.heddle.network.packet;

import dev.heddle.fabric.Fabric;
import dev.heddle.units.DataRate;
import java.util.List;

/**
 * Calls under way to whose links messages have come, and whose recording is put off for as long as none of their parts
 * can end: messages of several instants are then recorded at once, not each instant's from the begin of the call.
 *
 * <p>No part ends before all bytes that go to its terminal have crossed the links by which they must come, which takes
 * their time at the data rate. Until then nobody sees the call, so that it is as well recorded later. Whoever needs the
 * number of a message before lets it be recorded.
 */
final class DeferredCalls {
  private static final int NONE = NetworkState.NONE;

  private final Partition partition;
  private final NetworkPlan plan;
  private final RunContext setup;
  private final LinkClaims claims;
  private final ReplayedEnds ends;
  private final MovedCalls moves;
  /** The recordings that were put off. */
  long count;

  /**
   * The terms on which the recording of a call is put off.
   *
   * @param basis outcome of the call without the messages that came while it is put off
   * @param sincePs the time until which the call has taken the course of the basis
   * @param start its state at the begin, and the times of the messages
   * @param room most messages of each member in its injection queue from then on
   */
  record Terms(CallRecord basis, long sincePs, CallStart start, int[] room) {}

  DeferredCalls(OwnMessages.Ground ground, LinkClaims claims, ReplayedEnds ends, MovedCalls moves) {
    partition = ground.partition();
    plan = ground.plan();
    setup = ground.setup();
    this.claims = claims;
    this.ends = ends;
    this.moves = moves;
  }

  /**
   * Puts the recording of a call off, unless its outcome is known or a part may end; whether it has, and the call keeps
   * its links in place of the one that it takes over.
   */
  boolean takes(PendingCall call, PendingCall before) {
    Terms last = before.putOff;
    CallRecord basis = last == null ? before.outcome() : last.basis;
    long sincePs = last == null ? partition.queue.now() : last.sincePs;
    long untilPs = leastEndPs(call, basis) - 1;
    if (untilPs <= partition.queue.now() || othersWait(call, before)) {
      return false;
    }
    int[] room = room(call, basis, sincePs);
    List<PendingCall> met = List.of(before);
    if (!claims.hasRoom(call, room, met)) {
      return false;
    }
    CallStart start = claims.start(call, met);
    if (call.shape.pattern.knows(start) || moves.find(call, start) != null) {
      return false;
    }
    count++;
    claims.hold(call, call.number + 1);
    claims.reserve(before, before.room(), -1);
    claims.reserve(call, room, 1);
    ends.cancel(call);
    call.await(new Terms(basis, sincePs, start, room), before);
    before.numbers.finish();
    // The first of all events of its instant.
    ends.plan(call.sender(0), untilPs, 0);
    return true;
  }

  // Of two that wait on one terminal the order of messages would not be known.
  private boolean othersWait(PendingCall call, PendingCall before) {
    for (int i = 0; i < call.size(); i++) {
      if (partition.sequence.isWaitedFor(call.sender(i).source, before, call)) {
        return true;
      }
    }
    return false;
  }

  // Messages of each member, and of its rank's own program, that may still be in its injection queue.
  private static int[] room(PendingCall call, CallRecord basis, long sincePs) {
    int[] room = new int[call.members.length];
    for (int position = 0; position < room.length; position++) {
      for (int message = basis.first[position]; message < basis.first[position + 1]; message++) {
        room[position] += call.startPs + basis.deliveredPs[message] >= sincePs ? 1 : 0;
      }
    }
    for (PendingCall.Guest guest : call.guests) {
      int position = call.shape.position(guest.source);
      if (position >= 0) {
        room[position]++;
      }
    }
    return room;
  }

  private long leastEndPs(PendingCall call, CallRecord basis) {
    long least = Long.MAX_VALUE;
    for (int position = 0; position < call.members.length; position++) {
      long bytes = basis.receivedBytes[position];
      least = Math.min(least, call.startPs + leastPs(call.shape, call.shape.terminal(position), bytes));
    }
    for (PendingCall.Guest guest : call.guests) {
      if (!guest.arrived) {
        least = Math.min(least, guest.arrivalPs + leastPs(call.shape, guest.destination, guest.bytes));
      }
    }
    return least;
  }

  // The time that bytes take to cross the links by which a terminal must be reached, back to a device with several.
  private long leastPs(CallShape shape, int terminal, long bytes) {
    long least = 0;
    int device = terminal;
    int by = NONE;
    int ways;
    do {
      int left = by == NONE ? NONE : Fabric.opposite(by);
      long bitsPerSecond = 0;
      ways = 0;
      for (int link : shape.state.links) {
        if (plan.linkTarget[link] == device && link != left) {
          ways++;
          by = link;
          bitsPerSecond += plan.specs[plan.spec[link]].rate().bitsPerSecond();
        }
      }
      if (ways > 0) {
        least = Math.max(least, DataRate.ofBitsPerSecond(bitsPerSecond).wirePs(bytes));
        device = plan.linkSource[by];
      }
    } while (ways == 1 && setup.rankOf[device] == NONE);
    return least;
  }
}
