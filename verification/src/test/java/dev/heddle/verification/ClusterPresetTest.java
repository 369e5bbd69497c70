package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.fabric.Fabric;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.DeviceKind;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the presets of systems against the headers of their measurements, for a given number of nodes. */
class ClusterPresetTest {
  private static final Registry REGISTRY = Registry.discover(ClusterPresetTest.class.getClassLoader(), List.of());
  private static final String SCENARIO = """
      name: cluster
      cluster: {preset: %s}
      workload: {type: traffic, pattern: uniform, loop: closed, messages: 1}
      """;

  private static Fabric fabric(String preset, int nodes) {
    return new ScenarioReader(REGISTRY)
        .parse(preset, SCENARIO.formatted(preset), Map.of("cluster.tiers[1].size", String.valueOf(nodes)))
        .points().get(0).scenario().fabric();
  }

  // Nodes, total accelerators, NICs of a node, Gb/s of a NIC, as stated by the tables of nccl-tests; ports that share
  // every message count as one NIC (two of OCI's adapters, four EFA of a p5).
  @ParameterizedTest
  @CsvSource({
      "a100-abci,         16, 128, 4,  200, A100 SXM 40 GB",
      "v100-abci,         16, 64,  2,  100, V100 SXM2 16 GB",
      "a100-deepops,      2,  16,  8,  200, A100 SXM 40 GB",
      "v100-deepops,      2,  16,  2,  100, V100 SXM2 32 GB",
      "a100-ndmv4,        2,  16,  8,  200, A100 SXM 80 GB",
      "a100-oci,          2,  16,  8,  200, A100 SXM 40 GB",
      "a100-oci-ports,    2,  16, 16,  100, A100 SXM 40 GB",
      "a100-aws-p4d,      2,  16,  4,  100, A100 SXM 40 GB",
      "dgx-1v,            4,  32,  4,  100, V100 SXM2 32 GB",
      "a100-aws-p4de,     2,  16,  4,  100, A100 SXM 80 GB",
      "h100-ndr,          2,  16,  8,  400, H100 SXM",
      "h100-ndr,          12, 96,  8,  400, H100 SXM",
      "h100-oci,          2,  16,  8,  400, H100 SXM",
      "h100-aws-p5,       2,  16,  8,  400, H100 SXM",
      "h100-gcp-a3high,   2,  16,  4,  200, H100 SXM",
      "h100-gcp-a3mega,   2,  16,  8,  200, H100 SXM",
      "h200-gcp-a3ultra,  2,  16,  8,  400, H200",
      "b200-vultr,        2,  16,  8,  400, B200",
      "b200-vultr,        1,  8,   8,  400, B200",
      "b200-aws-p6,       4,  32,  8,  400, B200",
      "gb200-nvl72,       1,  72,  72, 400, GB200",
      "gh200-alps,        4,  16,  4,  200, GH200",
      "mi300x-oci,        2,  16,  8,  400, MI300X",
      "mi250x-slingshot,  4,  32,  4,  200, MI250X GCD",
      "frontier,          4,  32,  4,  200, MI250X GCD",
      "alps,              4,  16,  4,  200, GH200",
      "leonardo,          4,  16,  4,  100, A100 SXM 64 GB",
      "aurora,            4,  48,  8,  184, PVC tile",
      "aurora-rated,      4,  48,  8,  200, PVC tile"})
  void shouldHaveWhatTheMeasurementsWereMadeOn(
      String preset, int nodes, int accelerators, int nicsPerNode, double gigabits, String accelerator) {
    Fabric fabric = fabric(preset, nodes);
    assertThat(fabric.nodes()).isEqualTo(nodes);
    assertThat(fabric.terminals(DeviceKind.ACCELERATOR)).hasSize(accelerators);
    int[] nics = fabric.terminals(DeviceKind.NIC);
    assertThat(nics).hasSize(nodes * nicsPerNode);
    assertThat(fabric.networkLink(nics[0]).rate().bitsPerSecond() / 1e9).isEqualTo(gigabits);
    assertThat(fabric.accelerator(0).orElseThrow().name()).isEqualTo(accelerator);
  }

  @ParameterizedTest
  @CsvSource({"h100-ndr", "a100-ndmv4", "mi300x-oci", "h100-gcp-a3mega"})
  void shouldJoinNeighboursOfARailByOneSwitch(String preset) {
    Fabric fabric = fabric(preset, 2);
    int[] accelerators = fabric.terminals(DeviceKind.ACCELERATOR);
    for (int i = 0; i < 8; i++) {
      int[] route = fabric.route(accelerators[i], accelerators[8 + i]);
      assertThat(Arrays.stream(route).filter(link -> fabric.linkTier(link) == 1)).as("accelerator %s", i).hasSize(2);
    }
  }
}
