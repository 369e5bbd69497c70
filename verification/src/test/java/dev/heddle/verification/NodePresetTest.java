package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.fabric.Fabric;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.Scenario;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Medium;
import dev.heddle.spi.Precision;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.aggregator.ArgumentsAccessor;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of the presets of nodes against data sheets: the bandwidth of an accelerator to its peers, and its link to
 * NICs.
 */
class NodePresetTest {
  private static final Registry REGISTRY = Registry.discover(NodePresetTest.class.getClassLoader(), List.of());
  private static final String NODE = """
      name: node
      cluster:
        tiers:
          - preset: %s
          - {name: cluster, size: 2, topology: {type: fat-tree, link: {type: infiniband}}}
      workload: {type: traffic, pattern: all-to-all, loop: closed, messages: 1, participants: cpu}
      """;

  private static Fabric fabric(String preset) {
    return new ScenarioReader(REGISTRY).parse(preset, NODE.formatted(preset), Map.of())
        .points().get(0).scenario().fabric();
  }

  // All GB/s are of one direction. Peer rates: NVIDIA's and AMD's data sheets, half of the bidirectional figures.
  @ParameterizedTest
  @CsvSource({
      "dgx-1v-node,        V100 SXM2 32 GB, 8,  4,  2,  150, 32",
      "abci-v-node,        V100 SXM2 16 GB, 4,  2,  2,  150, 16",
      "dgx-a100-node,      A100 SXM 40 GB,  8,  8,  2,  300, 40",
      "abci-a-node,        A100 SXM 40 GB,  8,  4,  2,  300, 40",
      "p4d-24xlarge-node,  A100 SXM 40 GB,  8,  4,  2,  300, 40",
      "p4de-24xlarge-node, A100 SXM 80 GB,  8,  4,  2,  300, 80",
      "hgx-h100-node,      H100 SXM,        8,  8,  2,  450, 80",
      "hgx-h200-node,      H200,            8,  8,  2,  450, 141",
      "hgx-h20-node,       H20,             8,  8,  2,  450, 96",
      "p5-48xlarge-node,   H100 SXM,        8,  8,  2,  450, 80",
      "hgx-b200-node,      B200,            8,  8,  2,  900, 180",
      "gb200-nvl72-node,   GB200,           72, 72, 36, 900, 186",
      "alps-gh200-node,    GH200,           4,  4,  4,  450, 96",
      "pcie-h100-node,     H100 PCIe,       8,  4,  2,  0,   80",
      "mi300x-node,        MI300X,          8,  8,  2,  448, 192"})
  void shouldMatchDataSheetsWhenPreset(ArgumentsAccessor row) {
    Fabric fabric = fabric(row.getString(0));
    String name = row.getString(1);
    double peerGigabytes = row.getDouble(5);
    long gibibytes = row.getLong(6);
    assertThat(fabric.terminals(DeviceKind.ACCELERATOR)).hasSize(2 * row.getInteger(2));
    assertThat(fabric.terminals(DeviceKind.NIC)).hasSize(2 * row.getInteger(3));
    assertThat(fabric.terminals(DeviceKind.CPU)).hasSize(2 * row.getInteger(4));
    Accelerator accelerator = fabric.accelerator(fabric.terminals(DeviceKind.ACCELERATOR)[0]).orElseThrow();
    assertThat(accelerator.name()).isEqualTo(name);
    assertThat(accelerator.memory().bytes()).isEqualTo(gibibytes << 30);
    assertThat(accelerator.peak(Precision.FP16)).isPresent();
    assertThat(fabric.processor(fabric.terminals(DeviceKind.CPU)[0])).isPresent();
    for (int terminal : fabric.terminals(DeviceKind.ACCELERATOR)) {
      assertThat(peers(fabric, terminal).stream().mapToDouble(link -> link.rate().bytesPerNano()).sum())
          .as("GB/s to peers of %s", fabric.name(terminal)).isEqualTo(peerGigabytes);
    }
  }

