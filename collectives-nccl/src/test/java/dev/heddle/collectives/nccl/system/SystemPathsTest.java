package dev.heddle.collectives.nccl.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collectives.nccl.Machines;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.env.NcclConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SystemPathsTest {
  private static SystemPaths paths(SystemDescription system, String... variables) {
    Map<String, String> set = variables.length == 0 ? Map.of() : Map.of(variables[0], variables[1]);
    NcclConfig config = NcclConfig.of(NcclVersion.LATEST, set);
    return SystemPaths.of(SystemGraph.of(system, config), config);
  }

  @Test
  void shouldPlanWithNcclsBandwidthsWhenNodeIsH100() {
    SystemPaths paths = paths(Machines.h100());

    assertThat(paths.gpuToGpu(0, 7).type()).isEqualTo(PathType.NVL);
    assertThat(paths.gpuToGpu(0, 7).megabytes()).isEqualTo(370_800);
    assertThat(paths.gpuToNet(3, 3).type()).isEqualTo(PathType.PIX);
    assertThat(paths.gpuToNet(3, 3).megabytes()).isEqualTo(48_000);
    assertThat(paths.gpuToNet(0, 1).type()).isEqualTo(PathType.PXN);
    assertThat(paths.relay(0, 1)).isEqualTo(1);
    assertThat(paths.netToGpu(1, 0).type()).isEqualTo(PathType.PHB);
    assertThat(paths.netToGpu(7, 0).type()).isEqualTo(PathType.SYS);
    assertThat(paths.localNet(5, 0)).isEqualTo(5);
    assertThat(paths.nearestGpu(5)).isEqualTo(5);
  }

  @Test
  void shouldGoThroughTheHostWhenPxnIsDisabled() {
    SystemPaths paths = paths(Machines.h100(), "NCCL_PXN_DISABLE", "1");

    assertThat(paths.gpuToNet(0, 1).type()).isEqualTo(PathType.PHB);
    assertThat(paths.gpuToNet(0, 7).type()).isEqualTo(PathType.SYS);
    assertThat(paths.relay(0, 1)).isZero();
  }

  @Test
  void shouldRelayOverNvlinkWhenGpusOfTheMeshAreNotJoined() {
    assertThat(paths(Machines.dgx1v()).gpuToGpu(0, 7).type()).isEqualTo(PathType.NVB);
    assertThat(paths(Machines.dgx1v()).gpuToGpu(0, 3).megabytes()).isEqualTo(40_000);
    assertThat(paths(Machines.dgx1v(), "NCCL_NVB_DISABLE", "1").gpuToGpu(0, 7).type()).isEqualTo(PathType.SYS);
  }

  @Test
  void shouldUseHostMemoryWhenGpusMayNotAccessEachOther() {
    assertThat(paths(Machines.h100(), "NCCL_P2P_DISABLE", "1").gpuToGpu(0, 1).type()).isEqualTo(PathType.PHB);
    assertThat(paths(Machines.h100(), "NCCL_P2P_LEVEL", "LOC").gpuToGpu(0, 7).type()).isEqualTo(PathType.SYS);
    assertThat(paths(Machines.pcieOnly(8, CpuModel.amd())).gpuToGpu(0, 1).type()).isEqualTo(PathType.PIX);
    assertThat(paths(Machines.pcieOnly(8, CpuModel.amd())).gpuToGpu(0, 2).type()).isEqualTo(PathType.PHB);
  }

  @Test
  void shouldBeOfTheNetworkWhenHostMemoryIsForbiddenToo() {
    NcclConfig config = NcclConfig.of(
        NcclVersion.LATEST, Map.of("NCCL_P2P_DISABLE", "1", "NCCL_SHM_DISABLE", "1"));
    SystemPaths paths = SystemPaths.of(SystemGraph.of(Machines.h100(), config), config);

    assertThat(paths.gpuToGpu(0, 1).type()).isEqualTo(PathType.NET);
    assertThat(paths.throughNetwork(0, 1)).isTrue();
    assertThat(paths(Machines.h100()).throughNetwork(0, 1)).isFalse();
  }

  @Test
  void shouldAccessGpusDirectlyWhenNicIsNear() {
    SystemPaths paths = paths(Machines.h100());

    assertThat(paths.gpuDirect(0, 0, true)).isTrue();
    assertThat(paths.gpuDirect(0, 1, true)).isTrue();
    assertThat(paths(Machines.h100(), "NCCL_NET_GDR_LEVEL", "LOC").gpuDirect(0, 0, false)).isFalse();
    assertThat(paths(Machines.h100(), "NCCL_NET_GDR_READ", "0").gpuDirect(0, 0, true)).isFalse();
    assertThat(paths(Machines.h100(), "NCCL_NET_GDR_READ", "0").gpuDirect(0, 0, false)).isTrue();
    assertThat(paths(Machines.h100(), "NCCL_IB_DISABLE", "1").gpuDirect(0, 0, false)).isFalse();
    assertThat(paths(Machines.h100(), "NCCL_NET", "Socket").gpuToNet(0, 0).type()).isEqualTo(PathType.PHB);
  }

  @Test
  void shouldLeaveOutNicsWhenFiltered() {
    assertThat(paths(Machines.h100(), "NCCL_IB_HCA", "mlx5_0,mlx5_3").graph().nets()).isEqualTo(2);
    assertThat(paths(Machines.h100(), "NCCL_IB_HCA", "^=mlx5_0").graph().nets()).isEqualTo(7);
    assertThat(paths(Machines.h100(), "NCCL_IB_HCA", "mlx5_0:2,mlx5_1:1").graph().nets()).isEqualTo(1);
  }
}
