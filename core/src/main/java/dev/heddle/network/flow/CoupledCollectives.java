package dev.heddle.network.flow;

import dev.heddle.collective.Group;
import dev.heddle.collective.Pipeline;
import dev.heddle.engine.CallCache;
import dev.heddle.engine.CollectiveCall;
import dev.heddle.engine.CollectiveLog;
import dev.heddle.engine.Collectives;
import dev.heddle.engine.Communicators;
import dev.heddle.engine.Events;
import dev.heddle.engine.ProgramRunner;
import dev.heddle.engine.SteppedCollectives;
import dev.heddle.network.Meter;
import dev.heddle.spi.CollectiveCost;
import dev.heddle.spi.CollectiveRequest;
import dev.heddle.spi.TierPlan;
import dev.heddle.workload.Operation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Carries out collectives as coupled flows: when the last member has come, every pipeline of the first phase begins to run
 * over all its links at once, then those of the next, and all members go on when the last pipeline has ended. What has no pipelines goes step by step, or, where
 * flows do not share links, takes its time in closed form.
 */
final class CoupledCollectives implements Collectives {
  private final Carrier carrier;
  private final Communicators communicators;
  private final SteppedCollectives stepped;
  private final CallCache<Plan> plans = new CallCache<>();
  private final Map<Long, Gathering> gatherings = new LinkedHashMap<>();
  private final ArrayDeque<Integer> limits = new ArrayDeque<>();
  private final List<@Nullable Gathering> running = new ArrayList<>();
  private final ArrayDeque<Integer> freeNumbers = new ArrayDeque<>();
  private final Map<Integer, Leg> legs = new LinkedHashMap<>();
  final CollectiveLog log = new CollectiveLog();
  private long liveBytes;

  /**
   * How a call is carried out: by the pipelines of one phase after another, or, without any, in a time; or step by step
   * where that is negative.
   */
  private record Plan(List<List<CoupledWay>> phases, long timePs) {
    boolean stepwise() {
      return phases.isEmpty() && timePs < 0;
    }
  }

  /** A flow under way: of which collective, and the link that stands for its limit. */
  private record Leg(Gathering gathering, CoupledWay way, int limitLink) {}

  /** A collective whose members come together, and then wait. */
  private static final class Gathering {
    private final CollectiveCall call;
    private final Plan plan;
    private final int[] slots;
    private final long startPs;
    private final int sequence;
    private int number;
    private int phase;
    private int arrived;
    private int flows;
    private long endPs;

    Gathering(CollectiveCall call, Plan plan, int members, long startPs, int sequence) {
      this.call = call;
      this.plan = plan;
      this.startPs = startPs;
      this.sequence = sequence;
      slots = new int[members];
    }
  }

  CoupledCollectives(Carrier carrier, Communicators communicators) {
    this.carrier = carrier;
    this.communicators = communicators;
    stepped = new SteppedCollectives(communicators, log, carrier.queue);
  }

  @Override
  public boolean arrive(ProgramRunner runner, int slot, int rank, Operation operation) {
    int group = operation.tag();
    CollectiveCall call = CollectiveCall.of(operation);
    Plan plan = plans.get(call, this::compile);
    if (plan.stepwise()) {
      return stepped.arrive(runner, slot, rank, operation);
    }
    int sequence = log.begin(group, rank);
    long key = (long) group << 32 | sequence;
    Gathering gathering = gatherings.get(key);
    int members = communicators.group(group).size();
    if (gathering == null) {
      gathering = new Gathering(call, plan, members, carrier.queue.now(), sequence);
      gatherings.put(key, gathering);
    }
    if (!gathering.call.equals(call)) {
      throw new IllegalArgumentException("rank " + rank + " comes to " + call + " while others of the group are at "
          + gathering.call);
    }
    gathering.slots[communicators.position(group, rank)] = slot;
    gathering.arrived++;
    if (gathering.arrived == members) {
      gatherings.remove(key);
      start(gathering);
    }
    return false;
  }

  private Plan compile(CollectiveCall call) {
    CollectiveRequest request = communicators.request(call);
    List<List<CoupledWay>> phases = new ArrayList<>();
    for (Pipeline pipeline : communicators.algorithm().pipelines(request)) {
      while (phases.size() <= pipeline.phase()) {
        phases.add(new ArrayList<>());
        carrier.passage.forget();
      }
      phases.get(pipeline.phase()).add(new CoupledWay(pipeline, carrier));
    }
    carrier.passage.forget();
    if (carrier.settings.contended()) {
      return new Plan(phases, -1);
    }
    if (phases.isEmpty()) {
      CollectiveCost cost = communicators.algorithm().cost(request);
      long roundsPs = Math.multiplyExact(cost.rounds(), communicators.algorithm().roundPs());
      return new Plan(phases, roundsPs + new ClosedForm(carrier, cost).timePs(request.group()));
    }
    phases.forEach(this::shareAmongThemselves);
    return new Plan(phases, -1);
  }

  // Where flows do not share links, the pipelines of one phase still do: the fullest link of each is its limit.
  private void shareAmongThemselves(List<CoupledWay> ways) {
    double[] busyPs = new double[carrier.plan.links];
    for (CoupledWay way : ways) {
      for (int i = 0; i < way.count(); i++) {
        busyPs[way.links()[i]] += way.weights()[i] * way.pipeline().bytes();
      }
    }
    for (CoupledWay way : ways) {
      double longest = 0;
      for (int i = 0; i < way.count(); i++) {
        longest = Math.max(longest, busyPs[way.links()[i]]);
      }
      if (longest > 0) {
        way.lower(way.pipeline().bytes() / longest);
      }
    }
  }

