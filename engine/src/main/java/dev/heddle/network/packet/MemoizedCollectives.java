package dev.heddle.network.packet;

import dev.heddle.collective.Schedule;
import dev.heddle.engine.CallCache;
import dev.heddle.engine.CollectiveCall;
import dev.heddle.engine.CollectiveGroups;
import dev.heddle.engine.Collectives;
import dev.heddle.engine.ProgramRunner;
import dev.heddle.engine.SteppedCollectives;
import dev.heddle.internal.collect.LongList;
import dev.heddle.internal.collect.LongLongMap;
import dev.heddle.network.InvariantViolation;
import dev.heddle.workload.Operation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Memoization of collective calls. A call whose members arrive within one instant, on links that carry nothing else,
 * takes the same course whenever the links start in the same state. Its first occurrence is simulated aside, message by
 * message, and recorded; a repetition only looks its ends, its messages and its counters up. A message of anybody else
 * that comes to one of the call's links before the call's last message has arrived ends this: the call is simulated up
 * to that event, aside, and continues message by message. So results are those of a simulation of all messages.
 */
final class MemoizedCollectives implements Collectives {
  private static final int NONE = -1;

  private final Partition partition;
  private final RunContext setup;
  private final CollectiveGroups groups;
  private final SteppedCollectives stepped;
  private final FootprintTracer tracer;
  private final AsideSimulation aside;
  private final CallCache<Optional<CallShape>> shapes = new CallCache<>();
  private final Map<Hosts, Optional<CallShape>> hosts = new LinkedHashMap<>();
  private final LongLongMap gathering = new LongLongMap(NONE);
  private final List<@Nullable PendingCall> calls = new ArrayList<>();
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  // Calls of this instant, and the number of them that would use each link.
  private final List<PendingCall> undecided = new ArrayList<>();
  private final int[] claims;
  private final ReplayedEnds ends;
  /** Messages of ranks' own programs. */
  final OwnMessages messages;
  private final LongList key = new LongList();
  private final int[] channelLink;
  /** The ends of instants so far. */
  long instants;
  private long recorded;
  private long replayed;
  private long disturbed;
  private long withMessages;
  private long joined;

  MemoizedCollectives(
      Partition partition, NetworkPlan plan, NetworkState state, RunContext setup, SteppedCollectives stepped) {
    this.partition = partition;
    this.setup = setup;
    this.stepped = stepped;
    groups = setup.communicators;
    tracer = new FootprintTracer(partition, plan, state, setup);
    aside = new AsideSimulation(partition, plan, setup, stepped);
    ends = new ReplayedEnds(partition);
    channelLink = plan.channelLink;
    claims = new int[plan.links];
    messages = new OwnMessages(this, undecided, tracer, stepped, new OwnMessages.Ground(partition, plan, setup));
  }

  @Override
  public boolean arrive(ProgramRunner runner, int slot, int rank, Operation operation) {
    CollectiveCall call = CollectiveCall.of(operation);
    int group = call.group();
    Optional<CallShape> shape = shapes.get(call, this::trace);
    long sequence = key(group, partition.log.next(group, rank));
    int known = (int) gathering.get(sequence);
    boolean fit = shape.isPresent() && shape.get().pattern.isFit() && !partition.isSettling();
    if (known == NONE && !fit) {
      return stepped.arrive(runner, slot, rank, operation);
    }
    PendingCall pending = known == NONE ? gather(shape.orElseThrow(), sequence) : call(known);
    if (pending.isLive() || pending.shape != shape.orElse(null)) {
      pending.passed(1 + pending.shape.aggregators(groups.position(group, rank)).length);
      forget(pending, sequence);
      return stepped.arrive(runner, slot, rank, operation);
    }
    int position = groups.position(group, rank);
    for (int aggregator : pending.shape.aggregators(position)) {
      int its = groups.rankOf(pending.shape.terminal(aggregator));
      pending.add(new PendingCall.Member(
          pending, aggregator, its, runner.reserveBeside(its, pending.shape.streams(aggregator)), null, partition));
    }
    pending.add(new PendingCall.Member(
        pending, position, rank, runner.reserve(slot, pending.shape.streams(position)),
        stepped.entry(group, rank, operation), partition));
    forget(pending, sequence);
    return false;
  }

