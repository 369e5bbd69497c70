package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.Network;
import dev.heddle.network.NetworkModel;
import dev.heddle.network.RunOptions;
import dev.heddle.network.flow.FlowNetwork;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.results.Results.Metric;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Simulation;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.RandomStream;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that a run of one rank of each class has the results of a run of all ranks. */
class FoldedRanksTest {
  private static final double RELATIVE = 1e-9;
  private static final Registry REGISTRY = Registry.discover(FoldedRanksTest.class.getClassLoader(), List.of());

  private static final String VERIFIED = """
      name: verified
      run: {memoization: %s}
      fidelity: flow
      cluster:
        tiers:
          - name: node
            terminals: {accelerator: 8, nic: 8}
            accelerator: {preset: a100-sxm-80}
            nic: {type: generic}
            topology: {type: star, link: {type: generic, rate: 2400 Gb/s, latency: 100 ns}}
          - name: cluster
            size: 32
            topology:
              type: fat-tree
              routing: d-mod-k
              down: [16, 16]
              up: [1, 16]
              link: {type: generic, rate: 200 Gb/s, latency: 500 ns}
      collectives: {type: ring, channels: 2}
      workload:
        type: megatron
        model: {name: small, hidden: 1024, layers: 8, heads: 16, vocabulary: 32000, sequence: 1024}
        parallel: {tensor: 4, pipeline: 4, sequence-parallel: true, sharding: optimizer}
        batch: {global: 64}
        execution: {}
        variation: {}
        kernels: {preset: kernels-ampere, library: false}
      """;

  /** Flow fidelity that runs all ranks, or one of each class. */
  private static final class Counting implements NetworkModel {
    private final boolean folds;
    private int simulated;

    Counting(boolean folds) {
      this.folds = folds;
    }

    @Override
    public String id() {
      return "flow";
    }

    @Override
    public Network network(Fabric fabric, Job job, RunOptions options, @Nullable NetworkObserver observer) {
      FlowNetwork network =
          folds ? FlowNetwork.folded(fabric, job, options) : new FlowNetwork(fabric, job, options, true);
      simulated = network.simulatedRanks();
      return network;
    }
  }

  private static String oneOf(RandomStream random, String... choices) {
    return choices[random.nextInt(choices.length)];
  }

  private static String fabric(RandomStream random, int nics) {
    return oneOf(random,
        "{type: star, link: {type: generic, rate: 400 Gb/s, latency: 100 ns}}",
        "{type: fat-tree, down: [4, 8], up: [1, 4], link: {type: generic, rate: 400 Gb/s, latency: 100 ns}}",
        "{type: fat-tree, down: [4, 8], up: [1, 2], link: {type: generic, rate: 200 Gb/s, latency: 1 us}}",
        "{type: fat-tree, down: [3, 11], up: [1, 2], routing: s-mod-k,"
            + " link: {type: generic, rate: 200 Gb/s, latency: 300 ns}}",
        "{type: rail-fat-tree, rails: " + nics + ", nodes-per-leaf: 4,"
            + " link: {type: generic, rate: 100 Gb/s, latency: 500 ns}}");
  }

  private static String cluster(RandomStream random, int nodes, int perNode) {
    int nics = 1 << random.nextInt(2);
    return "{faults: [" + oneOf(random, "", "", "{device: 'node1.nic0', rate: 25 Gb/s}") + "], tiers: [{name: node,"
        + " terminals: {accelerator: " + perNode + ", nic: " + nics + "}, accelerator: {preset: a100-sxm-80},"
        + " nic: {type: generic}, topology: {type: star, link: {type: generic, rate: 2400 Gb/s, latency: 100 ns}}},"
        + " {name: cluster, size: " + nodes + ", topology: " + fabric(random, nics) + "}]}";
  }

