package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.fabric.Fabric;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.DeviceKind;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Tests that a cluster of 16,384 GPUs can be planned: its routes are computed, since a table of them would take a
 * gigabyte.
 */
class LargeClusterTest {
  private static final String SCENARIO = """
      name: large
      fidelity: flow
      cluster:
        tiers:
          - preset: hgx-h100-node
          - name: cluster
            size: 2048
            topology: {type: rail-fat-tree, rails: 8, joined: core, link: {preset: infiniband-ndr}}
      workload: {type: traffic, pattern: uniform, loop: closed, messages: 1}
      """;

  @Test
  void shouldPlanSixteenThousandGpusOnRails() {
    Registry registry = Registry.discover(LargeClusterTest.class.getClassLoader(), List.of());
    Fabric fabric =
        new ScenarioReader(registry).parse("large", SCENARIO, Map.of()).points().get(0).scenario().fabric();
    int[] gpus = fabric.terminals(DeviceKind.ACCELERATOR);
    assertThat(gpus).hasSize(16_384);
    // A leaf of a rail connects each block of 32 nodes: 2 links of PCIe, NIC to leaf to NIC, 2 links of PCIe.
    assertThat(fabric.route(gpus[3], gpus[8 * 31 + 3])).hasSize(6);
    assertThat(fabric.route(gpus[3], gpus[8 * 32 + 3])).hasSize(8);
    assertThat(fabric.route(gpus[3], gpus[8 * 32 + 4])).hasSize(10);
    assertThat(Arrays.stream(fabric.route(gpus[0], gpus[16_383])).mapToObj(fabric::linkName).toList())
        .anySatisfy(name -> assertThat(name).contains("node2047.nic7"));
  }
}