  private static long key(int group, int sequence) {
    return (long) group << 32 | sequence;
  }

  private Optional<CallShape> trace(CollectiveCall call) {
    return Optional.ofNullable(tracer.trace(call.group(), stepped.schedule(call), List.of()));
  }

  // A call with messages that members' own programs send as they arrive.
  private record Hosts(int group, Schedule schedule, List<FootprintTracer.Guest> guests) {}

  /** A call that has yet to end. */
  PendingCall call(int number) {
    PendingCall pending = calls.get(number);
    if (pending == null) {
      throw new IllegalStateException("call " + number + " is over");
    }
    return pending;
  }

  private PendingCall gather(CallShape shape, long sequence) {
    PendingCall pending = enter(shape, partition.queue.now());
    gathering.put(sequence, pending.number);
    if (isContended(shape)) {
      pending.live();
    } else {
      undecided.add(pending);
    }
    return pending;
  }

  /** A new call. */
  PendingCall enter(CallShape shape, long startPs) {
    int number = free.isEmpty() ? calls.size() : free.remove();
    PendingCall pending = new PendingCall(shape, number, startPs);
    if (number == calls.size()) {
      calls.add(pending);
    } else {
      calls.set(number, pending);
    }
    return pending;
  }

  /**
   * Whether a call that has yet to end keeps a link of a shape. Each whose last message has yet to arrive runs message
   * by message from now on.
   */
  boolean isContended(CallShape shape) {
    boolean contended = false;
    for (int link : shape.state.links) {
      int holder = setup.holder[link];
      if (holder != 0) {
        contended |= touched(call(holder - 1));
      }
    }
    return contended;
  }

  private void forget(PendingCall pending, long sequence) {
    if (pending.hasAll()) {
      gathering.remove(sequence);
      if (pending.isLive()) {
        release(pending);
      }
    }
  }

  private void release(PendingCall pending) {
    calls.set(pending.number, null);
    free.add(pending.number);
  }

  /**
   * Decides at the end of an instant, before anything is arbitrated, which of its calls are replayed: those whose
   * members have all arrived, and that share their links with nobody. The members of the others begin, in the order of
   * their arrival.
   */
  void decide() {
    instants += partition.aside == null ? 1 : 0;
    if (undecided.isEmpty() || partition.aside != null) {
      return;
    }
    List<PendingCall> alone = new ArrayList<>();
    List<PendingCall> others = new ArrayList<>();
    undecided.forEach(this::extend);
    claim(1);
    for (PendingCall pending : undecided) {
      (pending.isTraced() && pending.shape.pattern.isFit() && isAlone(pending) ? alone : others).add(pending);
    }
    claim(-1);
    undecided.clear();
    for (PendingCall pending : alone) {
      if (!begin(pending)) {
        others.add(pending);
      }
    }
    goLive(others);
  }

  // Adds the ways of guests to the footprint of their call.
  private void extend(PendingCall pending) {
    if (pending.guests.isEmpty() || !pending.hasAll() || pending.isTraced()) {
      return;
    }
    List<FootprintTracer.Guest> guests = new ArrayList<>();
    for (PendingCall.Guest each : pending.guests) {
      guests.add(new FootprintTracer.Guest(
          pending.shape.position(each.source), each.peer, each.bytes, each.service));
    }
    Schedule schedule = pending.shape.schedule();
    Hosts key = new Hosts(pending.shape.group, schedule, guests);
    hosts.computeIfAbsent(key, each -> Optional.ofNullable(tracer.trace(each.group, schedule, guests)))
        .ifPresent(shape -> pending.shape = shape);
    for (int link : pending.shape.state.links) {
      int holder = setup.holder[link];
      if (holder != 0) {
        carryIfOver(call(holder - 1));
      }
    }
  }

  private void claim(int more) {
    for (PendingCall pending : undecided) {
      for (int link : pending.shape.state.links) {
        claims[link] += more;
      }
    }
  }

  /** Lets all calls of this instant run message by message: a member is about to submit a message of another kind. */
  void flush() {
    List<PendingCall> all = new ArrayList<>(undecided);
    undecided.clear();
    goLive(all);
  }