  private void start(Gathering gathering) {
    gathering.number = freeNumbers.isEmpty() ? running.size() : freeNumbers.remove();
    if (gathering.number == running.size()) {
      running.add(gathering);
    } else {
      running.set(gathering.number, gathering);
    }
    gathering.endPs = Math.addExact(carrier.queue.now(), Math.max(0, gathering.plan.timePs()));
    if (gathering.plan.phases().isEmpty()) {
      finish(gathering);
    } else {
      beginPhase(gathering);
    }
  }

  private void beginPhase(Gathering gathering) {
    long now = carrier.queue.now();
    for (CoupledWay way : gathering.plan.phases().get(gathering.phase)) {
      if (way.pipeline().bytes() == 0 || way.count() == 0) {
        gathering.endPs = Math.max(gathering.endPs, now + way.fillPs());
      } else {
        begin(gathering, way);
      }
    }
    gathering.endPs = Math.max(gathering.endPs, now);
    if (gathering.flows == 0) {
      finish(gathering);
    }
  }

  private void begin(Gathering gathering, CoupledWay way) {
    int limitLink = FairShare.NONE;
    if (way.limited()) {
      limitLink = limits.isEmpty() ? carrier.shares.addLink() : limits.remove();
      way.hold(limitLink);
    }
    int flow = carrier.begin(way, way.pipeline().bytes());
    if (way.limited()) {
      way.release();
    }
    legs.put(flow, new Leg(gathering, way, limitLink));
    gathering.flows++;
    for (int kind = Meter.INTRA; kind <= Meter.INTER; kind++) {
      carrier.meter.submitted(kind, way.bytes(kind), carrier.queue.now());
      liveBytes += way.bytes(kind);
    }
  }

  /** A flow has ended. */
  void ended(int flow) {
    Leg leg = legs.remove(flow);
    if (leg == null) {
      throw new IllegalStateException("flow " + flow + " belongs to no collective");
    }
    if (leg.limitLink() != FairShare.NONE) {
      limits.add(leg.limitLink());
    }
    long now = carrier.queue.now();
    CoupledWay way = leg.way();
    Gathering gathering = leg.gathering();
    gathering.endPs = Math.max(gathering.endPs, Math.addExact(now, way.fillPs()));
    for (int kind = Meter.INTRA; kind <= Meter.INTER; kind++) {
      carrier.meter.received(kind, way.bytes(kind), now);
      liveBytes -= way.bytes(kind);
    }
    gathering.flows--;
    if (gathering.flows == 0) {
      finish(gathering);
    }
  }

  private void finish(Gathering gathering) {
    carrier.queue.push(gathering.endPs, Events.pack(Events.COLLECTIVE, gathering.number, 0));
  }

  /** A phase of a collective has ended: the next one begins, or, after the last one, all members go on. */
  void complete(int number) {
    Gathering gathering = running.get(number);
    if (gathering == null) {
      throw new IllegalStateException("no collective " + number + " is under way");
    }
    gathering.phase++;
    if (gathering.phase < gathering.plan.phases().size()) {
      beginPhase(gathering);
      return;
    }
    running.set(number, null);
    freeNumbers.add(number);
    CollectiveCall call = gathering.call;
    int members = gathering.slots.length;
    log.add(new CollectiveLog.Call(
        call.group(), gathering.sequence, call.op(), members, call.bytes(), gathering.startPs, carrier.queue.now(),
        members));
    carrier.meter.marked((long) call.group() << 32 | gathering.sequence, carrier.queue.now());
    for (int slot : gathering.slots) {
      carrier.runner.resume(slot);
    }
  }

  /** The collectives whose members are coming or waiting. */
  int live() {
    return gatherings.size() + running.size() - freeNumbers.size();
  }

  /** The bytes that flows of collectives have yet to deliver. */
  long liveBytes() {
    return liveBytes;
  }

  /**
   * The α-β time of a cost: α and β are those of the slowest message of mean size between neighbours, or from the first
   * rank to one at a power of two.
   */
  private static final class ClosedForm {
    private final Carrier carrier;
    private final CollectiveCost cost;
    private final long messageBytes;
    private double alphaPs;
    private double betaPs;

    ClosedForm(Carrier carrier, CollectiveCost cost) {
      this.carrier = carrier;
      this.cost = cost;
      messageBytes = Math.max(1, cost.bytes() / Math.max(1, cost.rounds()));
    }

    long timePs(Group group) {
      int n = group.size();
      for (int rank = 0; rank < n && n > 1; rank++) {
        look(group.member(rank), group.member((rank + 1) % n));
      }
      for (int distance = 2; distance < n; distance *= 2) {
        look(group.member(0), group.member(distance));
      }
      return Math.round(cost.seconds(alphaPs, betaPs, 0));
    }

    private void look(int source, int target) {
      long id = FlowMessages.id(source, 0);
      int first = TierPlan.linkOf(carrier.firstChannel(source, target, id));
      carrier.passage.plan(first, id, target, messageBytes, 0);
      alphaPs = Math.max(alphaPs, carrier.passage.zeroLoadPs() - carrier.passage.occupiedPs());
      betaPs = Math.max(betaPs, (double) carrier.passage.occupiedPs() / messageBytes);
    }
  }
}
