package dev.heddle.network.flow;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.MessageLabel;
import dev.heddle.collective.Pipeline;
import dev.heddle.engine.CallCache;
import dev.heddle.engine.CollectiveCall;
import dev.heddle.engine.CollectiveGroups;
import dev.heddle.engine.CollectiveLog;
import dev.heddle.engine.Collectives;
import dev.heddle.engine.Events;
import dev.heddle.engine.ProgramRunner;
import dev.heddle.engine.SteppedCollectives;
import dev.heddle.internal.collect.FairShare;
import dev.heddle.internal.collect.LongLongMap;
import dev.heddle.network.Meter;
import dev.heddle.units.SimTime;
import dev.heddle.workload.Operation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Collectives as coupled flows: when the last member has arrived, every pipeline of the first phase runs over all its
 * links at once, then those of the next, and all members continue when the last pipeline has ended. Plans without
 * pipelines run step by step.
 *
 * <p>A training job repeats a collective on idle links a million times. The time of a phase on idle links is memoized:
 * a repetition holds its links without flows, until another flow contends for one of them; the rest then runs as flows.
 */
final class CoupledCollectives implements Collectives {
  private static final int NONE = -1;

  private final FlowSimulator carrier;
  private final CollectiveGroups communicators;
  private final @Nullable PacketHost host;
  private final SteppedCollectives stepped;
  private final CallCache<Plan> plans = new CallCache<>();
  private final Map<Shape, MemoizedTime> shapes = new LinkedHashMap<>();
  private final LongLongMap gatherings = new LongLongMap(NONE);
  private final ArrayDeque<Integer> limits = new ArrayDeque<>();
  private final List<PendingCollective> running = new ArrayList<>();
  private final ArrayDeque<PendingCollective> free = new ArrayDeque<>();
  private final Map<Integer, Leg> legs = new LinkedHashMap<>();
  final CollectiveLog log = new CollectiveLog();
  private long liveBytes;

  // Per link: 1 + the number of the collective that holds it, or 0.
  private final int[] holder;

  // Per link: room that is 0 between plans.
  private final int[] places;

  // Per channel: payload of a phase, 0 between plans.
  private final double[] credited;

  /** The phases of a call, whose pipelines run one phase after another; without any, the call goes step by step. */
  private record Plan(List<Phase> phases, CollectiveLog.Sum sum, boolean meets, int copies) {
    boolean stepwise() {
      return phases.isEmpty();
    }
  }

  /** Concurrent pipelines, their load of links, their time on idle links, and their bytes. */
  private record Phase(List<CoupledFlow> ways, LinkLoad footprint, MemoizedTime alone, long intraBytes,
      long interBytes) {
    static Phase of(List<CoupledFlow> ways, LinkLoad footprint, MemoizedTime alone) {
      return new Phase(ways, footprint, alone, sum(ways, Meter.INTRA), sum(ways, Meter.INTER));
    }

    private static long sum(List<CoupledFlow> ways, int kind) {
      return ways.stream().mapToLong(way -> way.bytes(kind)).reduce(0, Math::addExact);
    }
  }

  /** Time of phases of one shape on idle links; negative until it is known. */
  private static final class MemoizedTime {
    private long ps = NONE;
  }

  /** Phases of calls that differ only in the node that they are in. */
  private record Shape(CollectiveOp op, long bytes, int root, List<Integer> positions, int phase) {}

  /** A flow under way: of which collective, and the link that stands for its limit. */
  private record Leg(PendingCollective gathering, CoupledFlow way, int limitLink) {}

  /** A collective whose members come together, and then wait. Used again when it has ended. */
  private static final class PendingCollective {
    private final int number;
    private CollectiveCall call;
    private Plan plan;
    private int[] slots;
    private int phase;
    private boolean uncontended;
    private boolean replaying;
    private long startPs;
    private long beganPs;
    private int sequence;
    private int arrived;
    private int flows;
    private int version;
    private long endPs;
    private double left;

    PendingCollective(int number, CollectiveCall call, Plan plan, int members) {
      this.number = number;
      this.call = call;
      this.plan = plan;
      slots = new int[members];
    }

    Phase current() {
      return plan.phases().get(phase);
    }
  }

