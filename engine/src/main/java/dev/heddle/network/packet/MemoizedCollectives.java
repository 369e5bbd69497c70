package dev.heddle.network.packet;

import dev.heddle.engine.CallCache;
import dev.heddle.engine.CollectiveCall;
import dev.heddle.engine.CollectiveGroups;
import dev.heddle.engine.Collectives;
import dev.heddle.engine.ProgramRunner;
import dev.heddle.engine.SteppedCollectives;
import dev.heddle.internal.collect.LongLongMap;
import dev.heddle.workload.Operation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
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
  private final LongLongMap gathering = new LongLongMap(NONE);
  private final List<@Nullable PendingCall> calls = new ArrayList<>();
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  // Calls of this instant some of whose members have yet to arrive.
  private final List<PendingCall> incomplete = new ArrayList<>();
  private final ReplayedEnds ends;
  private final LongList key = new LongList();
  private final int[] channelLink;

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
  }

  @Override
  public boolean arrive(ProgramRunner runner, int slot, int rank, Operation operation) {
    CollectiveCall call = CollectiveCall.of(operation);
    int group = call.group();
    Optional<CallShape> shape = shapes.get(call, this::trace);
    long sequence = key(group, partition.log.next(group, rank));
    int known = (int) gathering.get(sequence);
    if (known == NONE && (shape.isEmpty() || !shape.get().pattern.isFit())) {
      return stepped.arrive(runner, slot, rank, operation);
    }
    PendingCall pending = known == NONE ? gather(shape.orElseThrow(), sequence) : call(known);
    if (pending.shape != shape.orElse(null) || pending.isLive()) {
      pending.passed();
      forget(pending, sequence);
      return stepped.arrive(runner, slot, rank, operation);
    }
    int position = groups.position(group, rank);
    PendingCall.Member member = new PendingCall.Member(
        pending, position, rank, runner.reserve(slot, pending.shape.streams(position)),
        stepped.entry(group, rank, operation), partition);
    partition.sequence.open(member);
    if (pending.add(member)) {
      incomplete.remove(pending);
      forget(pending, sequence);
      begin(pending);
    }
    return false;
  }

  private static long key(int group, int sequence) {
    return (long) group << 32 | sequence;
  }

  private Optional<CallShape> trace(CollectiveCall call) {
    return Optional.ofNullable(tracer.trace(call.group(), stepped.schedule(call)));
  }

  private PendingCall call(int number) {
    PendingCall pending = calls.get(number);
    if (pending == null) {
      throw new IllegalStateException("call " + number + " is over");
    }
    return pending;
  }

  private PendingCall gather(CallShape shape, long sequence) {
    int number = free.isEmpty() ? calls.size() : free.remove();
    PendingCall pending = new PendingCall(shape, number, partition.queue.now());
    if (number == calls.size()) {
      calls.add(pending);
    } else {
      calls.set(number, pending);
    }
    gathering.put(sequence, number);
    incomplete.add(pending);
    return pending;
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

  /** Whether some call lacks members at the end of an instant; those that have arrived then begin. */
  boolean endInstant() {
    if (incomplete.isEmpty() || partition.aside != null) {
      return false;
    }
    while (!incomplete.isEmpty()) {
      goLive(incomplete.get(0));
    }
    return true;
  }

  // All members have arrived.
  private void begin(PendingCall pending) {
    if (!isAlone(pending)) {
      goLive(pending);
      return;
    }
    CallShape shape = pending.shape;
    long now = partition.queue.now();
    shape.state.normalize(now);
    key.clear();
    pending.describe(key);
    shape.state.describe(key, now);
    long[] start = key.toArray();
    CallRecord record = shape.pattern.find(start);
    hold(pending, pending.number + 1);
    if (record == null) {
      record = aside.record(pending);
      if (record != null) {
        shape.pattern.add(start, record);
      }
    }
    if (record == null || !hasRoom(pending, record)) {
      hold(pending, 0);
      shape.pattern.exclude();
      goLive(pending);
      return;
    }
    replay(pending, record);
  }

  private void hold(PendingCall pending, int holder) {
    for (int link : pending.shape.state.links) {
      setup.holder[link] = holder;
    }
  }

  private boolean isAlone(PendingCall pending) {
    FootprintState state = pending.shape.state;
    long now = partition.queue.now();
    for (int link : state.links) {
      int holder = setup.holder[link];
      if (holder != 0) {
        touched(call(holder - 1), now);
        if (setup.holder[link] != 0) {
          throw new IllegalStateException("a link is held by a call that is over");
        }
      }
    }
    if (!state.isIdle() || !partition.units.avoids(channelLink, pending.shape)) {
      return false;
    }
    for (PendingCall.Member member : pending.members) {
      if (partition.runner.waitsForRoom(member.rank) || partition.runner.lags(member.streams)) {
        return false;
      }
    }
    return true;
  }

  private boolean hasRoom(PendingCall pending, CallRecord record) {
    for (PendingCall.Member member : pending.members) {
      int taken = setup.queued[member.rank] + setup.reservedRoom[member.rank];
      if (taken + record.queued[member.position] > setup.injectionQueue) {
        return false;
      }
    }
    return true;
  }

  private void replay(PendingCall pending, CallRecord record) {
    pending.begin(record);
    for (PendingCall.Member member : pending.members) {
      setup.reservedRoom[member.rank] += record.queued[member.position];
      ends.plan(member);
    }
  }

  /** Lets the members that have arrived run message by message. */
  private void goLive(PendingCall pending) {
    pending.live();
    incomplete.remove(pending);
    for (int i = 0; i < pending.arrivals; i++) {
      partition.sequence.remove(pending.arrived[i]);
    }
    for (int i = 0; i < pending.arrivals; i++) {
      PendingCall.Member member = pending.arrived[i];
      partition.runner.start(member.streams, stepped.timed(
          stepped.program(pending.shape.group, pending.shape.schedule, member.position), member.part));
    }
  }

  /** A terminal is about to submit a message, while a member of a call that is incomplete is on it. */
  void outrun(PendingCall pending) {
    goLive(pending);
  }

  /** A message of somebody else comes to a link. */
  void contend(int link) {
    touched(call(setup.holder[link] - 1), partition.queue.now());
  }

  private void touched(PendingCall pending, long now) {
    if (now >= pending.startPs + pending.outcome().donePs) {
      carry(pending);
    } else {
      disturb(pending, now, partition.eventKey());
    }
  }

  /** Room in a rank's injection queue is needed that is kept for calls. */
  void makeRoom(int rank) {
    for (PendingCall pending : new ArrayList<>(calls)) {
      if (pending != null && pending.isHeld() && pending.hasMember(rank)) {
        touched(pending, partition.queue.now());
      }
    }
  }

  // Accounts for all messages of a call, whose last one has arrived.
  private void carry(PendingCall pending) {
    CallRecord record = pending.outcome();
    for (PendingCall.Member member : pending.members) {
      partition.sequence.close(member);
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
    for (PendingCall.Member member : pending.members) {
      setup.reservedRoom[member.rank] -= record.queued[member.position];
    }
  }

  private void disturb(PendingCall pending, long now, int eventKey) {
    pending.shape.pattern.disturbed();
    for (PendingCall.Member member : pending.members) {
      partition.sequence.takeUntil(member.source, now, eventKey);
    }
    for (PendingCall.Member member : pending.members) {
      partition.sequence.remove(member);
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
    PendingCall.Member member = ends.take(number);
    if (member == null) {
      return;
    }
    PendingCall pending = member.call;
    CallRecord record = pending.outcome();
    pending.released++;
    boolean last = pending.released == pending.members.length;
    if (last) {
      if (!pending.carried) {
        carry(pending);
      }
      if (record.lastTimerPs >= 0) {
        partition.lastTimer = Math.max(partition.lastTimer, pending.startPs + record.lastTimerPs);
      }
      release(pending);
    }
    stepped.ended(member.part);
    partition.runner.release(member.streams);
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
