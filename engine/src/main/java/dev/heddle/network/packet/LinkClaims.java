package dev.heddle.network.packet;

import dev.heddle.internal.collect.LongList;
import java.util.List;

/** The links that memoized calls keep to themselves, and those that calls of this instant would keep. */
final class LinkClaims {
  private final Partition partition;
  private final RunContext setup;
  private final int[] channelLink;
  // The number of calls of this instant that would use each link.
  private final int[] claims;
  private final LongList key = new LongList();

  LinkClaims(Partition partition, NetworkPlan plan, RunContext setup) {
    this.partition = partition;
    this.setup = setup;
    channelLink = plan.channelLink;
    claims = new int[plan.links];
  }

  /** Counts calls at each of their links. */
  void add(List<PendingCall> calls, int more) {
    for (PendingCall pending : calls) {
      for (int link : pending.shape.state.links) {
        claims[link] += more;
      }
    }
  }

  /** Gives the links of a call to a holder: 0 for nobody, or 1 + the number of a call. */
  void hold(PendingCall pending, int holder) {
    for (int link : pending.shape.state.links) {
      setup.holder[link] = holder;
    }
  }

  /** Whether a call of this instant shares its links with nobody, but itself or the call that it takes over. */
  boolean isAlone(PendingCall pending) {
    PendingCall before = pending.isWaiting() ? pending : pending.before;
    if (before != null && !before.isWaiting() && !before.isHeld()) {
      return false;
    }
    int own = before == null ? 0 : before.number + 1;
    FootprintState state = pending.shape.state;
    for (int link : state.links) {
      int holder = setup.holder[link];
      if (claims[link] > 1 || holder != 0 && holder != own || setup.flows != null && !setup.flows.isFree(link)) {
        return false;
      }
    }
    if (!state.isIdle() || !partition.units.avoids(channelLink, pending.shape)) {
      return false;
    }
    for (PendingCall.Sender each : pending.inOrder()) {
      if (partition.runner.waitsForRoom(each.rank) || setup.sequence[each.source] >= IsolatedRun.RECORDED
          || each instanceof PendingCall.Member member && partition.runner.lags(member.streams)) {
        return false;
      }
    }
    return true;
  }

  /** Whether injection queues have room for a call in place of those under way that it takes over. */
  boolean hasRoom(PendingCall pending, int[] most, List<PendingCall> met) {
    met.forEach(each -> reserve(each, each.room(), -1));
    reserve(pending, most, 1);
    boolean room = true;
    for (int i = 0; i < pending.size(); i++) {
      int rank = pending.sender(i).rank;
      room &= setup.queued[rank] + setup.reservedRoom[rank] <= setup.injectionQueue;
    }
    reserve(pending, most, -1);
    met.forEach(each -> reserve(each, each.room(), 1));
    return room;
  }

  /**
   * Changes the room in injection queues that is kept for a call.
   *
   * @param most messages of each member in its queue
   */
  void reserve(PendingCall pending, int[] most, int sign) {
    for (PendingCall.Member member : pending.members) {
      setup.reservedRoom[member.rank] += sign * most[member.position];
    }
    for (PendingCall.Guest each : pending.guests) {
      setup.reservedRoom[each.rank] += pending.shape.position(each.source) < 0 ? sign : 0;
    }
  }

  /** All on which the course of a call depends besides its shape; its links are normalized. */
  CallStart start(PendingCall pending, List<PendingCall> met) {
    FootprintState state = pending.shape.state;
    long[] since = state.allFree();
    for (int i = 0; i < since.length; i++) {
      int holder = setup.holder[state.links[i]];
      since[i] = holder == pending.number + 1 ? pending.startPs : since[i];
      for (PendingCall each : met) {
        since[i] = holder == each.number + 1 ? each.startPs : since[i];
      }
    }
    state.normalize(partition.queue.now(), since);
    key.clear();
    pending.describe(key);
    int own = key.size();
    state.describe(key, since);
    for (int i = 0; i < since.length; i++) {
      since[i] -= pending.startPs;
    }
    return new CallStart(key.toArray(), pending.size(), own, since);
  }
}
