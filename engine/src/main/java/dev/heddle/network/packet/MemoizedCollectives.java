package dev.heddle.network.packet;

import dev.heddle.engine.CallCache;
import dev.heddle.engine.CollectiveCall;
import dev.heddle.engine.CollectiveGroups;
import dev.heddle.engine.Collectives;
import dev.heddle.engine.ProgramRunner;
import dev.heddle.engine.SteppedCollectives;
import dev.heddle.internal.collect.LongLongMap;
import dev.heddle.network.InvariantViolation;
import dev.heddle.workload.Operation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Memoization of collective calls. A call whose members arrive within one instant, or later at times that recur, on
 * links that carry nothing else takes the same course whenever the links start in the same state. Its first occurrence
 * is simulated aside, message by message, and recorded; a repetition only looks its ends, its messages and its
 * counters up. A message of anybody else that comes to one of the call's links before the call's last message has
 * arrived ends this: the call is simulated up to that event, aside, and continues message by message. So results are
 * those of a simulation of all messages.
 */
final class MemoizedCollectives implements Collectives {
  private static final int NONE = -1;

  private final Partition partition;
  private final RunContext setup;
  private final CollectiveGroups groups;
  private final SteppedCollectives stepped;
  private final FootprintTracer tracer;
  private final IsolatedSimulation aside;
  private final CallCache<Optional<CallShape>> shapes = new CallCache<>();
  private final LongLongMap gathering = new LongLongMap(NONE);
  // The last call of each group that was replayed.
  private final LongLongMap replayedOf = new LongLongMap(NONE);
  /** The calls that have yet to end. */
  final CallTable calls = new CallTable();
  // Calls of this instant.
  private final List<PendingCall> undecided = new ArrayList<>();
  private final LinkClaims claims;
  private final StragglerCalls waits;
  private final ReplayedEnds ends;
  /** The outcomes of calls. */
  final Outcomes outcomes;
  private final DeferredCalls putOffs;
  /** The calls that are replayed from records of other begins. */
  final MovedCalls moves;
  /** Messages of ranks' own programs. */
  final OwnMessages messages;
  /** The ends of instants so far. */
  long instants;
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
    aside = new IsolatedSimulation(partition, plan, setup, stepped);
    ends = new ReplayedEnds(partition);
    claims = new LinkClaims(partition, plan, setup);
    moves = new MovedCalls(partition, plan, setup);
    outcomes = new Outcomes(claims, aside, moves);
    waits = new StragglerCalls(partition, setup, claims, aside);
    OwnMessages.Ground ground = new OwnMessages.Ground(partition, plan, setup);
    putOffs = new DeferredCalls(ground, claims, ends, moves);
    messages = new OwnMessages(this, undecided, tracer, stepped, ground);
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
      stopReplay(group);
      return stepped.arrive(runner, slot, rank, operation);
    }
    PendingCall pending = known == NONE ? gather(shape.orElseThrow(), call, sequence) : calls.call(known);
    if (pending.isWaiting() && !undecided.contains(pending)) {
      undecided.add(pending);
    }
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

  private PendingCall gather(CallShape shape, CollectiveCall call, long sequence) {
    PendingCall pending = calls.enter(shape, partition.queue.now());
    pending.operation = call;
    gathering.put(sequence, pending.number);
    if (isContended(shape)) {
      stopReplay(shape.group);
      pending.live();
    } else {
      undecided.add(pending);
    }
    return pending;
  }

  /** Whether a call whose last message has yet to arrive keeps a link of a shape. */
  boolean isContended(CallShape shape) {
    for (int link : shape.state.links) {
      int holder = setup.holder[link];
      if (holder != 0 && !carryIfOver(calls.call(holder - 1))) {
        return true;
      }
    }
    return false;
  }

  // Lets a call of a group that is replayed run message by message: the messages of the next one have the same tags.
  private void stopReplay(int group) {
    int number = (int) replayedOf.get(group);
    PendingCall last = number == NONE ? null : calls.find(number);
    if (last != null && (last.isHeld() || last.putOff != null) && last.shape.group == group) {
      touched(last);
    }
  }

  private void forget(PendingCall pending, long sequence) {
    if (pending.hasAll()) {
      gathering.remove(sequence);
      if (pending.isLive()) {
        calls.release(pending);
      }
    }
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
    List<PendingCall> waiting = new ArrayList<>();
    List<PendingCall> others = new ArrayList<>();
    undecided.forEach(this::extend);
    claims.add(undecided, 1);
    for (PendingCall pending : undecided) {
      boolean ready = pending.isTraced() && isFit(pending);
      (!ready && !StragglerCalls.mayBeAwaited(pending) || !claims.isAlone(pending) ? others : ready ? alone : waiting)
          .add(pending);
    }
    claims.add(undecided, -1);
    undecided.clear();
    for (PendingCall pending : alone) {
      if (!begin(pending)) {
        others.add(pending);
      }
    }
    for (PendingCall pending : waiting) {
      if (!waits.begin(pending)) {
        others.add(pending);
      }
    }
    goLive(others);
  }

  /** Lets the members of a call that waits for others run message by message. */
  void abandon(PendingCall waiting) {
    abandon(waiting, partition.queue.now(), partition.eventKey());
  }

  /** Replays a call whose recording is put off, or lets it run message by message where it cannot be replayed. */
  void settle(PendingCall waiting) {
    DeferredCalls.Terms terms = Objects.requireNonNull(waiting.putOff, "the call is not put off");
    CallRecord record = outcomes.of(waiting, terms);
    if (record == null) {
      abandon(waiting);
    } else {
      claims.reserve(waiting, terms.room(), -1);
      replay(waiting, record, List.of());
    }
  }

  // Members of this instant have yet to begin.
  private void abandon(PendingCall waiting, long now, int eventKey) {
    if (waiting.putOff != null) {
      disturbed++;
      ends.cancel(waiting);
    }
    waits.end(waiting, now, eventKey);
    if (undecided.remove(waiting)) {
      begin(waiting.yetToBegin());
    }
    waiting.live();
    if (waiting.hasAll()) {
      calls.release(waiting);
    }
  }

  // Adds the ways of guests to the footprint of their call.
  private void extend(PendingCall pending) {
    if (pending.guests.isEmpty() || !pending.hasAll() || pending.isTraced()) {
      return;
    }
    CallShape shape = tracer.withGuests(pending);
    if (shape != null) {
      pending.shape = shape;
    }
    for (int link : pending.shape.state.links) {
      int holder = setup.holder[link];
      if (holder != 0) {
        carryIfOver(calls.call(holder - 1));
      }
    }
  }

  private static boolean isFit(PendingCall pending) {
    CallPattern pattern = pending.shape.pattern;
    return pending.before == null ? pattern.isFit() : pattern.recurs();
  }

  /** Lets all calls of this instant run message by message: a member is about to submit a message of another kind. */
  void flush() {
    List<PendingCall> all = new ArrayList<>(undecided);
    undecided.clear();
    goLive(all);
  }

  // Whether a call is replayed.
  private boolean begin(PendingCall pending) {
    List<PendingCall> met = pending.before == null ? List.of() : List.of(pending.before);
    pending.claim();
    if (pending.before != null && putOffs.takes(pending, pending.before)) {
      calls.release(pending.before);
      replayedOf.put(pending.shape.group, pending.number);
      return true;
    }
    CallRecord record = outcomes.of(pending, met);
    if (record == null) {
      if (met.isEmpty() && !pending.isWaiting()) {
        pending.shape.pattern.exclude();
      }
      return false;
    }
    replay(pending, record, met);
    return true;
  }

  /** Carries out a call whose last message has arrived, so that its links are free; whether it has. */
  boolean carryIfOver(PendingCall pending) {
    boolean over = !pending.isWaiting() && partition.queue.now() >= pending.startPs + pending.outcome().donePs;
    if (over) {
      carry(pending);
    }
    return over;
  }

  /** Replays a call, or calls under way with messages that have met theirs, on links that they keep. */
  void replay(PendingCall joint, CallRecord record, List<PendingCall> met) {
    replayed++;
    boolean takesOver = joint.before != null || !met.isEmpty();
    joined += takesOver ? 1 : 0;
    withMessages += !takesOver && !joint.guests.isEmpty() ? 1 : 0;
    ends.cancel(joint);
    met.forEach(each -> claims.reserve(each, each.room(), -1));
    joint.goOn(record, met);
    moves.replays(joint);
    if (!joint.isPassing()) {
      replayedOf.put(joint.shape.group, joint.number);
    }
    claims.reserve(joint, record.queued, 1);
    for (int i = 0; i < joint.size(); i++) {
      PendingCall.Sender each = joint.sender(i);
      boolean ended = each instanceof PendingCall.Guest guest && guest.arrived;
      if (ended != record.endsBefore(i, partition.queue.now() - joint.startPs)) {
        throw new InvariantViolation("a message or a part has ended at another time than recorded");
      }
      if (!ended) {
        ends.plan(each);
      }
    }
    for (PendingCall each : met) {
      each.numbers.finish();
      calls.release(each);
    }
  }

  // Lets the members of calls that have arrived run message by message, in the order of their arrival.
  private void goLive(List<PendingCall> all) {
    List<PendingCall.Sender> senders = new ArrayList<>();
    for (PendingCall pending : all) {
      List<PendingCall.Sender> late = pending.yetToBegin();
      if (pending.isWaiting()) {
        abandon(pending);
      } else {
        pending.live();
        if (pending.hasAll()) {
          calls.release(pending);
        }
      }
      senders.addAll(late);
    }
    begin(senders);
  }

  private void begin(List<PendingCall.Sender> senders) {
    senders.forEach(partition.sequence::remove);
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
    touched(calls.call(setup.holder[link] - 1));
  }

  // Whether the call's last message has yet to arrive, so that it runs message by message from now on.
  private boolean touched(PendingCall pending) {
    if (pending.isWaiting()) {
      abandon(pending);
      return true;
    }
    boolean over = carryIfOver(pending);
    if (!over) {
      disturb(pending, partition.queue.now(), partition.eventKey());
    }
    return !over;
  }

  /** Room in a rank's injection queue is needed that is kept for calls. */
  void makeRoom(int rank) {
    for (PendingCall pending : calls.all()) {
      if (pending.isHeld() && pending.hasMember(rank)) {
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
    moves.ended(pending);
    if (pending.isPassing()) {
      pending.shape.state.count(record.links);
    } else {
      pending.shape.state.apply(record.links, pending.startPs);
    }
    partition.meter.add(record.messages, pending.startPs + record.donePs, pending.numbers.fingerprint);
    partition.hops += record.hops;
    partition.events += record.events;
    pending.carried = true;
    pending.numbers.finish();
  }

  private void letGo(PendingCall pending, CallRecord record) {
    if (!pending.isPassing()) {
      claims.hold(pending, 0);
    }
    claims.reserve(pending, record.queued, -1);
  }

  private void disturb(PendingCall pending, long now, int eventKey) {
    disturbed++;
    moves.ended(pending);
    pending.shape.pattern.disturbed();
    for (int i = 0; i < pending.size(); i++) {
      partition.sequence.outrunWaiting(pending.sender(i).source);
    }
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
    pending.numbers.finish();
    pending.live();
    calls.release(pending);
  }

  /** The event by which a member's part ends has come. */
  void end(int number) {
    PendingCall.Sender sender = ends.take(number);
    if (sender == null) {
      return;
    }
    PendingCall pending = sender.call;
    if (pending.putOff != null) {
      settle(pending);
      return;
    }
    CallRecord record = pending.outcome();
    pending.released++;
    moves.ended(pending);
    boolean last = pending.released == pending.size();
    if (last) {
      if (!pending.carried) {
        carry(pending);
      }
      if (record.lastTimerPs >= 0) {
        partition.lastTimer = Math.max(partition.lastTimer, pending.startPs + record.lastTimerPs);
      }
      calls.release(pending);
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
    return new PacketNetwork.MemoizedCalls(
        outcomes.recorded, replayed, disturbed, withMessages, joined, putOffs.count);
  }

  /** Simulates the calls that are under way up to the end of a run. */
  void finish(long untilPs) {
    for (PendingCall pending : calls.all()) {
      if (pending.isWaiting()) {
        abandon(pending, untilPs, NONE);
      } else if (pending.isHeld()) {
        disturb(pending, untilPs, NONE);
      }
    }
  }
}
