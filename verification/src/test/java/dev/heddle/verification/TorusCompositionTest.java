package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.search.ClusterPlan;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.Scenario;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.testkit.fixture.CollectiveRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of collectives of one vendor on the torus of another, and over several tori. */
class TorusCompositionTest {
  private static final Path NCCL = Path.of("..", "scenarios", "trainium-nccl.yaml");
  private static final int RANKS_PER_CHIP = 4;
  private static final int SIDE = 4;

  private static Scenario scenario(Path file, Map<String, String> overrides) {
    try (Registry registry = Registry.discover(TorusCompositionTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).read(file, overrides).points().get(0).scenario();
    }
  }

  private static Scenario instances(String collectives, String size) {
    try (Registry registry = Registry.discover(TorusCompositionTest.class.getClassLoader(), List.of())) {
      String text =
          "{name: instances, fidelity: flow, cluster: {preset: trn1-32xlarge-efa}, collectives: " + collectives
              + ", workload: {type: collective, op: all_reduce, size: " + size + "}}";
      return new ScenarioReader(registry).parse("instances", text, Map.of()).points().get(0).scenario();
    }
  }

  private static CollectiveRequest request(Scenario scenario, CollectiveOp op) {
    int[] ranks = scenario.fabric().terminals(DeviceKind.ACCELERATOR);
    return new CollectiveRequest(Collective.of(op, ranks.length, 1 << 20), Group.of(ranks), scenario.fabric());
  }

  private static void verify(CollectiveAlgorithm algorithm, CollectiveRequest request) {
    assertThat(request.verdict(algorithm).findings())
        .as("%s", request.collective()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Ring", "Tree"})
  void shouldBeProvedWhenNcclRunsOnTheTorus(String algorithm) {
    Scenario scenario = scenario(NCCL, Map.of("collectives.environment", "{NCCL_ALGO: " + algorithm + "}"));
    for (CollectiveOp op : algorithm.equals("Ring")
        ? List.of(CollectiveOp.ALL_REDUCE, CollectiveOp.ALL_GATHER) : List.of(CollectiveOp.ALL_REDUCE)) {
      verify(
          scenario.collectives(),
          request(scenario, op));
    }
  }

  @Test
  void shouldFindRingsOverLinksOfTheTorusWhenNcclSearches() {
    Scenario scenario = scenario(NCCL, Map.of());
    CommunicatorTopology channels = ClusterPlan.channels(
        scenario.fabric(), Group.ofFirst(64), NcclConfig.of(NcclVersion.parse("2.27.7"), Map.of()));
    assertThat(channels.count()).isGreaterThanOrEqualTo(2);
    for (int channel = 0; channel < channels.count(); channel++) {
      for (int rank = 0; rank < 64; rank++) {
        int next = channels.ringNext(channel, rank);
        assertThat(apart(rank / RANKS_PER_CHIP, next / RANKS_PER_CHIP))
            .as("links between chips from rank %s to %s on channel %s", rank, next, channel).isLessThanOrEqualTo(1);
      }
    }
  }

  private static int apart(int one, int other) {
    int rows = Math.abs(one / SIDE - other / SIDE);
    int columns = Math.abs(one % SIDE - other % SIDE);
    return Math.min(rows, SIDE - rows) + Math.min(columns, SIDE - columns);
  }

  @Test
  void shouldGoRoundTwoInstancesByAsManyNicsAsThereAreDirectedCycles() {
    Scenario scenario = instances("{type: neuron, algorithm: ring}", "256 MiB");
    verify(
        scenario.collectives(),
        request(scenario, CollectiveOp.ALL_REDUCE));
    Results results = scenario.simulation().run();
    // Two cycles, in both directions, each through its own NIC of 100 Gb/s, less the packets' overhead.
    assertThat(results.metric("collective.all_reduce.busbw").orElseThrow().value()).isBetween(0.95 * 50, 50.0);
    double smallest = instances("{type: neuron, algorithm: ring}", "8 B").simulation().run()
        .metric("collective.all_reduce.time").orElseThrow().value();
    // 126 hops of 1 to 2 us, of which four pass the network and take 15 us.
    assertThat(smallest).isBetween(122 * 1.0 + 4 * 15, 122 * 2.0 + 4 * 17);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mesh", "kangaring", "rdh"})
  void shouldRefuseOverTwoInstancesWhatGoesByTheLinksOfOne(String algorithm) {
    Scenario scenario = instances("{type: neuron, algorithm: " + algorithm + "}", "1 MiB");
    CollectiveRequest request = request(scenario, CollectiveOp.ALL_REDUCE);
    assertThatThrownBy(() -> request.schedule(scenario.collectives()))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining(algorithm + " cannot do all_reduce: the group lies in 2 instances");
  }
}
