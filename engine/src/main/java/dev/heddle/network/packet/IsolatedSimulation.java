package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import dev.heddle.engine.Mailbox;
import dev.heddle.engine.SteppedCollectives;
import dev.heddle.fabric.Fabric;
import dev.heddle.internal.collect.EventQueue;
import dev.heddle.internal.collect.ForeseenProgram;
import dev.heddle.internal.collect.LoneStreams;
import dev.heddle.network.InvariantViolation;
import dev.heddle.network.Meter;
import dev.heddle.network.NetworkException;
import dev.heddle.workload.Program;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Simulation of a collective call aside from everything else, on a clock of its own. */
final class IsolatedSimulation {
  private final Partition partition;
  private final Fabric fabric;
  private final RunContext setup;
  private final SteppedCollectives stepped;

  IsolatedSimulation(Partition partition, NetworkPlan plan, RunContext setup, SteppedCollectives stepped) {
    this.partition = partition;
    fabric = plan.fabric;
    this.setup = setup;
    this.stepped = stepped;
  }

  /**
   * Records a call, whose links are idle, from its begin to its end, and leaves everything as it was.
   *
   * @return the record; null where the call does not end by itself, or in a way that cannot be replayed
   * @throws NetworkException when the call stalls, or does not end within the run
   */
  @Nullable
  CallRecord record(PendingCall pending) {
    FootprintState state = pending.shape.state;
    FootprintState.Saved before = state.save();
    state.clearMostQueued();
    IsolatedRun run = new IsolatedRun(pending, true, partition, setup);
    Watch watch = new Watch(pending.size());
    int[] queued = new int[pending.members.length];
    for (PendingCall.Member member : pending.members) {
      queued[member.position] = setup.queued[member.rank];
      setup.queued[member.rank] = 0;
    }
    int units = partition.units.live();
    int messages = partition.messages.live();
    // The mail of others takes no part, and would be looked at with each state that may recur.
    Mailbox mail = new Mailbox();
    Mailbox others = partition.runner.exchange(mail);
    long hops = partition.hops;
    long events = partition.events;
    long lastTimer = partition.lastTimer;
    partition.hops = 0;
    partition.events = 0;
    partition.lastTimer = -1;
    EventQueue own = new EventQueue(pending.startPs);
    partition.step(run, own);
    begin(pending, run, watch);
    partition.run(setup.untilPs);
    boolean inTime = partition.queue.isEmpty();
    partition.step(null, own);
    partition.runner.exchange(others);
    CallRecord record = null;
    boolean complete = run.distinct && watch.isComplete(pending.startPs) && run.arrived == run.count && run.predictable
        && units == partition.units.live() && messages == partition.messages.live() && mail.isEmpty();
    if (complete) {
      state.normalizeAt(last(run));
      record = new CallRecord(
          run, new CallRecord.Ends(watch.endPs(pending.startPs), watch.localKeys(pending),
              watch.lastTimerPs(partition.lastTimer, pending.startPs), partition.hops, partition.events),
          state.outcome(before, pending.startPs), batch(run));
    } else if (!watch.allEnded()) {
      throw NetworkException.unfinished(inTime ? partition.queue.now() : setup.untilPs, inTime,
          partition.units.live() + " units", partition.runner.waiting());
    }
    state.restore(before);
    for (PendingCall.Member member : pending.members) {
      setup.queued[member.rank] = queued[member.position];
    }
    partition.hops = hops;
    partition.events = events;
    partition.lastTimer = lastTimer;
    return record;
  }

  private static long last(IsolatedRun run) {
    long last = run.call.startPs;
    for (int i = 0; i < run.count; i++) {
      last = Math.max(last, run.delivered[i]);
    }
    return last;
  }

  private void begin(PendingCall pending, IsolatedRun run, Watch watch) {
    run.arriving = true;
    run.ended = guest -> watch.ended(guest.position, partition.queue.now(), partition.eventKey());
    for (PendingCall.Sender each : pending.begun()) {
      reach(each, run);
      if (each instanceof PendingCall.Guest guest) {
        run.guest = guest;
        partition.injection.submit(guest.rank, guest.peer, guest.bytes, guest.tag, guest.service);
        run.guest = null;
        continue;
      }
      PendingCall.Member member = (PendingCall.Member) each;
      int position = member.position;
      Program program = stepped.program(pending.shape.group, pending.shape.schedule(), position);
      boolean live = !run.recording && !member.streams.isReleased();
      Program foreseen = run.recording && setup.skips ? foreseen(member, program, watch) : program;
      partition.runner.play(
          member.streams, live ? member.program(stepped) : foreseen,
          () -> watch.ended(position, partition.queue.now(), partition.eventKey()));
    }
    run.arriving = false;
  }

  // Brings a call to the event by which a member or a message of it comes.
  private void reach(PendingCall.Sender sender, IsolatedRun run) {
    long timePs = sender.arrivalPs;
    if (timePs > run.call.startPs) {
      run.arriving = false;
      if (timePs > partition.queue.now()) {
        runUntil(timePs);
        run.distinct &= partition.queue.nextTime() > timePs;
        partition.queue.advance(timePs);
      }
      partition.runInstant(timePs, run.recording ? Integer.MAX_VALUE : sender.arrivalKey());
      run.arriving = true;
    }
  }

  // Runs what is left of this instant, and all instants before a time.
  private void runUntil(long timePs) {
    partition.runInstant(partition.queue.now(), Integer.MAX_VALUE);
    partition.run(timePs);
  }

