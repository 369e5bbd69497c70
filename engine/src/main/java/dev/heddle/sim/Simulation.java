package dev.heddle.sim;

import com.google.common.primitives.Ints;
import dev.heddle.collective.Group;
import dev.heddle.engine.CollectiveGroups;
import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.ControlClassed;
import dev.heddle.network.Measurements;
import dev.heddle.network.Network;
import dev.heddle.network.NetworkException;
import dev.heddle.network.NetworkModel;
import dev.heddle.network.RunOptions;
import dev.heddle.observe.ActivityObserver;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.results.Results;
import dev.heddle.results.Results.Metric;
import dev.heddle.sim.SimulationOptions.Memoization;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.units.SimTime;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run, composed by hand: a fabric, a workload, options, a seed, a fidelity.
 *
 * @param name of the run, for its results
 * @param fabric the cluster
 * @param workload of its ranks
 * @param options of execution and measurement
 * @param seed of all random streams
 * @param fidelity level of detail of the network model
 * @param collectives algorithm of the programs' collectives
 * @param transport protocol between terminals, or, in a fabric of several tiers, between nodes; absent: links are
 *     lossless by credits alone
 */
public record Simulation(
    String name, Fabric fabric, Workload workload, SimulationOptions options, long seed, NetworkModel fidelity,
    CollectiveAlgorithm collectives, Optional<TransportProtocol> transport) {
  private static final String UNMARKED = "transport: its congestion control waits for notifications of marked packets,"
      + " but no switch marks any; give switches thresholds, 'ecn' of type ethernet or 'congestion' of type infiniband";

  /** A run without a transport protocol. */
  public Simulation(
      String name, Fabric fabric, Workload workload, SimulationOptions options, long seed, NetworkModel fidelity,
      CollectiveAlgorithm collectives) {
    this(name, fabric, workload, options, seed, fidelity, collectives, Optional.empty());
  }

  /** A run at packet fidelity whose programs hold no collectives; {@link #with} adds an algorithm for them. */
  public Simulation(String name, Fabric fabric, Workload workload, SimulationOptions options, long seed) {
    this(name, fabric, workload, options, seed, Fidelity.PACKET, Simulation::withoutCollectives);
  }

  private static Communicator withoutCollectives(Cluster cluster, Group group) {
    return collective -> {
      throw new InvalidSettingException(
          "", "a program holds " + collective.op().key()
              + ", but the simulation has no algorithm for collectives; add one by Simulation.with");
    };
  }

  /** The same at another fidelity. */
  public Simulation at(NetworkModel other) {
    return new Simulation(name, fabric, workload, options, seed, other, collectives, transport);
  }

  /** The same with another collective algorithm. */
  public Simulation with(CollectiveAlgorithm other) {
    return new Simulation(name, fabric, workload, options, seed, fidelity, other, transport);
  }

  /** The same with a transport protocol. */
  public Simulation with(TransportProtocol protocol) {
    return new Simulation(
        name, fabric, workload, options, seed, fidelity, collectives, Optional.of(protocol));
  }

  /** The keys that the results of this simulation can have. */
  public MetricKeys metricKeys() {
    WorkloadPlan plan = workload.plan(fabric);
    List<String> keys = new ArrayList<>(List.of("time"));
    if (options.measure().isEmpty()) {
      plan.metrics(1).forEach(metric -> keys.add(metric.id()));
    }
    plan.activities().forEach(activity -> keys.add(ActivityTimes.key(activity)));
    if (!plan.groups().isEmpty()) {
      keys.addAll(MetricKeys.ofCollectives());
    }
    keys.addAll(NetworkResults.METRICS);
    if (fabric.losingLink().isPresent()) {
      keys.add(NetworkResults.LOST);
    }
    if (transport.isPresent()) {
      keys.addAll(NetworkResults.TRANSPORT);
    }
    if (options.sampling().value() > 0 && fidelity.id().equals(Fidelity.PACKET.id())) {
      keys.addAll(NetworkResults.SAMPLING);
    }
    if (options.memoizationTolerance().ps() > 0 && fidelity.id().equals(Fidelity.PACKET.id())) {
      keys.addAll(NetworkResults.REPLAYS);
    }
    return new MetricKeys(keys, NetworkResults.DISTRIBUTIONS);
  }

  /** Warnings about parts of the simulation that have no effect in it, a line each; results have them too. */
  public List<String> warnings() {
    List<String> left = fidelity.warnings(runOptions());
    boolean unmarked = left.isEmpty() && transport.filter(each -> each.notificationPs() > 0).isPresent()
        && !fabric.marksPackets();
    List<String> lines = new ArrayList<>(unmarked ? List.of(UNMARKED) : left);
    if (!hasPackets() && (fabric.hasTrafficClasses() || ControlClassed.of(transport.orElse(null)) >= 0)) {
      lines.addAll(classWarnings());
    }
    if (!options.linkSeries().isEmpty() && !hasPackets()) {
      lines.add("run.link-series: fidelity " + fidelity.id() + " has no packets on links; write fidelity: packet");
    }
    if (options.memoizationTolerance().ps() > 0 && !replaysNear()) {
      lines.add("run.memoization-tolerance has no effect: it needs fidelity: packet, one partition, no measured window,"
          + " nothing to draw over time, and a fabric without transport or losses whose routes are fixed");
    }
    if (options.sampling().value() > 0 && !samples()) {
      lines.add("run.sampling has no effect: it needs fidelity: packet, one partition, no measured window, nothing to"
          + " draw over time, and a fabric without transport, losses or faults that come and go");
    }
    return lines;
  }

  // Flow fidelity divides links among classes where packets would have their queues: under a transport protocol.
  private List<String> classWarnings() {
    if (!fidelity.id().equals(Fidelity.FLOW.id()) || transport.isEmpty()) {
      return List.of("fidelity " + fidelity.id() + " has no queues of traffic classes: messages of all classes share"
          + " links alike; write fidelity: packet for these");
    }
    List<String> lines = new ArrayList<>();
    if (ControlClassed.of(transport.get()) >= 0) {
      lines.add("transport.control-class: at fidelity flow control packets go before all traffic classes; write"
          + " fidelity: packet for their class");
    }
    if (fabric.hasTrafficClasses() && transport.get().suitsFluid()) {
      lines.add("fidelity flow takes the rates of this congestion control as converged where switches have traffic"
          + " classes; write fidelity: packet for rates over time");
    }
    return lines;
  }

  private boolean replaysNear() {
    return isWhole() && !fabric.routesByArrival();
  }

  private boolean samples() {
    return isWhole() && fabric.changes().isEmpty();
  }

  // Whether packets of the whole run are simulated in one partition, as shortened runs need.
  private boolean isWhole() {
    return fidelity.id().equals(Fidelity.PACKET.id()) && options.partitions() <= 1 && options.measure().isEmpty()
        && options.draw() == 0 && options.linkSeries().isEmpty() && transport.isEmpty()
        && fabric.losingLink().isEmpty();
  }

  private boolean hasPackets() {
    return fidelity.hasPackets();
  }

  /** Warnings about partitions and threads that cannot shorten the run, a line each; results do not have them. */
  public List<String> divisionWarnings() {
    return fidelity.divisionWarnings(fabric, runOptions());
  }

  /**
   * Runs the simulation.
   *
   * @throws SimulationException when the run cannot be carried out: a deadlock, a unit that fits no buffer, a limit
   */
  public Results run() {
    return run(null);
  }

  /**
   * Runs the simulation under the eyes of an observer, on one thread.
   *
   * @param observer sees every transmission and delivery; null for none
   * @throws SimulationException when the run cannot be carried out: a deadlock, a unit that fits no buffer, a limit
   */
  public Results run(@Nullable NetworkObserver observer) {
    return run(observer, null);
  }

  /**
   * Runs the simulation under the eyes of observers, on one thread where the first is present.
   *
   * @param observer sees every transmission and delivery; null for none
   * @param spending sees the time that ranks spend on operations; null for none
   * @throws SimulationException when the run cannot be carried out: a deadlock, a unit that fits no buffer, a limit
   */
  public Results run(@Nullable NetworkObserver observer, @Nullable ActivityObserver spending) {
    if (options.memoization() == Memoization.VERIFY) {
      // The number of events is that of one division.
      SimulationOptions same = options.parallel(Math.max(1, options.partitions()), options.threads());
      Results simulated = with(same.memoization(Memoization.NONE)).measure(null, null);
      Results replayed = with(same.memoization(Memoization.REPLAY)).run(observer, spending);
      new ReplayComparison(fidelity.id().equals(Fidelity.PACKET.id())).requireEqual(simulated, replayed);
      return replayed;
    }
    List<NetworkObserver> observers = new ArrayList<>();
    if (observer != null) {
      observers.add(observer);
    }
    Optional<SpaceTimeRecorder> messages =
        options.draw() > 0 ? Optional.of(new SpaceTimeRecorder(options.draw())) : Optional.empty();
    messages.ifPresent(observers::add);
    Optional<LinkSeriesRecorder> links = options.linkSeries().isEmpty() || !hasPackets()
        ? Optional.empty() : Optional.of(new LinkSeriesRecorder(fabric, options.linkSeries()));
    links.ifPresent(observers::add);
    Results results = measure(observers.isEmpty() ? null : NetworkObserver.all(observers), spending);
    results = messages.isPresent() ? results.with(messages.get().spaceTime(fabric)) : results;
    return links.isPresent() ? results.withSeries(links.get().series()) : results;
  }

  private Simulation with(SimulationOptions other) {
    return new Simulation(name, fabric, workload, other, seed, fidelity, collectives, transport);
  }

  /**
   * Runs the simulation for its time alone, which is that of {@link #run()}, without metrics of links and messages.
   *
   * @return the time of the last event, ps
   * @throws SimulationException when the run cannot be carried out: a deadlock, a unit that fits no buffer, a limit
   */
  public long timePs() {
    return measurements().endPs();
  }

  /**
   * Runs the simulation for its counters alone, which are those of {@link #run()}: its time and the traffic of links.
   *
   * @throws SimulationException when the run cannot be carried out: a deadlock, a unit that fits no buffer, a limit
   */
  public Measurements measurements() {
    return refusing(() -> measurements(job(workload.plan(fabric), null), null));
  }

  private Results measure(@Nullable NetworkObserver observer, @Nullable ActivityObserver spending) {
    return refusing(() -> results(observer, spending));
  }

  private static <T> T refusing(Supplier<T> run) {
    try {
      return run.get();
    } catch (NetworkException e) {
      throw new SimulationException(String.valueOf(e.getMessage()), e);
    } catch (ArithmeticException e) {
      throw new SimulationException(
          "simulated time or a sum of bytes passes 2^63 (of picoseconds, about 106 days); make"
              + " sizes and times smaller, or rates higher (" + e.getMessage() + ")",
          e);
    }
  }

  private Results results(@Nullable NetworkObserver observer, @Nullable ActivityObserver spending) {
    WorkloadPlan plan = workload.plan(fabric);
    int[] ranks = plan.ranks();
    List<Workload.Activity> activities = plan.activities();
    ActivityTimes times = activities.isEmpty() ? null : new ActivityTimes(activities, ranks.length);
    TimelineRecorder recorder =
        options.trace().isEmpty() ? null : new TimelineRecorder(plan, ranks, options.trace());
    Measurements measured = measurements(job(plan, both(both(times, recorder), spending)), observer);
    List<Metric> own = new ArrayList<>();
    if (options.measure().isEmpty() && measured.endPs() > 0) {
      own.addAll(plan.metrics(measured.endPs()));
    }
    if (times != null) {
      own.addAll(times.metrics());
    }
    Results results = NetworkResults.of(this, measured, own).with(warnings());
    return recorder == null ? results : results.with(recorder.timeline(fabric));
  }

  private Measurements measurements(Job job, @Nullable NetworkObserver observer) {
    Network network = fidelity.network(fabric, job, runOptions(), observer);
    network.run();
    return network.measurements();
  }

  private static @Nullable ActivityObserver both(@Nullable ActivityObserver one, @Nullable ActivityObserver other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return new Both(one, other);
  }

  private record Both(ActivityObserver one, ActivityObserver other) implements ActivityObserver {
    @Override
    public void spent(int rank, int stream, Operation operation, long startPs, long endPs) {
      one.spent(rank, stream, operation, startPs, endPs);
      other.spent(rank, stream, operation, startPs, endPs);
    }

    @Override
    public void spentByAll(int[] ranks, int stream, Operation operation, long startPs, long endPs) {
      one.spentByAll(ranks, stream, operation, startPs, endPs);
      other.spentByAll(ranks, stream, operation, startPs, endPs);
    }
  }

  private RunOptions runOptions() {
    return new RunOptions(
        burstBytes(), options.injectionQueue(), options.warmup().ps(), endPs(), options.limit().ps(),
        Math.min(options.partitions(), fabric.devices()), options.threads(), seed, transport.orElse(null),
        options.memoization() != Memoization.NONE, options.memoizationTolerance().ps(), options.sampling().value());
  }

  // Aggregators follow the workload's ranks: they do nothing of their own, but collectives may let them add.
  private Job job(WorkloadPlan plan, @Nullable ActivityObserver activities) {
    int[] ranks = plan.ranks();
    int[] aggregators = fabric.terminals(DeviceKind.AGGREGATOR);
    int[] all = Ints.concat(ranks, Arrays.stream(ranks).anyMatch(rank -> fabric.kind(rank) == DeviceKind.AGGREGATOR)
        ? new int[0] : aggregators);
    WorkloadContext context = new WorkloadContext(fabric, ranks, seed, SimTime.ofPs(endPs()));
    return new Job(
        all, rank -> rank < ranks.length ? plan.program(rank, context) : new Idle(),
        new CollectiveGroups(fabric, all, plan.groups(), plan.allToAllVSizes(), collectives),
        activities);
  }

  private record Idle() implements Program {
    @Override
    public int streams() {
      return 1;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      return false;
    }
  }

  private int burstBytes() {
    return options.granularity() == SimulationOptions.Granularity.BURST ? (int) options.burst().bytes() : 0;
  }

  private long endPs() {
    return options.measure().map(window -> Math.addExact(options.warmup().ps(), window.ps())).orElse(Long.MAX_VALUE);
  }
}