  private static List<Link> peers(Fabric fabric, int device) {
    return IntStream.range(0, fabric.links())
        .filter(link -> fabric.linkSource(link) == device && fabric.linkModel(link).medium() == Medium.PEER)
        .mapToObj(fabric::linkModel)
        .toList();
  }

  // The devices between an accelerator and its NIC.
  @ParameterizedTest
  @CsvSource({
      "dgx-1v-node,       3, 1,  pcie-switch1",
      "abci-v-node,       3, 1,  pcie-switch1",
      "dgx-a100-node,     5, 5,  pcie-switch2",
      "abci-a-node,       7, 3,  pcie-switch3",
      "hgx-h100-node,     0, 1,  pcie-switch0",
      "p5-48xlarge-node,  2, 2,  pcie-switch2",
      "p5-48xlarge-node,  7, 7,  pcie-switch7",
      "gb200-nvl72-node,  5, 5,  cpu2",
      "alps-gh200-node,   3, 3,  cpu3",
      "pcie-h100-node,    1, 0,  pcie-switch0",
      "mi300x-node,       6, 6,  pcie-switch6",
      "lumi-mi250x-node,  2, 1,  accelerator3"})
  void shouldReachTheNearestNicWithoutLeavingItsSwitch(String preset, int accelerator, int nic, String between) {
    Fabric fabric = fabric(preset);
    int from = fabric.terminals(DeviceKind.ACCELERATOR)[accelerator];
    int to = fabric.terminals(DeviceKind.NIC)[nic];
    List<String> devices = new ArrayList<>();
    Arrays.stream(fabric.route(from, to)).forEach(link -> devices.add(fabric.name(fabric.linkTarget(link))));
    assertThat(devices).containsExactly("node0." + between, fabric.name(to));
  }

  // Rates between dies in GB/s of one direction, from the diagrams of LUMI's documentation; 0: through a neighbour.
  @ParameterizedTest
  @CsvSource({"0, 1, 200", "2, 3, 200", "0, 6, 100", "2, 4, 100", "0, 2, 50", "1, 5, 50", "5, 7, 50", "0, 5, 0",
      "3, 4, 0"})
  void shouldJoinTheDiesOfLumiAsDrawn(int from, int to, double gigabytes) {
    Fabric fabric = fabric("lumi-mi250x-node");
    int[] dies = fabric.terminals(DeviceKind.ACCELERATOR);
    int[] route = fabric.route(dies[from], dies[to]);
    assertThat(Arrays.stream(route).mapToObj(fabric::linkModel)).allMatch(link -> link.medium() == Medium.PEER);
    assertThat(route).hasSize(gigabytes == 0 ? 2 : 1);
    if (gigabytes > 0) {
      assertThat(fabric.linkModel(route[0]).rate().bytesPerNano()).isEqualTo(gigabytes);
    }
  }

  private static final String ALL_TO_ALL = """
      name: all-to-all
      run: {burst: 4 KiB}
      cluster:
        tiers:
          - preset: %s
          - {name: cluster, size: 2, topology: {type: star, link: {preset: infiniband-ndr}}}
      workload: {type: traffic, pattern: all-to-all, loop: closed, messages: 40, message-size: 64 KiB}
      """;

  // A run on the packet network with its finite buffers: GPUs to GPUs of both nodes, over peers' links, PCIe and NICs.
  @ParameterizedTest
  @ValueSource(strings = {"dgx-1v-node", "abci-v-node", "hgx-h100-node", "p5-48xlarge-node", "alps-gh200-node",
      "pcie-h100-node", "mi300x-node", "lumi-mi250x-node"})
  void shouldDeliverAllToAllWithoutLockingUp(String preset) {
    Scenario scenario = new ScenarioReader(REGISTRY).parse(preset, ALL_TO_ALL.formatted(preset), Map.of())
        .points().get(0).scenario();
    int ranks = scenario.fabric().terminals(DeviceKind.ACCELERATOR).length;
    Results results = scenario.simulation().run();
    assertThat(results.metric("messages.delivered").orElseThrow().value()).isEqualTo(40.0 * ranks);
  }
}
