package dev.heddle.network.packet;

import com.google.common.primitives.Ints;
import dev.heddle.engine.SteppedCollectives;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.MessageNumbers;
import dev.heddle.tier.RouteFunction;
import dev.heddle.tier.TierPlan;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Messages that are simulated: parts of the calls at which their ranks arrive in the same instant, or of a call under
 * way to whose links they come, or, where they are long and of ranks' own programs, calls without members, which are
 * recorded and replayed as those of collectives are.
 */
final class OwnMessages {
  // Messages of fewer units are left alone: they cost no more than a replay.
  private static final int LEAST_UNITS = 16;
  // Shapes that are known, for each rank.
  private static final int SHAPES_OF_RANK = 8;
  private static final int SHORT_OF_RANK = 4;

  private final MemoizedCollectives memoized;
  private final List<PendingCall> undecided;
  private final FootprintTracer tracer;
  private final SteppedCollectives stepped;
  private final Partition partition;
  private final long leastBytes;
  private final RunContext setup;
  private final Map<Together, Optional<CallShape>> shapes = new LinkedHashMap<>();
  private final JoinedMessages joined;
  private final PassingMessages passing;
  private final Operation read = new Operation();
  private final Fabric fabric;
  private final int[] candidates;

  /** Where messages are sent. */
  record Ground(Partition partition, NetworkPlan plan, RunContext setup) {}

  // Messages that a rank sends in one instant.
  private record Together(int rank, List<FootprintTracer.Guest> messages) {}

  OwnMessages(
      MemoizedCollectives memoized, List<PendingCall> undecided, FootprintTracer tracer, SteppedCollectives stepped,
      Ground ground) {
    this.memoized = memoized;
    this.undecided = undecided;
    this.tracer = tracer;
    this.stepped = stepped;
    partition = ground.partition;
    leastBytes = (long) LEAST_UNITS * Ints.max(ground.plan.unitLimit);
    setup = ground.setup;
    fabric = ground.plan.fabric;
    candidates = new int[fabric.maxCandidates()];
    joined = new JoinedMessages(memoized, undecided, tracer, ground);
    passing = new PassingMessages(memoized, ground);
  }

  /**
   * Whether a message that the own program of a rank sends now has room beside those of calls of this instant that wait
   * for its end, of which the message may become a part, and of a call whose recording is put off.
   */
  boolean hasRoomBeside(int rank) {
    if (partition.aside != null) {
      return false;
    }
    PendingCall waiting = partition.sequence.waiting(setup.ranks[rank]);
    boolean putOff = waiting != null && waiting.putOff != null && !isOfUndecided(rank);
    if (!putOff && (undecided.isEmpty() || host(rank) == null)) {
      return false;
    }
    long most = setup.queued[rank] + setup.reservedRoom[rank];
    for (PendingCall pending : undecided) {
      for (int i = 0; i < (pending.before == null ? pending.arrivals : 0); i++) {
        PendingCall.Member member = pending.arrived[i];
        most += member.rank == rank ? mostAtOnce(member) : 0;
      }
      for (PendingCall.Guest guest : pending.guests) {
        most += guest.rank == rank ? 1 : 0;
      }
    }
    return most < setup.injectionQueue;
  }

  // Messages before the first step of each stream that takes time or a message.
  private int mostAtOnce(PendingCall.Member member) {
    CallShape shape = member.call.shape;
    Program program = stepped.program(shape.group, shape.schedule(), member.position);
    int sends = 0;
    for (int stream = 0; stream < program.streams(); stream++) {
      boolean goesOn = true;
      while (goesOn && program.next(stream, read)) {
        goesOn = read.kind() != Operation.Kind.COMPUTE && read.kind() != Operation.Kind.RECEIVE;
        sends += read.kind() == Operation.Kind.SEND ? 1 : 0;
      }
    }
    return sends;
  }

  // The one call of this instant at which a rank has arrived, or to which its messages belong; null for none or more.
  private @Nullable PendingCall host(int rank) {
    PendingCall found = null;
    for (PendingCall pending : undecided) {
      if (setup.flows == null && pending.hasMember(rank)) {
        if (found != null) {
          return null;
        }
        found = pending;
      }
    }
    return found;
  }

  /** Takes a message that a rank sends to another, unless it goes unit by unit. */
  boolean takes(int rank, PendingCall.Sent sent) {
    PendingCall host = undecided.isEmpty() ? null : host(rank);
    if (host == null) {
      return begins(rank, sent);
    }
    if (meetsEvents(rank, sent, false)) {
      return false;
    }
    if (host.members.length == 0) {
      CallShape shape = shape(rank, host.guests, sent);
      if (shape == null || memoized.isContended(shape)) {
        return false;
      }
      host.shape = shape;
    }
    add(host, rank, sent);
    return true;
  }

