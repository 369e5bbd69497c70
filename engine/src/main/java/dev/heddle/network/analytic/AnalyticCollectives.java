package dev.heddle.network.analytic;

import dev.heddle.engine.CallCache;
import dev.heddle.engine.CollectiveCall;
import dev.heddle.engine.CollectiveGroups;
import dev.heddle.engine.CollectiveLog;
import dev.heddle.engine.Collectives;
import dev.heddle.engine.Events;
import dev.heddle.engine.ProgramRunner;
import dev.heddle.fabric.Fabric;
import dev.heddle.internal.collect.EventQueue;
import dev.heddle.network.Meter;
import dev.heddle.network.flow.IdleFabric;
import dev.heddle.workload.Operation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Collectives at analytic fidelity. When the last member has arrived, the collective takes its time on the idle fabric,
 * which is evaluated once per group, operation and size, and once for groups at the same positions of equal nodes.
 */
final class AnalyticCollectives implements Collectives {
  private final Fabric fabric;
  private final CollectiveGroups groups;
  private final IdleFabric idle;
  private final EventQueue queue;
  private final Meter meter;
  private final LinkTotals totals;
  private final CallCache<IdleFabric.Evaluation> evaluations = new CallCache<>();
  private final Map<Shape, IdleFabric.Evaluation> shapes = new LinkedHashMap<>();
  private final Map<Long, Integer> gathering = new LinkedHashMap<>();
  private final List<Pending> pending = new ArrayList<>();
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  final CollectiveLog log = new CollectiveLog();
  private long liveBytes;
  private long hops;

  /** Calls that differ only in the node of their group. */
  private record Shape(CollectiveCall call, List<Integer> positions) {}

  /** A collective whose members are arriving, or wait for its end. */
  private static final class Pending {
    private final CollectiveCall call;
    private final int sequence;
    private final int[] slots;
    private final long startPs;
    private int arrived;
    private final IdleFabric.Evaluation evaluation;

    Pending(CollectiveCall call, int sequence, int members, long startPs, IdleFabric.Evaluation evaluation) {
      this.call = call;
      this.sequence = sequence;
      slots = new int[members];
      this.startPs = startPs;
      this.evaluation = evaluation;
    }
  }

  AnalyticCollectives(
      Fabric fabric, CollectiveGroups groups, IdleFabric idle, EventQueue queue, Meter meter, LinkTotals totals) {
    this.fabric = fabric;
    this.groups = groups;
    this.idle = idle;
    this.queue = queue;
    this.meter = meter;
    this.totals = totals;
  }

  @Override
  public boolean arrive(ProgramRunner runner, int slot, int rank, Operation operation) {
    int group = operation.tag();
    CollectiveCall call = CollectiveCall.of(operation);
    int sequence = log.begin(group, rank);
    int number = gathering.computeIfAbsent(key(group, sequence), key -> begin(call, sequence));
    Pending collective = pending.get(number);
    if (!collective.call.equals(call)) {
      throw new IllegalArgumentException(
          "rank " + rank + " comes to " + call + " while others of the group are at " + collective.call);
    }
    collective.slots[groups.position(group, rank)] = slot;
    collective.arrived++;
    if (collective.arrived == collective.slots.length) {
      gathering.remove(key(group, sequence));
      long endPs = Math.addExact(queue.now(), collective.evaluation.timePs());
      submit(collective, endPs);
      queue.push(endPs, Events.pack(Events.COLLECTIVE, number, 0));
    }
    return false;
  }

  private static long key(int group, int sequence) {
    return (long) group << 32 | sequence;
  }

  private int begin(CollectiveCall call, int sequence) {
    Pending collective = new Pending(
        call, sequence, groups.group(call.group()).size(), queue.now(), evaluations.get(call, this::evaluate));
    Integer number = free.poll();
    if (number == null) {
      pending.add(collective);
      return pending.size() - 1;
    }
    pending.set(number, collective);
    return number;
  }

  private IdleFabric.Evaluation evaluate(CollectiveCall call) {
    List<Integer> positions = new ArrayList<>();
    int node = groups.node(groups.terminal(call.group(), 0));
    for (int position = 0; position < groups.group(call.group()).size(); position++) {
      int terminal = groups.terminal(call.group(), position);
      if (groups.node(terminal) != node) {
        return idle.evaluate(groups, call);
      }
      positions.add(fabric.position(terminal));
    }
    CollectiveCall anywhere = new CollectiveCall(0, call.op(), call.bytes(), call.root());
    return shapes.computeIfAbsent(new Shape(anywhere, positions), shape -> idle.evaluate(groups, call));
  }

  private void submit(Pending collective, long endPs) {
    IdleFabric.Evaluation evaluation = collective.evaluation;
    meter.submitted(Meter.INTRA, evaluation.intraBytes(), queue.now());
    meter.submitted(Meter.INTER, evaluation.interBytes(), queue.now());
    liveBytes += evaluation.intraBytes() + evaluation.interBytes();
    hops += evaluation.load().hops();
    totals.begin(evaluation.load(), queue.now());
    totals.carried(evaluation.load(), 1, queue.now(), endPs);
  }

  /** Ends a collective: all members go on. */
  void complete(int number, ProgramRunner runner) {
    Pending collective = pending.get(number);
    long now = queue.now();
    IdleFabric.Evaluation evaluation = collective.evaluation;
    meter.received(Meter.INTRA, evaluation.intraBytes(), now);
    meter.received(Meter.INTER, evaluation.interBytes(), now);
    liveBytes -= evaluation.intraBytes() + evaluation.interBytes();
    CollectiveCall call = collective.call;
    log.of(call.op(), call.bytes(), collective.slots.length).add(collective.startPs, now);
    meter.marked(key(call.group(), collective.sequence), now);
    free.add(number);
    for (int slot : collective.slots) {
      runner.resume(slot);
    }
  }

  /** Collectives whose members are arriving or waiting. */
  int live() {
    return pending.size() - free.size();
  }

  /** Bytes that collectives have yet to deliver. */
  long liveBytes() {
    return liveBytes;
  }

  /** Links crossed by the messages of all collectives. */
  long hops() {
    return hops;
  }
}
