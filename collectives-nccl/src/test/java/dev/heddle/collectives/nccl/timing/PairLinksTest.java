package dev.heddle.collectives.nccl.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.p2p.PointToPoint;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.collectives.nccl.system.SystemDescription;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the loads of links between GPUs on the hybrid cube mesh of a DGX-1V. */
class PairLinksTest {
  private static final double PORT = 120;
  // PCIe 3 x16 as NCCL plans with it [NCCL 2.8.4 to 2.30.7, graph/topo.h].
  private static final double PCIE = 12;

  private static CommunicatorTopology channels(SystemDescription node, Map<String, String> variables) {
    return CommunicatorTopology.plan(
        Placement.even(1, 8), rank -> node, NcclConfig.of(NcclVersion.parse("2.18.3"), variables));
  }

  private static PairLinks.Load busiest(SystemDescription node, Map<String, String> variables, PairLinks.Sizes sizes) {
    CommunicatorTopology channels = channels(node, variables);
    return new PairLinks(channels, PointToPoint.of(channels)).busiest(sizes, PORT);
  }

  // GPUs 0 and 4, and 0 and 3, have two of six links of 120 GB/s together, 0 and 1 one; 0 and 5 have none.
  @ParameterizedTest
  @CsvSource({"0, 4, 40", "0, 3, 40", "0, 1, 20", "0, 5, 20", "2, 7, 20"})
  void shouldHaveTheLinksOfThePairAlone(int from, int to, double rate) {
    PairLinks.Load load = busiest(dev.heddle.collectives.nccl.Machines.dgx1v(), Map.of(),
        (sender, receiver) -> sender == from && receiver == to ? 1000 : 0);
    assertThat(load).isEqualTo(new PairLinks.Load(1000, rate));
  }

  // Of 56 messages 12 pairs' have no link, and take two links each: 32 directions of links carry 56 + 24 messages. The
  // busiest are single links, which carry one message of their own and two of others.
  @Test
  void shouldCarryMessagesOfPairsWithoutALinkBesidesItsOwn() {
    PairLinks.Load load = busiest(dev.heddle.collectives.nccl.Machines.dgx1v(), Map.of(),
        PairLinks.unit(CollectiveOp.ALL_TO_ALL, 8));
    assertThat(load).isEqualTo(new PairLinks.Load(3, PORT / 6));
  }

  // Without neighbours' memory a message goes through the host's, which GPUs load from at 0.47 of PCIe's rate.
  @Test
  void shouldPassTheHostWhereNeighboursDoNotRelay() {
    PairLinks.Load load = busiest(dev.heddle.collectives.nccl.Machines.dgx1v(), Map.of("NCCL_NVB_DISABLE", "1"),
        (from, to) -> from == 0 && to == 5 ? 1000 : 0);
    assertThat(load.bytes() / load.rate()).isGreaterThanOrEqualTo(1000 / (PCIE * 0.47));
    assertThat(load.bytes()).isCloseTo(1000 / 0.47, within(1e-6));
  }

  @Test
  void shouldHaveRoomWhereSwitchesJoinGpus() {
    assertThat(busiest(dev.heddle.collectives.nccl.Machines.h100(), Map.of(), (from, to) -> 1))
        .isEqualTo(PairLinks.Load.NONE);
  }

  @Test
  void shouldHoldBuffersInTheMemoryOfANeighbourOfBothWithoutALink() {
    CommunicatorTopology channels = channels(dev.heddle.collectives.nccl.Machines.dgx1v(), Map.of());
    PointToPoint pairs = PointToPoint.of(channels);
    assertThat(pairs.intermediate(0, 4)).isEqualTo(0);
    assertThat(pairs.intermediate(0, 5)).isIn(1, 4);
    assertThat(pairs.intermediate(2, 7)).isIn(3, 6);
    CommunicatorTopology direct = channels(dev.heddle.collectives.nccl.Machines.dgx1v(),
        Map.of("NCCL_NVB_DISABLE", "1"));
    assertThat(PointToPoint.of(direct).intermediate(0, 5)).isEqualTo(0);
  }
}