  // Whether a call keeps the link by which a message leaves and ends a part in this instant, or submits a message of
  // the same terminal: their order is lost where the message waits for the end of the instant.
  private boolean meetsEvents(int rank, PendingCall.Sent sent, boolean mayBePutOff) {
    if (setup.tolerancePs > 0) {
      return false;
    }
    int source = setup.ranks[rank];
    long message = Fabric.message(source, MessageNumbers.networkBits(sent.service()));
    int waypoint = fabric.nextWaypoint(source, message, sent.destination());
    int count = fabric.candidates(source, waypoint, RouteFunction.NONE, candidates);
    boolean meets = false;
    for (int i = 0; i < count && !meets; i++) {
      int holder = setup.holder[TierPlan.linkOf(candidates[i])];
      PendingCall call = holder == 0 ? null : memoized.calls.call(holder - 1);
      meets = call != null && !memoized.carryIfOver(call)
          && (call.record == null ? !mayBePutOff || call.putOff == null : hasEvents(call, source));
    }
    return meets;
  }

  private boolean hasEvents(PendingCall call, int source) {
    CallRecord record = call.outcome();
    long afterPs = partition.queue.now() - call.startPs;
    boolean has = false;
    for (int i = 0; i < call.size() && !has; i++) {
      has = record.endsAt(i, afterPs) || call.sender(i).source == source && record.submitsAt(i, afterPs);
    }
    return has;
  }

  private boolean begins(int rank, PendingCall.Sent sent) {
    boolean late = partition.actingStamp() != Long.MAX_VALUE;
    if (late || setup.flows != null || partition.isSettling()) {
      return false;
    }
    if (isOfUndecided(rank)) {
      return false;
    }
    boolean alone = mayBeAlone(sent);
    if (!alone && !memoized.calls.isAnyUnderWay()) {
      return false;
    }
    CallShape shape = shape(rank, List.of(), sent);
    if (shape == null || !shape.pattern.isFit()) {
      return false;
    }
    List<PendingCall> met = joined.met(shape);
    if (alone && joined.takes(rank, met, sent)) {
      return true;
    }
    if (met.size() == 1 && !alone && passing.takes(rank, shape, met.get(0), sent)) {
      return true;
    }
    if (met.size() == 1 && met.get(0).isUnderWay(partition.queue.now()) && !meetsEvents(rank, sent, true)) {
      add(successor(met.get(0)), rank, sent);
      return true;
    }
    if (!alone || !met.isEmpty()) {
      return false;
    }
    PendingCall pending = memoized.calls.enter(shape, partition.queue.now());
    add(pending, rank, sent);
    undecided.add(pending);
    return true;
  }

  // Whether a call of this instant has a rank.
  private boolean isOfUndecided(int rank) {
    for (PendingCall pending : undecided) {
      if (pending.hasMember(rank)) {
        return true;
      }
    }
    return false;
  }

  // Whether a message is a call without members where it meets none: long ones, and not those of collectives.
  private boolean mayBeAlone(PendingCall.Sent sent) {
    return sent.tag() < SteppedCollectives.firstTag(0) && sent.bytes() >= leastBytes;
  }

  // The call that takes over a call under way at the end of this instant, with messages that come to its links.
  private PendingCall successor(PendingCall underWay) {
    for (PendingCall pending : undecided) {
      if (pending.before == underWay) {
        return pending;
      }
    }
    PendingCall successor = memoized.calls.enter(underWay.shape, underWay.startPs);
    successor.takeOver(underWay);
    undecided.add(successor);
    return successor;
  }

  private void add(PendingCall host, int rank, PendingCall.Sent sent) {
    PendingCall.Guest guest = new PendingCall.Guest(host, rank, setup.ranks[rank], partition, sent);
    partition.sequence.open(guest);
    host.guests.add(guest);
  }

  // The shape of messages with one more; null where they do not qualify.
  private @Nullable CallShape shape(int rank, List<PendingCall.Guest> before, PendingCall.Sent sent) {
    List<FootprintTracer.Guest> all = new ArrayList<>();
    for (PendingCall.Guest each : before) {
      all.add(new FootprintTracer.Guest(0, each.source, each.peer, each.bytes, each.service));
    }
    all.add(new FootprintTracer.Guest(0, setup.ranks[rank], sent.peer(), sent.bytes(), sent.service()));
    Together key = new Together(rank, all);
    Optional<CallShape> known = shapes.get(key);
    if (known == null) {
      int most = before.isEmpty() && !mayBeAlone(sent) ? SHORT_OF_RANK : SHAPES_OF_RANK;
      if (shapes.size() >= most * setup.ranks.length) {
        return null;
      }
      known = Optional.ofNullable(tracer.trace(all));
      shapes.put(key, known);
    }
    return known.orElse(null);
  }
}