  CoupledCollectives(FlowSimulator carrier, CollectiveGroups communicators, @Nullable PacketHost host) {
    this.carrier = carrier;
    this.host = host;
    this.communicators = communicators;
    stepped = new SteppedCollectives(communicators, log, carrier.queue);
    holder = new int[carrier.plan.links];
    places = new int[carrier.plan.links];
    credited = new double[carrier.plan.channels];
  }

  @Override
  public boolean arrive(ProgramRunner runner, int slot, int rank, Operation operation) {
    Folding folding = carrier.folding();
    int group = folding == null ? operation.tag() : folding.group(operation.tag());
    int known = (int) gatherings.get(key(group, log.next(group, rank)));
    PendingCollective gathering;
    if (known == NONE) {
      CollectiveCall call = new CollectiveCall(
          group, operation.collectiveOp(), operation.bytes(), operation.peer(), classOf(operation));
      Plan plan = plans.get(call, this::compile);
      if (plan.stepwise()) {
        return (host == null ? stepped : host.stepwise()).arrive(runner, slot, rank, operation);
      }
      gathering = gather(call, plan, log.begin(group, rank));
    } else {
      log.begin(group, rank);
      gathering = running.get(known);
      requireSame(gathering, rank, operation);
    }
    gathering.slots[folding == null ? communicators.position(group, rank) : gathering.arrived] = slot;
    gathering.arrived++;
    if (gathering.arrived == gathering.slots.length) {
      gatherings.remove(key(group, gathering.sequence));
      start(gathering);
    }
    return false;
  }

  private int classOf(Operation operation) {
    return carrier.plan.classes == null ? MessageLabel.SAME_CLASS
        : MessageLabel.networkClass(MessageLabel.networkBits(operation.label()));
  }

  private static long key(int group, int sequence) {
    return (long) group << 32 | sequence;
  }

  private static void requireSame(PendingCollective gathering, int rank, Operation operation) {
    CollectiveCall call = gathering.call;
    if (call.op() != operation.collectiveOp() || call.bytes() != operation.bytes() || call.root() != operation.peer()) {
      throw new IllegalArgumentException("rank " + rank + " comes to " + CollectiveCall.of(operation)
          + " while others of the group are at " + call);
    }
  }

  private PendingCollective gather(CollectiveCall call, Plan plan, int sequence) {
    Folding folding = carrier.folding();
    int members =
        folding == null ? communicators.group(call.group()).size() : folding.arrivals(call.group());
    PendingCollective gathering = free.poll();
    if (gathering == null) {
      gathering = new PendingCollective(running.size(), call, plan, members);
      running.add(gathering);
    } else {
      gathering.call = call;
      gathering.plan = plan;
      gathering.slots = new int[members];
    }
    gathering.startPs = carrier.queue.now();
    gathering.sequence = sequence;
    gathering.arrived = 0;
    gathering.phase = 0;
    gatherings.put(key(call.group(), sequence), gathering.number);
    return gathering;
  }

  /**
   * The flows of a call, by phase; none where the call goes step by step.
   *
   * @param joins whether equal edges in a row take one path
   */
  List<List<CoupledFlow>> route(CollectiveCall call, boolean joins) {
    List<List<CoupledFlow>> phases = new ArrayList<>();
    int own = carrier.plan.classes == null ? 0 : stepped.schedule(call).protocol().connections().dataClass();
    for (Pipeline pipeline : communicators.plan(call).pipelines()) {
      if (meetsPackets(pipeline)) {
        carrier.passage.forget();
        return List.of();
      }
      while (phases.size() <= pipeline.phase()) {
        phases.add(new ArrayList<>());
        carrier.passage.forget();
      }
      phases.get(pipeline.phase()).add(new CoupledFlow(pipeline, carrier, Math.max(0, own), joins));
    }
    carrier.passage.forget();
    for (List<CoupledFlow> ways : phases) {
      ways.forEach(way -> way.credited.sum(way.pipeline().bytes(), credited));
      ways.forEach(way -> way.credited.settle(credited));
      ways.forEach(way -> way.credited.forget(credited));
    }
    return phases;
  }

