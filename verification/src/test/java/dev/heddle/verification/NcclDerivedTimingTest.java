package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Times of NCCL in scenarios that give none. */
class NcclDerivedTimingTest {
  private static double micros(String cluster, String collectives) {
    String text = "{name: derived, fidelity: flow, cluster: " + cluster
        + ", workload: {type: collective, op: all_reduce, size: 4 MiB}, collectives: " + collectives + "}";
    try (Registry registry = Registry.discover(NcclDerivedTimingTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).parse("derived.yaml", text, Map.of()).points().get(0).scenario().simulation()
          .run().metric("collective.all_reduce.time").orElseThrow().value();
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "{preset: hgx-h100} | hopper | infiniband", "{preset: dgx-a100} | ampere | infiniband",
      "{tiers: [{preset: p5-48xlarge-node}, {name: cluster, size: 2, topology: {type: star, link: {preset: efa-400},"
          + " centre: {type: generic}}}]} | hopper | efa"})
  void shouldTakeThePresetsOfArchitectureAndNetworkWhenTimingIsMissing(String cluster, String gpu, String network) {
    String given = "{type: nccl, timing: {gpu: {preset: nccl-" + gpu + "}, host: {}, network: {preset: nccl-" + network
        + "}}}";
    assertThat(micros(cluster, "nccl")).isEqualTo(micros(cluster, given)).isPositive();
    assertThat(micros(cluster, "nccl"))
        .isNotEqualTo(micros(cluster, given.replace("nccl-" + network, "nccl-socket")))
        .isNotEqualTo(micros(cluster, "{type: nccl, environment: {NCCL_ALGO: Ring, NCCL_PROTO: LL}}"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "hoper"})
  void shouldNamePresetsWhenTheArchitectureHasNone(String architecture) {
    String accelerator = architecture.isEmpty() ? "" : ", accelerator: {name: Novel, vendor: other, architecture: "
        + architecture + ", compute-units: 100, memory: 80 GiB, memory-bandwidth: 3 TB/s}";
    String cluster = "{tiers: [{name: node, terminals: {accelerator: 4}" + accelerator
        + ", topology: {type: star, link: {type: generic, rate: 100 Gb/s, latency: 1 us}, centre: {type: generic}}}]}";
    assertThatThrownBy(() -> micros(cluster, "nccl")).isInstanceOf(ScenarioException.class)
        .hasMessageContaining("collectives.timing").hasMessageContaining("nccl-hopper");
  }
}
