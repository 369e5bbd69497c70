package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.Pipeline;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.Verifier;
import dev.heddle.fabric.Fabric;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.Scenario;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Fidelity;
import dev.heddle.spi.DeviceKind;
import dev.heddle.testkit.fixture.CollectiveRequest;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of NCCL on two H100 nodes per leaf of every rail, with switches that reduce. */
class NcclSharpTest {
  private static final String ALGORITHM = "collectives.environment.NCCL_ALGO";

  private static Scenario scenario(Map<String, String> changes) {
    try (Registry registry = Registry.discover(NcclSharpTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).read(Path.of("..", "scenarios", "nccl-sharp.yaml"), changes)
          .points().get(0).scenario();
    }
  }

  private static double micros(Fidelity fidelity, Map<String, String> changes) {
    return scenario(changes).simulation().at(fidelity).run().metric("collective.all_reduce.time").orElseThrow().value();
  }

  private static CollectiveRequest request(Scenario scenario, Collective collective) {
    Fabric fabric = scenario.fabric();
    return new CollectiveRequest(collective, Group.of(fabric.terminals(DeviceKind.ACCELERATOR)), fabric);
  }

  @ParameterizedTest
  @CsvSource({"CollnetChain, CollNetChain", "CollnetDirect, CollNetDirect", "NVLS, NVLS"})
  void shouldBeProvedAndAddInTheSwitchesOfEveryRailWhenTheNetworkReduces(String algorithm, String name) {
    Scenario scenario = scenario(Map.of(ALGORITHM, algorithm));
    CollectiveRequest request = request(scenario, Collective.of(CollectiveOp.ALL_REDUCE, 32, 4 << 20));
    Schedule schedule = request.schedule(scenario.collectives());
    assertThat(schedule.name()).isEqualTo(name);
    assertThat(Verifier.withWindow(schedule.window()).verify(schedule).findings()).isEmpty();
    Fabric fabric = scenario.fabric();
    List<String> units = IntStream.range(0, schedule.aggregators().length())
        .mapToObj(unit -> fabric.name(schedule.aggregators().get(unit))).filter(unit -> unit.startsWith("cluster."))
        .distinct().toList();
    // Eight rails of two leaves each, and two spines, each the root of four trees.
    assertThat(units).hasSize(2 * 8 + 2);
    for (Pipeline pipeline : request.plan(scenario.collectives()).pipelines()) {
      assertThat(IntStream.range(0, pipeline.edges())
          .allMatch(edge -> fabric.node(pipeline.source(edge)) == fabric.node(pipeline.target(edge))
              || fabric.kind(pipeline.source(edge)) == DeviceKind.AGGREGATOR
              || fabric.kind(pipeline.target(edge)) == DeviceKind.AGGREGATOR))
          .as("no rank sends to another node").isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({
      "all_gather, NVLS, 0.20", "reduce_scatter, NVLS, 0.20", "all_gather, CollnetDirect, 0.15",
      "reduce_scatter, CollnetDirect, 0.20"
  })
  void shouldGatherAndScatterAlongRailsWhenTheNetworkReduces(String op, String algorithm, double bound) {
    Map<String, String> changes =
        Map.of(ALGORITHM, algorithm, "workload.op", op, "workload.size", "16 MiB");
    Scenario scenario = scenario(changes);
    Collective collective = Collective.of(CollectiveOp.valueOf(op.toUpperCase(Locale.ROOT)), 32, 1 << 20);
    Schedule schedule = request(scenario, collective).schedule(scenario.collectives());
    assertThat(Verifier.withWindow(schedule.window()).verify(schedule).findings()).isEmpty();
    List<Double> micros = Arrays.stream(Fidelity.values()).map(
        fidelity -> scenario.simulation().at(fidelity).run().metric("collective." + op + ".time").orElseThrow().value())
        .toList();
    double packet = micros.get(Fidelity.PACKET.ordinal());
    assertThat(micros).allSatisfy(each -> assertThat(each).isCloseTo(packet, within(packet * bound)));
  }

  @ParameterizedTest
  @CsvSource({
      "CollnetChain, 1 MiB, 0.10", "CollnetChain, 16 MiB, 0.10", "NVLS, 1 MiB, 0.15", "NVLS, 16 MiB, 0.10",
      "CollnetDirect, 64 KiB, 0.10", "CollnetDirect, 1 MiB, 0.10", "CollnetDirect, 16 MiB, 0.10"
  })
  void shouldTakeAboutTheSameTimeAtAllFidelitiesWhenTheNetworkReduces(String algorithm, String size, double bound) {
    Map<String, String> changes = Map.of(ALGORITHM, algorithm, "workload.size", size);
    double packet = micros(Fidelity.PACKET, changes);
    assertThat(micros(Fidelity.FLOW, changes)).isCloseTo(packet, within(packet * bound));
    assertThat(micros(Fidelity.ANALYTIC, changes)).isCloseTo(packet, within(packet * bound));
  }

  /** Switches that reduce send to each other as nodes send to them: by connections, where a transport runs. */
  @ParameterizedTest
  @CsvSource({"CollnetChain, roce", "CollnetDirect, roce", "CollnetDirect, uec"})
  void shouldReduceInTheNetworkWhenTransportRuns(String algorithm, String transport) {
    Map<String, String> changes = Map.of(ALGORITHM, algorithm, "workload.size", "1 MiB");
    double plain = micros(Fidelity.PACKET, changes);
    Map<String, String> carried = new LinkedHashMap<>(changes);
    carried.put("transport", transport);
    for (Fidelity fidelity : Fidelity.values()) {
      assertThat(micros(fidelity, carried)).as("%s", fidelity).isCloseTo(plain, within(0.15 * plain));
    }
  }

  @ParameterizedTest
  @EnumSource(Fidelity.class)
  void shouldReduceInTheNetworkOnlyWhereItIsOnAndThereAreEnoughNodes(Fidelity fidelity) {
    Map<String, String> on = new LinkedHashMap<>(Map.of(ALGORITHM, "^Ring,Tree", "workload.size", "4 MiB"));
    double reduced = micros(fidelity, on);
    Map<String, String> off = new LinkedHashMap<>(on);
    off.put("collectives.environment.NCCL_COLLNET_ENABLE", "'0'");
    double trees = micros(fidelity, off);
    assertThat(trees).isGreaterThan(1.2 * reduced);
    Map<String, String> few = new LinkedHashMap<>(on);
    few.put("collectives.environment.NCCL_COLLNET_NODE_THRESHOLD", "'5'");
    assertThat(micros(fidelity, few)).isEqualTo(trees);
    few.put("collectives.environment.NCCL_COLLNET_NODE_THRESHOLD", "'4'");
    assertThat(micros(fidelity, few)).isEqualTo(reduced);
  }
}