  private static String scenario(long seed) {
    RandomStream random = RandomStream.of(seed, "folding", "scenario");
    int perNode = 2 << random.nextInt(3);
    int nodes = 4 << random.nextInt(3);
    int tensor = Math.min(perNode, 1 << random.nextInt(3));
    int pipeline = Math.min(nodes, 1 << random.nextInt(3));
    int data = nodes * perNode / tensor / pipeline;
    return "{name: folded, cluster: " + cluster(random, nodes, perNode) + ", collectives: {type: ring, channels: "
        + oneOf(random, "1", "2", "4") + "}, workload: {type: megatron, model: {name: small, hidden: "
        + oneOf(random, "1024", "2048")
        + ", layers: 8, heads: 16, vocabulary: 32000, sequence: 1024}, parallel: {tensor: " + tensor + ", pipeline: "
        + pipeline
        + ", sharding: " + oneOf(random, "none", "optimizer") + (tensor > 1 ? ", sequence-parallel: true" : "")
        + "}, batch: {global: " + data * (1 + random.nextInt(4)) + "}, execution: {reduce-overlap: "
        + oneOf(random, "true", "false") + "}, variation: " + oneOf(random, "{}", "{}", "{stragglers: 1}")
        + ", kernels: {preset: kernels-ampere, library: false}}}";
  }

  private static Simulation simulation(String text) {
    return new ScenarioReader(REGISTRY).parse("folded", text, Map.of()).points().get(0).scenario().simulation();
  }

  @Test
  void shouldHaveTheResultsOfAllRanksWhenRanksStandForTheirClasses() {
    int[] folded = {0};
    Seeds.several(60).forEach(seed -> {
      String text = scenario(seed);
      Simulation simulation = simulation(text);
      Counting all = new Counting(false);
      Counting some = new Counting(true);
      Results whole = simulation.at(all).run();
      Results classes = simulation.at(some).run();
      folded[0] += some.simulated < all.simulated ? 1 : 0;
      requireEqual(whole, classes, seed + ": " + some.simulated + " of " + all.simulated + " in " + text);
    });
    assertThat(folded[0]).isGreaterThanOrEqualTo(40);
  }

  private static void requireEqual(Results whole, Results folded, String name) {
    assertThat(folded.run().simulatedPs()).as(name).isEqualTo(whole.run().simulatedPs());
    assertThat(folded.run().packetHops()).as(name).isEqualTo(whole.run().packetHops());
    assertThat(folded.metrics()).as(name).hasSameSizeAs(whole.metrics());
    for (Metric metric : whole.metrics()) {
      requireClose(folded.metric(metric.id()).orElseThrow().value(), metric.value(), name + ", " + metric.id());
    }
    assertThat(folded.links()).as(name).hasSameSizeAs(whole.links());
    for (int i = 0; i < whole.links().size(); i++) {
      LinkUsage link = whole.links().get(i);
      LinkUsage other = folded.links().get(i);
      assertThat(other.name()).isEqualTo(link.name());
      assertThat(other.units()).as(name + ", " + link.name()).isEqualTo(link.units());
      assertThat(other.maxQueueBytes()).as(name + ", " + link.name()).isEqualTo(link.maxQueueBytes());
      requireClose(other.utilization(), link.utilization(), name + ", " + link.name());
      requireClose(other.payloadGBps(), link.payloadGBps(), name + ", " + link.name());
    }
  }

  private static void requireClose(double actual, double expected, String name) {
    boolean close = Double.compare(actual, expected) == 0
        || Math.abs(actual - expected) <= RELATIVE * Math.max(Math.abs(actual), Math.abs(expected));
    assertThat(close).as("%s: %s in place of %s", name, actual, expected).isTrue();
  }

  @Test
  void shouldCompareBothRunsWhenMemoizationIsVerified() {
    String text = VERIFIED.formatted("verify");
    Results verified = simulation(text).run();
    Results whole = simulation(VERIFIED.formatted("none")).run();
    assertThat(verified.run().simulatedPs()).isEqualTo(whole.run().simulatedPs());
    assertThat(verified.run().events()).isLessThan(whole.run().events() / 4);
  }

  @Test
  void shouldRunAllRanksWhenTheirKernelsVaryOrRoutesAreDrawn() {
    Counting some = new Counting(true);
    simulation(VERIFIED.formatted("replay").replace("variation: {}", "variation: {jitter: 1 %}")).at(some).run();
    assertThat(some.simulated).isEqualTo(256);
    Simulation hashed = simulation(VERIFIED.formatted("replay").replace("d-mod-k", "ecmp"));
    Results searched = hashed.at(some).run();
    assertThat(some.simulated).isEqualTo(256);
    assertThat(searched.run()).isEqualTo(hashed.at(new Counting(false)).run().run());
    simulation(VERIFIED.formatted("replay")).at(some).run();
    assertThat(some.simulated).isLessThan(64);
  }
}