  // A part whose lone streams, if any, have been accounted for, and whose others can be read in advance.
  private Program foreseen(PendingCall.Member member, Program program, Watch watch) {
    CallShape shape = member.call.shape;
    LoneStreams lone = LoneStreams.of(
        shape.schedule().steps(member.position), stepped.program(shape.group, shape.schedule(), member.position));
    long endPs = Math.addExact(member.call.startPs, lone.endPs());
    if (lone.isEmpty() || endPs >= setup.untilPs) {
      return new ForeseenProgram(program);
    }
    partition.events += lone.events();
    watch.alone(member.position, endPs, Events.pack(Events.STREAM, member.streams.slot(lone.last()), 0));
    return new ForeseenProgram(lone.without(program));
  }

  /**
   * Simulates a call from its begin up to an event, that event included, and lets it go on with everything else.
   *
   * @param eventKey kind and target of the event
   */
  void catchUp(PendingCall pending, long untilPs, int eventKey) {
    IsolatedRun run = new IsolatedRun(pending, false, partition, setup);
    Watch watch = new Watch(pending.size());
    EventQueue own = new EventQueue(pending.startPs);
    partition.step(run, own);
    begin(pending, run, watch);
    if (untilPs > partition.queue.now()) {
      runUntil(untilPs);
    }
    partition.runInstant(untilPs, eventKey);
    partition.step(null, own);
    while (own.pop()) {
      partition.queue.push(own.now(), own.event());
    }
    for (PendingCall.Guest guest : pending.guests) {
      if (watch.hasEnded(guest.position) != guest.arrived) {
        throw new InvariantViolation("a message that was simulated again has arrived at another time");
      }
    }
    for (PendingCall.Sender each : pending.begun()) {
      if (!(each instanceof PendingCall.Member member)) {
        continue;
      }
      boolean ended = watch.hasEnded(member.position);
      if (ended != member.streams.isReleased()) {
        throw new InvariantViolation("a collective that was simulated again has ended at another time");
      }
      if (ended) {
        partition.runner.giveBack(member.streams);
      } else {
        partition.runner.join(member.streams);
      }
    }
  }

  private Meter.Batch batch(IsolatedRun run) {
    long[] messages = new long[2];
    long[] bytes = new long[2];
    long[] sum = new long[2];
    Map<Long, Long> within = new TreeMap<>();
    Map<Long, Long> between = new TreeMap<>();
    for (int i = 0; i < run.count; i++) {
      PendingCall.Sender member = run.call.sender(run.member[i]);
      int kind = Meter.kind(fabric.sameNode(member.source, run.destination[i]));
      messages[kind]++;
      bytes[kind] += run.bytes[i];
      long latency = run.delivered[i] - run.submitted[i];
      sum[kind] += latency;
      (kind == Meter.INTRA ? within : between).merge(latency, 1L, Long::sum);
    }
    return new Meter.Batch(
        messages, bytes, sum, new long[][] {values(within.keySet()), values(between.keySet())},
        new long[][] {values(within.values()), values(between.values())});
  }

  private static long[] values(Collection<Long> all) {
    return all.stream().mapToLong(each -> each).toArray();
  }

  /** The ends of the members' parts. */
  private static final class Watch {
    private static final long NEVER = -1;
    private final long[] endedAt;
    private final int[] endedBy;
    private final long[] aloneAt;
    private final int[] aloneBy;

    Watch(int members) {
      endedAt = new long[members];
      endedBy = new int[members];
      aloneAt = new long[members];
      aloneBy = new int[members];
      Arrays.fill(endedAt, NEVER);
      Arrays.fill(aloneAt, NEVER);
    }

    // The last of the streams that are not simulated ends by an event.
    void alone(int position, long timePs, long event) {
      aloneAt[position] = timePs;
      aloneBy[position] = (int) (event >>> 32);
    }

    void ended(int position, long now, int eventKey) {
      long alonePs = aloneAt[position];
      boolean before = now < alonePs || now == alonePs && eventKey < aloneBy[position];
      endedAt[position] = before ? alonePs : now;
      endedBy[position] = before ? aloneBy[position] : eventKey;
    }

    // The last timer relative to the begin, of the streams that are not simulated, too; negative if there is none.
    // Skipped periods delay the partition's timers, but not those of these streams.
    long lastTimerPs(long ofPartition, long startPs) {
      long last = Math.max(ofPartition, Arrays.stream(aloneAt).max().orElse(NEVER));
      return last < 0 ? NEVER : last - startPs;
    }

    boolean allEnded() {
      return Arrays.stream(endedAt).noneMatch(end -> end == NEVER);
    }

    boolean hasEnded(int position) {
      return endedAt[position] != NEVER;
    }

    // Each part ends by an event that can be replayed, after the begin.
    boolean isComplete(long startPs) {
      for (int i = 0; i < endedAt.length; i++) {
        int kind = endedBy[i] >> 28;
        if (endedAt[i] <= startPs || kind != Events.STREAM && kind != Events.DELIVER) {
          return false;
        }
      }
      return true;
    }

    long[] endPs(long startPs) {
      return Arrays.stream(endedAt).map(end -> end - startPs).toArray();
    }

    int[] localKeys(PendingCall pending) {
      return Arrays.stream(endedBy).map(key -> CallKeys.local(pending, key)).toArray();
    }
  }
}