  // Whether a call is replayed.
  private boolean begin(PendingCall pending) {
    CallShape shape = pending.shape;
    long now = partition.queue.now();
    long[] since = shape.state.allFree();
    shape.state.normalize(now, since);
    key.clear();
    pending.describe(key);
    shape.state.describe(key, since);
    long[] start = key.toArray();
    CallRecord record = shape.pattern.find(start);
    hold(pending, pending.number + 1);
    if (record == null) {
      record = aside.record(pending);
      if (record != null) {
        recorded++;
        shape.pattern.add(start, record);
      }
    }
    if (record == null || !hasRoom(pending, record)) {
      hold(pending, 0);
      shape.pattern.exclude();
      return false;
    }
    replay(pending, record);
    return true;
  }

  /** Carries out a call whose last message has arrived, so that its links are free; whether it has. */
  boolean carryIfOver(PendingCall pending) {
    boolean over = partition.queue.now() >= pending.startPs + pending.outcome().donePs;
    if (over) {
      carry(pending);
    }
    return over;
  }

  /** Records messages that keep their links from now on. */
  @Nullable
  CallRecord record(PendingCall joint) {
    hold(joint, joint.number + 1);
    CallRecord record = aside.record(joint);
    recorded += record == null ? 0 : 1;
    return record;
  }

  /** Gives links back to the calls that kept them. */
  void giveUp(PendingCall joint, List<PendingCall> met) {
    hold(joint, 0);
    met.forEach(each -> hold(each, each.number + 1));
    release(joint);
  }

  /** Replays messages of calls under way, and one that has met them. */
  void replay(PendingCall joint, CallRecord record, List<PendingCall> met) {
    replayed++;
    joined++;
    ends.cancel(joint);
    for (PendingCall each : met) {
      each.reserve(setup.reservedRoom, each.outcome(), -1);
    }
    hold(joint, joint.number + 1);
    joint.goOn(record, met);
    joint.reserve(setup.reservedRoom, record, 1);
    for (PendingCall.Guest each : joint.guests) {
      if (each.arrived != record.endsBefore(each.position, partition.queue.now() - joint.startPs)) {
        throw new InvariantViolation("a message that was recorded again has arrived at another time");
      }
      if (!each.arrived) {
        ends.plan(each);
      }
    }
    for (PendingCall each : met) {
      each.finishNumbers();
      release(each);
    }
  }

  private void hold(PendingCall pending, int holder) {
    for (int link : pending.shape.state.links) {
      setup.holder[link] = holder;
    }
  }

  private boolean isAlone(PendingCall pending) {
    FootprintState state = pending.shape.state;
    for (int link : state.links) {
      if (claims[link] > 1 || setup.holder[link] != 0 || setup.flows != null && !setup.flows.isFree(link)) {
        return false;
      }
    }
    if (!state.isIdle() || !partition.units.avoids(channelLink, pending.shape)) {
      return false;
    }
    for (int i = 0; i < pending.size(); i++) {
      PendingCall.Sender each = pending.sender(i);
      if (partition.runner.waitsForRoom(each.rank) || setup.sequence[each.source] >= AsideRun.RECORDED
          || each instanceof PendingCall.Member member && partition.runner.lags(member.streams)) {
        return false;
      }
    }
    return true;
  }

  private boolean hasRoom(PendingCall pending, CallRecord record) {
    pending.reserve(setup.reservedRoom, record, 1);
    boolean room = true;
    for (int i = 0; i < pending.size(); i++) {
      int rank = pending.sender(i).rank;
      room &= setup.queued[rank] + setup.reservedRoom[rank] <= setup.injectionQueue;
    }
    pending.reserve(setup.reservedRoom, record, -1);
    return room;
  }

  private void replay(PendingCall pending, CallRecord record) {
    replayed++;
    withMessages += pending.guests.isEmpty() ? 0 : 1;
    pending.begin(record);
    pending.reserve(setup.reservedRoom, record, 1);
    for (int i = 0; i < pending.size(); i++) {
      ends.plan(pending.sender(i));
    }
  }

