package dev.heddle.collectives.nccl.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.collectives.nccl.Clusters;
import dev.heddle.collectives.nccl.system.SystemDescription.Bridge;
import dev.heddle.collectives.nccl.system.SystemDescription.Cpu;
import dev.heddle.collectives.nccl.system.SystemDescription.Gpu;
import dev.heddle.collectives.nccl.system.SystemDescription.Nvlink;
import dev.heddle.collectives.nccl.system.SystemDescription.PciDevice;
import dev.heddle.units.DataRate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterNodeTest {
  @Test
  void shouldFollowTheWiresWhenNodeIsDescribed() {
    SystemDescription node = ClusterNode.of(Clusters.twoHosts(90), 0);

    assertThat(node.cpus()).extracting(Cpu::hostHash).doesNotContain("").doesNotHaveDuplicates();
    PciDevice bridge = node.cpus().get(0).devices().get(0);
    assertThat(bridge.content()).isInstanceOf(Bridge.class);
    assertThat(Inventory.of(node).gpus()).extracting(Gpu::dev).containsExactly(0, 1, 2, 3);
    assertThat(Inventory.of(node).nets()).extracting(net -> net.megabits()).containsExactly(400_000, 400_000);
    assertThat(Inventory.of(node).gpus()).allSatisfy(gpu -> {
      assertThat(gpu.sm()).isEqualTo(90);
      assertThat(gpu.nvlinks()).singleElement().extracting(Nvlink::count).isEqualTo(18);
    });
    assertThat(node.byHost()).hasSize(2);
    assertThat(node.byHost().get(1).gpuWithDev(3)).isEqualTo(1);
    assertThat(node.byHost().get(1).gpuWithDev(0)).isEqualTo(-1);
  }

  @Test
  void shouldRefuseWhenGpuIsUnknown() {
    assertThatThrownBy(() -> ClusterNode.of(Clusters.twoHosts(0), 0))
        .hasMessage("'test GPU' has no compute-capability; NCCL knows GPUs of NVIDIA only");
  }

  @ParameterizedTest
  @CsvSource({
      "504.12 Gb/s, 32.0 GT/s PCIe, 16", "252.06 Gb/s, 16.0 GT/s PCIe, 16", "126.03 Gb/s, 8.0 GT/s PCIe, 16",
      "63 Gb/s, 5.0 GT/s PCIe, 16", "968 Gb/s, 64.0 GT/s PCIe, 16", "3.9 GB/s, 2.5 GT/s PCIe, 16"})
  void shouldFindThePcieLinkWhenRateIsGiven(String rate, String speed, int width) {
    assertThat(PciLink.nearest(DataRate.parse(rate))).isEqualTo(new PciLink(speed, width));
  }
}
