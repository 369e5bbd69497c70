package dev.heddle.network.packet;

import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.FabricChange;
import dev.heddle.network.Measurements;
import dev.heddle.network.Meter;
import dev.heddle.network.Network;
import dev.heddle.network.NetworkException;
import dev.heddle.network.RunOptions;
import dev.heddle.network.TransportCounters;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.units.SimTime;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The network at packet fidelity: units cross links one by one, wait in finite buffers, and move on credits.
 *
 * <p>The fabric is divided into partitions, each with its own clock. They run in windows as long as the least
 * delays between them allow, and exchange units and credits between windows, so the results do not depend on how many
 * there are, nor on threads.
 */
public final class PacketNetwork implements Network {
  private final NetworkPlan plan;
  private final NetworkState state;
  private final RunOptions options;
  private final @Nullable FlowSide flows;
  private final RunContext setup;
  private final FabricDivision division;
  private final Partition[] partitions;
  private final CacheSweep[] sweeps;
  private boolean started;
  private long endPs;

  /**
   * Compiles a fabric and places programs on it.
   *
   * @param fabric the machine
   * @param job what runs on it
   * @param options of the run
   * @param observer sees every transmission and delivery; null for none
   */
  public PacketNetwork(Fabric fabric, Job job, RunOptions options, @Nullable NetworkObserver observer) {
    this(fabric, job, options, observer, null);
  }

  /** The same with flows that carry some of the messages; null for none. With them the run is one partition. */
  public PacketNetwork(
      Fabric fabric, Job job, RunOptions options, @Nullable NetworkObserver observer, @Nullable FlowSide flows) {
    this.options = options;
    this.flows = flows;
    plan = new NetworkPlan(fabric, options.burstBytes(), options.transport() != null);
    requireTransport(plan);
    state = new NetworkState(plan);
    boolean inOrder = flows != null || observer != null && options.partitions() == 0;
    division = new FabricDivision(plan, inOrder ? 1 : FabricDivision.most(plan, options));
    int[] partitionOf = division.partitionOf;
    int[] ranks = job.terminals();
    setup = new RunContext(plan, job, options, partitionOf, observer, flows);
    partitions = new Partition[setup.partitions];
    Arrays.setAll(partitions, number -> new Partition(number, plan, state, setup));
    sweeps = CacheSweep.of(partitions, plan, state, partitionOf);
    for (int to = 0; to < partitions.length; to++) {
      for (int from : division.senders(to)) {
        partitions[from].outbox[to] = new Outbox();
      }
    }
    for (int rank = 0; rank < ranks.length; rank++) {
      partitions[partitionOf[ranks[rank]]].runner.add(rank, job.programs().apply(rank));
    }
  }

  @Override
  public void run() {
    boolean toCompletion = options.toCompletion();
    long until = options.untilPs();
    for (int change = 0; change < plan.changedSpec.length; change++) {
      FabricChange next = plan.fabric.changes().get(change);
      if (next.atPs() < until) {
        advance(next.atPs());
        change(next.fabric(), plan.changedSpec[change]);
      }
    }
    advance(until);
    for (Partition partition : partitions) {
      if (partition.memoized != null) {
        partition.memoized.finish(until);
      }
    }
    endPs = toCompletion ? Math.max(lastActivity(), flows == null ? 0 : flows.lastPs()) : until;
    closeStalls();
    ConservationCheck.check(plan, state, partitions);
    int[] waitsFor = DeadlockReport.deadlocked(plan, state, partitions);
    if (Arrays.stream(waitsFor).anyMatch(channel -> channel != NetworkState.NONE)) {
      throw DeadlockReport.deadlock(plan, waitsFor, endPs);
    }
    if (toCompletion) {
      checkCompletion();
    }
  }

  // No event runs meanwhile, so that all partitions see the change at once.
  private void change(Fabric later, int[] spec) {
    for (int link = 0; link < plan.links; link++) {
      state.links.change(link, spec[link], plan.specs[spec[link]].loss() > 0, later.isLinkDown(link));
    }
    for (Partition partition : partitions) {
      partition.routes.change(later);
    }
  }

  private static void requireTransport(NetworkPlan plan) {
    for (int change = 0; change < plan.changedSpec.length; change++) {
      FabricChange next = plan.fabric.changes().get(change);
      if (!plan.transports) {
        throw new NetworkException("a fault begins or ends at " + SimTime.ofPs(next.atPs()) + ", which needs a"
            + " 'transport' that repeats lost packets, such as transport: roce");
      }
      for (int link = 0; link < plan.links; link++) {
        if (!plan.managed[link] && next.fabric().isLinkDown(link) != plan.fabric.isLinkDown(link)) {
          throw new NetworkException("link " + plan.fabric.linkName(link) + " goes down or comes back at "
              + SimTime.ofPs(next.atPs()) + ", but no transport runs over it: within a node links are down from the"
              + " start");
        }
      }
    }
  }

