package dev.heddle.network.packet;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Short messages that pass by a replayed call on its links, where calls are replayed within a tolerance. Such a message
 * takes the course that it has on idle links, later by half of the time in which messages that its terminal has
 * submitted before arrive, as it waits for none of them or for all. The call goes on as recorded, though the message
 * may take a place of its own on each link.
 */
final class PassingMessages {
  private final Partition partition;
  private final NetworkPlan plan;
  private final RunContext setup;
  private final MemoizedCollectives memoized;

  PassingMessages(MemoizedCollectives memoized, OwnMessages.Ground ground) {
    partition = ground.partition();
    plan = ground.plan();
    setup = ground.setup();
    this.memoized = memoized;
  }

  /**
   * Lets a message pass that a rank sends now, unless it may be off by more than the tolerance.
   *
   * @param shape of the message alone
   * @param met the one call under way that it meets
   */
  boolean takes(int rank, CallShape shape, PendingCall met, PendingCall.Sent sent) {
    if (setup.tolerancePs == 0 || met.record == null || !shape.state.isIdle()
        || !partition.units.avoids(plan.channelLink, shape) || partition.runner.waitsForRoom(rank)
        || setup.queued[rank] + setup.reservedRoom[rank] >= setup.injectionQueue) {
      return false;
    }
    long laterPs = backlogPs(met, setup.ranks[rank]) / 2;
    if (laterPs > setup.tolerancePs) {
      return false;
    }
    PendingCall passing = memoized.calls.enter(shape, partition.queue.now());
    PendingCall.Guest guest = new PendingCall.Guest(passing, rank, setup.ranks[rank], partition, sent);
    passing.guests.add(guest);
    CallRecord record = alone(passing);
    if (record == null) {
      memoized.calls.release(passing);
      return false;
    }
    partition.sequence.open(guest);
    passing.pass(laterPs);
    memoized.moves.passes(met, shape, sent.bytes());
    memoized.replay(passing, record, List.of());
    return true;
  }

  // The outcome of a message on its links, which are as if nobody kept them.
  private @Nullable CallRecord alone(PendingCall passing) {
    CallShape shape = passing.shape;
    int[] holders = new int[shape.state.links.length];
    for (int i = 0; i < holders.length; i++) {
      holders[i] = setup.holder[shape.state.links[i]];
      setup.holder[shape.state.links[i]] = 0;
    }
    FootprintState.Saved before = shape.state.save();
    CallRecord record = memoized.outcomes.of(passing, List.of());
    shape.state.restore(before);
    for (int i = 0; i < holders.length; i++) {
      setup.holder[shape.state.links[i]] = holders[i];
    }
    return record;
  }

  // The time from now in which all messages arrive that a terminal has submitted.
  private long backlogPs(PendingCall met, int source) {
    CallRecord record = met.outcome();
    long nowPs = partition.queue.now() - met.startPs;
    long most = 0;
    for (int i = 0; i < met.size(); i++) {
      for (int message = record.first[i]; met.sender(i).source == source && message < record.first[i + 1]; message++) {
        if (record.submittedPs[message] <= nowPs) {
          most = Math.max(most, record.deliveredPs[message] - nowPs);
        }
      }
    }
    return most;
  }
}
