package dev.heddle.bench;

import com.google.common.collect.ImmutableMap;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.engine.CollectiveGroups;
import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.RunOptions;
import dev.heddle.network.flow.FlowNetwork;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.Scenario;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
 * The flow network: a whole all-to-all on a three-level fat tree, each rank sending 1 MiB to every other in turn, and
 * an all_reduce as rings. With routes by destination all ranks stay in step and share no link; with routes by hash they
 * do not, and nearly every message changes the rates of others.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(2)
public class FlowNetworkBenchmark {
  private static final long MESSAGE_BYTES = 1 << 20;
  private static final long LIMIT_PS = Long.MAX_VALUE / 2;

  /** Counts of one iteration, reported as time per count. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.OPERATIONS)
  public static class Counters {
    /** Events processed. */
    public long events;

    /** Messages delivered. */
    public long messages;

    /** Starts an iteration at zero. */
    @Setup(Level.Iteration)
    public void clear() {
      events = 0;
      messages = 0;
    }
  }

  /** The number of ranks; a multiple of 8. */
  @Param("256")
  public int ranks;

  /** The choice of routes. */
  @Param({"d-mod-k", "ecmp"})
  public String routing;

  private Fabric fabric;
  private int[] terminals;

  /** Plans the fat tree. */
  @Setup
  public void compose() throws IOException {
    ClassLoader loader = FlowNetworkBenchmark.class.getClassLoader();
    try (Registry registry = Registry.discover(loader, List.of());
        InputStream in = FlowNetworkBenchmark.class.getResourceAsStream("permutation.yaml")) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      Map<String, String> overrides =
          ImmutableMap.of(
              "cluster.tiers[0].terminals.accelerator", Integer.toString(ranks),
              "cluster.tiers[0].topology.radix", "16",
              "cluster.tiers[0].topology.routing", routing,
              "workload.messages", "1");
      Scenario scenario =
          new ScenarioReader(registry).parse("permutation.yaml", text, overrides).points().get(0).scenario();
      fabric = scenario.fabric();
      terminals = scenario.workload().plan(fabric).ranks();
    }
  }

  /** Runs the all-to-all. */
  @Benchmark
  public long allToAll(Counters counters) {
    FlowNetwork network = allToAll();
    network.run();
    counters.events += network.measurements().events();
    counters.messages += network.measurements().delivered();
    return network.measurements().endPs();
  }

  /** An all-to-all before its first event. */
  FlowNetwork allToAll() {
    return new FlowNetwork(
        fabric, Job.of(fabric, terminals, rank -> new AllToAll(rank, ranks)),
        RunOptions.toCompletion(4096, ranks, LIMIT_PS, 1), null);
  }

  /** Runs an all_reduce of 1 GiB as sixteen rings: coupled flows over all links between neighbours. */
  @Benchmark
  public long allReduce(Counters counters) {
    WorkloadPlan workload = new CollectiveWorkloadProvider().create(
        CollectiveWorkloadProvider.Settings.of(CollectiveOp.ALL_REDUCE, DataSize.ofKiB(1 << 20))).plan(fabric);
    WorkloadContext context = new WorkloadContext(fabric, terminals, 1, SimTime.ofPs(LIMIT_PS));
    CollectiveAlgorithm rings = new RingAlgorithmProvider().create(new RingAlgorithmProvider.Settings(16, 8));
    CollectiveGroups communicators =
        new CollectiveGroups(fabric, terminals, workload.groups(), List.of(), rings);
    FlowNetwork network =
        new FlowNetwork(
            fabric, new Job(terminals, rank -> workload.program(rank, context), communicators),
            RunOptions.toCompletion(4096, ranks, LIMIT_PS, 1), null);
    network.run();
    counters.events += network.measurements().events();
    return network.measurements().endPs();
  }

  /** Sends to every other rank in turn, beginning with the next. */
  private static final class AllToAll implements Program {
    private final int rank;
    private final int ranks;
    private int sent;

    AllToAll(int rank, int ranks) {
      this.rank = rank;
      this.ranks = ranks;
    }

    @Override
    public int streams() {
      return 1;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      if (++sent >= ranks) {
        return false;
      }
      operation.send((rank + sent) % ranks, MESSAGE_BYTES, Operation.ONE_SIDED, 0);
      return true;
    }
  }
}