  /**
   * Runs all events before a time and checks nothing: a slice of a run.
   *
   * @param untilPs simulated time, not before that of an earlier call
   */
  public void advance(long untilPs) {
    if (!started) {
      started = true;
      for (Partition partition : partitions) {
        partition.start();
      }
    }
    int threads = setup.observer != null ? 1 : Math.max(1, Math.min(options.threads(), partitions.length));
    if (partitions.length == 1) {
      partitions[0].run(untilPs);
    } else {
      new WindowedRun(partitions, sweeps, division, threads, untilPs).run();
    }
    for (int link = 0; link < plan.links; link++) {
      ManagedPorts ports = partitions[setup.partitionOf[plan.linkSource[link]]].ports;
      if (ports != null) {
        ports.deferred.finish(link, untilPs);
      }
    }
  }

  private long lastActivity() {
    return Arrays.stream(partitions)
        .mapToLong(partition -> Math.max(partition.meter.lastDelivery(), partition.lastTimer))
        .max().orElse(0);
  }

  /**
   * Collective calls of a run under memoization.
   *
   * @param recorded calls that were simulated aside, at their first occurrence
   * @param replayed calls that took their outcome from a record, those included that were recorded last
   * @param disturbed replayed calls that other traffic met, and that continued packet by packet
   * @param withMessages replayed calls with messages that members' own programs sent as they arrived
   * @param joined replayed messages that met others
   * @param putOff recordings that were put off, as more messages might come
   */
  public record MemoizedCalls(
      long recorded, long replayed, long disturbed, long withMessages, long joined, long putOff) {
    /** No calls. */
    public static final MemoizedCalls NONE = new MemoizedCalls(0, 0, 0, 0, 0, 0);

    /** The sum of two counts. */
    public MemoizedCalls plus(MemoizedCalls other) {
      return new MemoizedCalls(
          recorded + other.recorded, replayed + other.replayed, disturbed + other.disturbed,
          withMessages + other.withMessages, joined + other.joined, putOff + other.putOff);
    }
  }

  /** The calls that memoization has met so far; all 0 where it does not apply. */
  public MemoizedCalls memoizedCalls() {
    return Arrays.stream(partitions)
        .map(each -> each.memoized == null ? MemoizedCalls.NONE : each.memoized.counts())
        .reduce(MemoizedCalls.NONE, MemoizedCalls::plus);
  }

  /** The events of the run that were not carried out, as the state of packets recurred. */
  public long skippedEvents() {
    return Arrays.stream(partitions).mapToLong(each -> each.forward == null ? 0 : each.forward.skipped()).sum();
  }

  private void closeStalls() {
    Meter window = partitions[0].meter;
    for (int link = 0; link < plan.links; link++) {
      long since = state.links.stalledSince(link);
      if (since != NetworkState.NONE) {
        state.links.countStall(link, window.clip(since, endPs));
      }
    }
  }

  private void checkCompletion() {
    int running = Arrays.stream(partitions).mapToInt(partition -> partition.runner.running()).sum();
    int live =
        Arrays.stream(partitions).mapToInt(partition -> partition.units.live() + partition.unacknowledged()).sum();
    int others = flows == null ? 0 : flows.live();
    if (running == 0 && live == 0 && others == 0) {
      ConservationCheck.checkDelivered(partitions);
      return;
    }
    boolean pending = Arrays.stream(partitions).anyMatch(partition -> !partition.queue.isEmpty());
    StringBuilder waiting = new StringBuilder();
    for (Partition partition : partitions) {
      waiting.append(partition.runner.waiting());
    }
    throw NetworkException.unfinished(
        pending ? options.limitPs() : endPs, !pending,
        live + " units" + (flows == null ? "" : " and " + others + " messages and collectives of flows"),
        waiting.toString());
  }

  @Override
  public Measurements measurements() {
    List<Measurements.Part> parts = Arrays.stream(partitions)
        .map(each -> new Measurements.Part(each.meter, each.log, each.events, each.hops, each.losses.lost())).toList();
    Measurements measured = new Measurements(
        parts, state.links, plan.links, endPs, options.windowPs(endPs),
        plan.transports ? transportCounters() : null);
    measured = setup.tolerancePs == 0 || partitions[0].memoized == null
        ? measured : measured.with(partitions[0].memoized.moves.error());
    return partitions[0].sampled == null ? measured : measured.with(partitions[0].sampled.error(endPs));
  }

  private TransportCounters transportCounters() {
    long first = Long.MAX_VALUE;
    long last = 0;
    long repeated = 0;
    long dropped = 0;
    for (Partition partition : partitions) {
      if (partition.ports != null) {
        Senders senders = partition.ports.endpoints().senders();
        first = Math.min(first, senders.firstCompletion());
        last = Math.max(last, senders.lastCompletion());
        repeated += senders.repeated();
        dropped += partition.dropped;
      }
    }
    PortState ports = state.ports();
    return new TransportCounters(
        first == Long.MAX_VALUE ? -1 : first, last, repeated, Arrays.stream(ports.marks).sum(),
        Arrays.stream(ports.trims).sum(), dropped + Arrays.stream(ports.drops).sum(),
        Arrays.stream(ports.pauses).sum());
  }
}
