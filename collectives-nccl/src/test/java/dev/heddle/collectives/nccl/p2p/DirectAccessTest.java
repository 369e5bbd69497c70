package dev.heddle.collectives.nccl.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collectives.nccl.Machines;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.collectives.nccl.system.CpuModel;
import dev.heddle.collectives.nccl.system.SystemDescription;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DirectAccessTest {
  private static DirectAccess access(SystemDescription node, int nodes, String version, int perProcess) {
    return DirectAccess.of(
        CommunicatorTopology.plan(Placement.even(nodes, 8), rank -> node,
            NcclConfig.of(NcclVersion.parse(version), Map.of())),
        perProcess);
  }

  @Test
  void shouldWriteOthersBuffersWithinAProcessOnly() {
    DirectAccess halves = access(Machines.h100(), 1, "2.27.7", 4);
    assertThat(halves.between(0, 3)).isTrue();
    assertThat(halves.between(3, 4)).isFalse();
    assertThat(access(Machines.h100(), 1, "2.27.7", 8).between(3, 4)).isTrue();
  }

  // Per graph/paths.cc, GPUs of compute capability 8.0 at both ends of NVLink read; over PCIe they write as others do.
  @Test
  void shouldNotWriteWhereA100sRead() {
    assertThat(access(Machines.a100(), 1, "2.22.3", 8).between(0, 1)).isFalse();
    CpuModel milan = new CpuModel("x86_64", "AuthenticAMD", 175, 1);
    assertThat(access(Machines.pcieOnly(8, milan), 1, "2.22.3", 8).between(0, 1)).isTrue();
  }

  @Test
  void shouldQueueCallsForAsManyGpusAsAThreadDrives() {
    assertThat(access(Machines.h100(), 1, "2.27.7", 8).perThread()).isEqualTo(8);
    DirectAccess threads = DirectAccess.ofThreads(
        CommunicatorTopology.plan(Placement.even(1, 8), rank -> Machines.h100(),
            NcclConfig.of(NcclVersion.LATEST, Map.of())),
        8);
    assertThat(threads.perThread()).isEqualTo(1);
    assertThat(threads.between(0, 1)).isTrue();
  }
}