  private Plan compile(CollectiveCall call) {
    Folding folding = carrier.folding();
    List<List<CoupledFlow>> phases = route(call, folding != null);
    int copies = folding == null ? 1 : folding.groupCopies(call.group());
    boolean meets = false;
    for (List<CoupledFlow> ways : phases) {
      if (folding != null) {
        meets |= folding.meet(ways, copies);
        ways.forEach(way -> way.fold(folding, carrier.plan, copies));
      }
    }
    List<Phase> planned = new ArrayList<>();
    for (List<CoupledFlow> ways : phases) {
      List<CoupledFlow> carrying = ways.stream().filter(way -> way.pipeline().bytes() > 0).toList();
      planned.add(Phase.of(ways, LinkLoad.of(carrying, carrier.plan, places), alone(call, planned.size())));
    }
    return new Plan(
        planned, log.of(call.op(), call.bytes(), communicators.group(call.group()).size()), meets, copies);
  }

  // Whether packets carry any message of a pipeline.
  private boolean meetsPackets(Pipeline pipeline) {
    for (int edge = 0; host != null && edge < pipeline.edges(); edge++) {
      if (host.carriesPackets(pipeline.source(edge), pipeline.target(edge))) {
        return true;
      }
    }
    return false;
  }

  // Nodes are equal: a call takes the same time in each of them.
  private MemoizedTime alone(CollectiveCall call, int phase) {
    List<Integer> positions = new ArrayList<>();
    int node = communicators.node(communicators.terminal(call.group(), 0));
    for (int position = 0; position < communicators.group(call.group()).size(); position++) {
      int terminal = communicators.terminal(call.group(), position);
      if (communicators.node(terminal) != node) {
        return new MemoizedTime();
      }
      positions.add(carrier.plan.fabric.position(terminal));
    }
    return shapes.computeIfAbsent(
        new Shape(call.op(), call.bytes(), call.root(), positions, phase), shape -> new MemoizedTime());
  }

  private void start(PendingCollective gathering) {
    gathering.endPs = carrier.queue.now();
    beginPhase(gathering);
  }

  private void beginPhase(PendingCollective gathering) {
    long now = carrier.queue.now();
    Phase phase = gathering.current();
    gathering.beganPs = now;
    gathering.left = 1;
    carrier.enterPackets(phase.footprint());
    carrier.addHops(phase.footprint());
    // Equal calls that meet on a link contend with each other.
    gathering.uncontended = carrier.memoizes && !gathering.plan.meets() && idle(phase.footprint());
    gathering.replaying = gathering.uncontended && phase.alone().ps >= 0;
    carrier.meter.submitted(Meter.INTRA, phase.intraBytes(), now);
    carrier.meter.submitted(Meter.INTER, phase.interBytes(), now);
    liveBytes += phase.intraBytes() + phase.interBytes();
    if (gathering.replaying) {
      gathering.endPs = Math.addExact(now, phase.alone().ps);
      carrier.begun(phase.footprint());
      finish(gathering);
    } else {
      flow(gathering);
    }
    if (gathering.uncontended) {
      hold(gathering, gathering.number + 1);
    }
  }

  private boolean idle(LinkLoad footprint) {
    for (int i = 0; i < footprint.links(); i++) {
      int link = footprint.link(i);
      if (holder[link] != 0 || carrier.shares.flows(link) > 0) {
        return false;
      }
    }
    return true;
  }

  private void hold(PendingCollective gathering, int value) {
    LinkLoad footprint = gathering.current().footprint();
    for (int i = 0; i < footprint.links(); i++) {
      holder[footprint.link(i)] = value;
    }
  }

  /** Whether a collective holds a link without flows. */
  boolean holds(int link) {
    return holder[link] != 0;
  }

  /** A flow is about to begin on some links: a collective that holds one of them continues as flows. */
  void contend(int[] links, int count) {
    for (int i = 0; i < count; i++) {
      if (links[i] < holder.length && holder[links[i]] != 0) {
        contend(running.get(holder[links[i]] - 1));
      }
    }
  }

