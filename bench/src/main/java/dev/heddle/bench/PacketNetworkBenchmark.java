package dev.heddle.bench;

import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.RunOptions;
import dev.heddle.network.packet.PacketNetwork;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.Scenario;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.units.SimTime;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The packet network in its steady state: each call advances a running simulation by a slice of simulated time. The
 * counters give the events and packet hops per second of wall time.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(2)
public class PacketNetworkBenchmark {
  private static final long SLICE_PS = 20_000_000;
  private static final long SETTLE_PS = 10 * SLICE_PS;

  /** The traffic pattern. */
  public enum Traffic {
    /** A random permutation on a three-tier fat tree of 128 hosts. */
    PERMUTATION,
    /** The same permutation over Ethernet, under NSCC. */
    NSCC,
    /** Pattern C1 of SAURON on 32 nodes of 8 accelerators. */
    C1
  }

  /** Counts of one iteration, reported per second. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.OPERATIONS)
  public static class Counters {
    /** Packets that began to cross a link. */
    public long hops;

    /** Events processed. */
    public long events;

    /** Starts an iteration at zero. */
    @Setup(Level.Iteration)
    public void clear() {
      hops = 0;
      events = 0;
    }
  }

  /** The traffic pattern. */
  @Param
  public Traffic traffic;

  private PacketNetwork network;
  private long time;
  private long hops;
  private long events;

  /** Composes the simulation and lets it settle. */
  @Setup
  public void compose() throws IOException {
    Scenario scenario = scenario(traffic.name().toLowerCase(Locale.ROOT) + ".yaml");
    Fabric fabric = scenario.fabric();
    WorkloadPlan plan = scenario.workload().plan(fabric);
    int[] ranks = plan.ranks();
    long end = scenario.options().measure().orElseThrow().ps();
    WorkloadContext context = new WorkloadContext(fabric, ranks, 1, SimTime.ofPs(end));
    network =
        new PacketNetwork(
            fabric, Job.of(fabric, ranks, rank -> plan.program(rank, context)),
            new RunOptions(4096, scenario.options().injectionQueue(), 0, end, end, 1, 1, 1,
                scenario.simulation().transport().orElse(null), false, 0, 0),
            null);
    time = SETTLE_PS;
    network.advance(time);
    hops = network.measurements().hops();
    events = network.measurements().events();
  }

  private static Scenario scenario(String name) throws IOException {
    ClassLoader loader = PacketNetworkBenchmark.class.getClassLoader();
    try (Registry registry = Registry.discover(loader, List.of());
        InputStream in = PacketNetworkBenchmark.class.getResourceAsStream(name)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return new ScenarioReader(registry).parse(name, text, Map.of()).points().get(0).scenario();
    }
  }

  /** Advances by a slice. */
  @Benchmark
  public long slice(Counters counters) {
    time += SLICE_PS;
    network.advance(time);
    long nowHops = network.measurements().hops();
    long nowEvents = network.measurements().events();
    counters.hops += nowHops - hops;
    counters.events += nowEvents - events;
    hops = nowHops;
    events = nowEvents;
    return time;
  }
}