  // Lets the members of calls that have arrived run message by message, in the order of their arrival.
  private void goLive(List<PendingCall> all) {
    List<PendingCall.Sender> senders = new ArrayList<>();
    for (PendingCall pending : all) {
      pending.live();
      for (PendingCall.Sender each : pending.inOrder()) {
        senders.add(each);
        partition.sequence.remove(each);
      }
      if (pending.hasAll()) {
        release(pending);
      }
    }
    senders.sort(Comparator.comparingLong(PendingCall.Sender::stamp));
    for (PendingCall.Sender each : senders) {
      partition.actAt(each.arrivalKey(), each.stamp());
      if (each instanceof PendingCall.Member member) {
        partition.runner.start(member.streams, member.program(stepped));
      } else if (each instanceof PendingCall.Guest guest) {
        partition.injection.submit(guest.rank, guest.peer, guest.bytes, guest.tag, guest.service);
      }
    }
    partition.actNow();
  }

  /** A message of somebody else comes to a link. */
  void contend(int link) {
    if (partition.aside != null) {
      throw new InvariantViolation("a collective that is simulated aside has left its links for " + link);
    }
    touched(call(setup.holder[link] - 1));
  }

  // Whether the call's last message has yet to arrive, so that it runs message by message from now on.
  private boolean touched(PendingCall pending) {
    boolean over = carryIfOver(pending);
    if (!over) {
      disturb(pending, partition.queue.now(), partition.eventKey());
    }
    return !over;
  }

  /** Room in a rank's injection queue is needed that is kept for calls. */
  void makeRoom(int rank) {
    for (PendingCall pending : new ArrayList<>(calls)) {
      if (pending != null && pending.isHeld() && pending.hasMember(rank)) {
        touched(pending);
      }
    }
  }

  // Accounts for all messages of a call, whose last one has arrived.
  private void carry(PendingCall pending) {
    CallRecord record = pending.outcome();
    for (int i = 0; i < pending.size(); i++) {
      partition.sequence.close(pending.sender(i));
    }
    letGo(pending, record);
    pending.shape.state.apply(record.links, pending.startPs);
    partition.meter.add(record.messages, pending.startPs + record.donePs, pending.fingerprint);
    partition.hops += record.hops;
    partition.events += record.events;
    pending.carried = true;
    pending.finishNumbers();
  }

  private void letGo(PendingCall pending, CallRecord record) {
    hold(pending, 0);
    pending.reserve(setup.reservedRoom, record, -1);
  }

  private void disturb(PendingCall pending, long now, int eventKey) {
    disturbed++;
    pending.shape.pattern.disturbed();
    for (int i = 0; i < pending.size(); i++) {
      PendingCall.Sender each = pending.sender(i);
      partition.sequence.takeUntil(each.source, now, eventKey, Long.MAX_VALUE);
      if (each.arrivalPs == now && each.arrivalKey() > eventKey) {
        partition.sequence.takeUntil(each.source, now, each.arrivalKey(), each.stamp());
      }
    }
    for (int i = 0; i < pending.size(); i++) {
      partition.sequence.remove(pending.sender(i));
    }
    ends.cancel(pending);
    aside.catchUp(pending, now, eventKey);
    letGo(pending, pending.outcome());
    pending.finishNumbers();
    pending.live();
    release(pending);
  }

  /** The event by which a member's part ends has come. */
  void end(int number) {
    PendingCall.Sender sender = ends.take(number);
    if (sender == null) {
      return;
    }
    PendingCall pending = sender.call;
    CallRecord record = pending.outcome();
    pending.released++;
    boolean last = pending.released == pending.size();
    if (last) {
      if (!pending.carried) {
        carry(pending);
      }
      if (record.lastTimerPs >= 0) {
        partition.lastTimer = Math.max(partition.lastTimer, pending.startPs + record.lastTimerPs);
      }
      release(pending);
    }
    if (sender instanceof PendingCall.Member member) {
      member.end(stepped);
      partition.runner.release(member.streams);
    } else if (sender instanceof PendingCall.Guest guest) {
      guest.arrived = true;
      partition.runner.onDelivered(guest.peer, guest.rank, guest.tag);
    }
  }

  /** The calls so far. */
  PacketNetwork.MemoizedCalls counts() {
    return new PacketNetwork.MemoizedCalls(recorded, replayed, disturbed, withMessages, joined);
  }

  /** Simulates the calls that are under way up to the end of a run. */
  void finish(long untilPs) {
    for (PendingCall pending : new ArrayList<>(calls)) {
      if (pending != null && pending.isHeld()) {
        disturb(pending, untilPs, NONE);
      }
    }
  }
}
