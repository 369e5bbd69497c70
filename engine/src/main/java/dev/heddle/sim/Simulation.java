package dev.heddle.sim;

import com.google.common.primitives.Ints;
import dev.heddle.engine.CollectiveGroups;
import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.Measurements;
import dev.heddle.network.NetworkException;
import dev.heddle.network.flow.FlowNetwork;
import dev.heddle.network.flow.FlowSettings;
import dev.heddle.network.packet.PacketNetwork;
import dev.heddle.network.packet.PacketSettings;
import dev.heddle.observe.ActivityObserver;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.results.Results;
import dev.heddle.results.Results.Metric;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.units.SimTime;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One run, composed by hand: a fabric, a workload, options, a seed, a fidelity.
 *
 * @param name of the run, for its results
 * @param fabric the machine
 * @param workload what its ranks do
 * @param options how it is carried out and measured
 * @param seed of all random streams
 * @param fidelity how exactly the network is modelled
 * @param collectives how the programs' collectives are done
 */
public record Simulation(
    String name, Fabric fabric, Workload workload, SimulationOptions options, long seed, Fidelity fidelity,
    CollectiveAlgorithm collectives) {
  /** A run at packet fidelity whose programs hold no collectives; {@link #with} adds an algorithm for them. */
  public Simulation(String name, Fabric fabric, Workload workload, SimulationOptions options, long seed) {
    this(name, fabric, workload, options, seed, Fidelity.PACKET, new NoCollectives());
  }

  /** The same at another fidelity. */
  public Simulation at(Fidelity other) {
    return new Simulation(name, fabric, workload, options, seed, other, collectives);
  }

  /** The same with another way to do collectives. */
  public Simulation with(CollectiveAlgorithm other) {
    return new Simulation(name, fabric, workload, options, seed, fidelity, other);
  }

  /** The keys that the results of this simulation can have. */
  public MetricKeys metricKeys() {
    List<String> keys = new ArrayList<>(List.of("time"));
    if (options.measure().isEmpty()) {
      workload.figures(fabric, 1).forEach(metric -> keys.add(metric.id()));
    }
    workload.activities().forEach(activity -> keys.add(ActivityTimes.key(activity)));
    if (!workload.groups(workload.ranks(fabric), fabric).isEmpty()) {
      keys.addAll(MetricKeys.ofCollectives());
    }
    keys.addAll(NetworkResults.METRICS);
    if (fabric.losingLink().isPresent()) {
      keys.add(NetworkResults.LOST);
    }
    return new MetricKeys(keys, NetworkResults.DISTRIBUTIONS);
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
    if (options.draw() > 0) {
      SpaceTimeRecorder recorder = new SpaceTimeRecorder(options.draw(), observer);
      return measure(recorder).with(recorder.spaceTime(fabric));
    }
    return measure(observer);
  }

  private Results measure(@Nullable NetworkObserver observer) {
    int[] ranks = workload.ranks(fabric);
    List<Workload.Activity> activities = workload.activities();
    ActivityTimes times = activities.isEmpty() ? null : new ActivityTimes(activities, ranks.length);
    TimelineRecorder recorder =
        options.trace().isEmpty() ? null : new TimelineRecorder(workload, ranks, options.trace());
    Job job = job(ranks, both(times, recorder));
    try {
      Measurements measured = fidelity == Fidelity.PACKET ? packet(job, observer) : flow(job, observer);
      List<Metric> own = new ArrayList<>();
      if (options.measure().isEmpty() && measured.endPs() > 0) {
        own.addAll(workload.figures(fabric, measured.endPs()));
      }
      if (times != null) {
        own.addAll(times.metrics());
      }
      Results results = NetworkResults.of(this, measured, own);
      return recorder == null ? results : results.with(recorder.timeline(fabric));
    } catch (NetworkException e) {
      throw new SimulationException(String.valueOf(e.getMessage()), e);
    } catch (ArithmeticException e) {
      throw new SimulationException("simulated time or a sum of bytes passes 2^63 (of picoseconds, about 106 days); make"
          + " sizes and times smaller, or rates higher (" + e.getMessage() + ")", e);
    }
  }

  private static @Nullable ActivityObserver both(@Nullable ActivityTimes times, @Nullable TimelineRecorder recorder) {
    if (times == null || recorder == null) {
      return times == null ? recorder : times;
    }
    return (rank, stream, operation, startPs, endPs) -> {
      times.spent(rank, stream, operation, startPs, endPs);
      recorder.spent(rank, stream, operation, startPs, endPs);
    };
  }

  private Measurements packet(Job job, @Nullable NetworkObserver observer) {
    PacketSettings settings =
        new PacketSettings(
            trainBytes(), options.injectionQueue(), options.warmup().ps(), endPs(), options.limit().ps(),
            options.partitions(), options.threads(), seed);
    PacketNetwork network = new PacketNetwork(fabric, job, settings, observer);
    network.run();
    return network.measurements();
  }

  private Measurements flow(Job job, @Nullable NetworkObserver observer) {
    FlowSettings settings =
        new FlowSettings(
            trainBytes(), options.injectionQueue(), options.warmup().ps(), endPs(), options.limit().ps(), seed,
            fidelity == Fidelity.FLOW, true);
    FlowNetwork network = new FlowNetwork(fabric, job, settings, observer);
    network.run();
    return network.measurements();
  }

  // Aggregators follow the workload's ranks: they do nothing of their own, but collectives may let them add.
  private Job job(int[] ranks, @Nullable ActivityObserver activities) {
    int[] aggregators = fabric.terminals(DeviceKind.AGGREGATOR);
    int[] all = Ints.concat(ranks, Arrays.stream(ranks).anyMatch(rank -> fabric.kind(rank) == DeviceKind.AGGREGATOR)
        ? new int[0] : aggregators);
    WorkloadContext context = new WorkloadContext(fabric, ranks, seed, SimTime.ofPs(endPs()));
    return new Job(
        all, rank -> rank < ranks.length ? workload.program(rank, context) : new Idle(),
        new CollectiveGroups(fabric, all, workload.groups(ranks, fabric), workload.allToAllVSizes(fabric), collectives),
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

  private int trainBytes() {
    return options.granularity() == SimulationOptions.Granularity.TRAIN ? (int) options.train().bytes() : 0;
  }

  private long endPs() {
    return options.measure().map(window -> Math.addExact(options.warmup().ps(), window.ps())).orElse(Long.MAX_VALUE);
  }
}