  private void contend(PendingCollective gathering) {
    hold(gathering, 0);
    gathering.uncontended = false;
    if (gathering.replaying) {
      long now = carrier.queue.now();
      Phase phase = gathering.current();
      gathering.replaying = false;
      gathering.left = (double) (gathering.endPs - now) / Math.max(1, phase.alone().ps);
      gathering.version++;
      carrier.usage.carried(phase.footprint(), 1 - gathering.left, gathering.beganPs, now);
      flow(gathering);
    }
  }

  // Runs the rest of a phase as flows.
  private void flow(PendingCollective gathering) {
    long now = carrier.queue.now();
    gathering.endPs = now;
    gathering.flows = 0;
    for (CoupledFlow way : gathering.current().ways()) {
      if (way.pipeline().bytes() * gathering.left < 1 || way.count() == 0) {
        gathering.endPs = Math.max(gathering.endPs, now + fillPs(gathering, way));
        landed(way.bytes(Meter.INTRA), way.bytes(Meter.INTER));
      } else {
        begin(gathering, way);
      }
    }
    if (gathering.flows == 0) {
      finish(gathering);
    }
  }

  private static long fillPs(PendingCollective gathering, CoupledFlow way) {
    return gathering.left == 1 ? way.fillPs() : SimTime.roundPs(way.fillPs() * gathering.left);
  }

  private void begin(PendingCollective gathering, CoupledFlow way) {
    int limitLink = FairShare.NONE;
    int own = way.count();
    if (way.limited()) {
      limitLink = limits.isEmpty() ? carrier.shares.addLink() : limits.remove();
      way.hold(limitLink);
    }
    carrier.pools.enter(way);
    int flow = carrier.begin(way, way.pipeline().bytes() * gathering.left);
    way.release(own);
    legs.put(flow, new Leg(gathering, way, limitLink));
    gathering.flows++;
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
    PendingCollective gathering = leg.gathering();
    gathering.endPs =
        Math.max(gathering.endPs, Math.addExact(carrier.queue.now(), fillPs(gathering, leg.way())));
    landed(leg.way().bytes(Meter.INTRA), leg.way().bytes(Meter.INTER));
    gathering.flows--;
    if (gathering.flows == 0) {
      finish(gathering);
    }
  }

  private void landed(long intraBytes, long interBytes) {
    carrier.meter.received(Meter.INTRA, intraBytes, carrier.queue.now());
    carrier.meter.received(Meter.INTER, interBytes, carrier.queue.now());
    liveBytes -= intraBytes + interBytes;
  }

  private void finish(PendingCollective gathering) {
    carrier.queue.push(gathering.endPs, Events.pack(Events.COLLECTIVE, gathering.number, gathering.version));
  }

  /**
   * The event of a collective has come: a phase has ended, unless its links were disturbed meanwhile. The next one
   * begins, or, after the last one, all members go on.
   *
   * @param version of the collective when the event was planned
   * @return whether the phase has ended
   */
  boolean complete(int number, int version) {
    PendingCollective gathering = running.get(number);
    if (gathering.version != version) {
      return false;
    }
    gathering.version++;
    long now = carrier.queue.now();
    Plan plan = gathering.plan;
    if (gathering.phase < plan.phases().size()) {
      endPhase(gathering);
      gathering.phase++;
      if (gathering.phase < plan.phases().size()) {
        beginPhase(gathering);
        return true;
      }
    }
    plan.sum().addEquals(plan.copies(), gathering.startPs, now);
    carrier.meter.marked(key(gathering.call.group(), gathering.sequence), now);
    int[] slots = gathering.slots;
    free.add(gathering);
    for (int slot : slots) {
      carrier.runner().resume(slot);
    }
    return true;
  }

  private void endPhase(PendingCollective gathering) {
    Phase phase = gathering.current();
    if (gathering.replaying) {
      carrier.usage.carried(phase.footprint(), 1, gathering.beganPs, carrier.queue.now());
      landed(phase.intraBytes(), phase.interBytes());
    } else if (gathering.uncontended) {
      phase.alone().ps = carrier.queue.now() - gathering.beganPs;
    }
    if (gathering.uncontended) {
      hold(gathering, 0);
    }
  }

  /** The collectives whose members are coming or waiting. */
  int live() {
    return running.size() - free.size();
  }

  /** The bytes that collectives have yet to deliver. */
  long liveBytes() {
    return liveBytes;
  }
}
