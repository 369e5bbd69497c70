package dev.heddle.collectives.nccl.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.search.ChannelGraph;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.collectives.nccl.system.CpuModel;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of rings whose data pass the host's memory. */
class HostMemoryTest {
  private static final long BYTES = 1L << 32;

  // GPUs store to the host's memory and load from it at the same time, at 0.47 of what the ports plan; where they reach
  // one another through the host's bridges instead, nothing lies in its memory.
  @ParameterizedTest
  @CsvSource({"PXB, 0.47", "SYS, 1"})
  void shouldSlowDownLoadsBesideStoresWhenDataLieInTheHostsMemory(String level, double share) {
    NcclConfig config = NcclConfig.of(NcclVersion.LATEST, Map.of("NCCL_P2P_LEVEL", level));
    CommunicatorTopology channels = CommunicatorTopology.plan(
        Placement.even(1, 4), rank -> dev.heddle.collectives.nccl.Machines.pcieOnly(4, CpuModel.amd()), config);
    ChannelGraph ring = channels.node(0).ring();
    CallTime time = CommunicatorTiming.of(channels, Machines.node(Machines.gpu(400, 20, 0, 0)), 0).time(
        CollectiveOp.ALL_REDUCE, BYTES, true, new Execution(Algorithm.RING, Protocol.SIMPLE, channels.count()));
    double planned = ring.channels() * ring.intraSpeed();
    assertThat(1.5 * BYTES / time.nanos()).isCloseTo(share * planned, within(0.02 * planned));
  }
}
