package dev.heddle.collectives.nccl.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.Placement;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChainOrderTest {
  private static final double BUSY = 1000;
  private static final double HOP = 30;
  private static final double NETWORK = 500;

  private static int[] ascending(int ranks) {
    return IntStream.range(0, ranks).toArray();
  }

  private static int[] descending(int ranks) {
    return IntStream.range(0, ranks).map(at -> (ranks - at) % ranks).toArray();
  }

  @Test
  void shouldBeginTheNextCallWhenAllLieAlike() {
    ChainOrder alike = new ChainOrder(new int[][] {ascending(8), ascending(8)}, new boolean[2][8]);
    assertThat(alike.intervalNs(2, BUSY, HOP, NETWORK)).isCloseTo(BUSY, within(1e-6));
    assertThat(ChainOrder.UNIFORM.intervalNs(16, BUSY, HOP, NETWORK)).isEqualTo(BUSY);
  }

  // The rank behind the root waits on the other channel for the last rank, which waits for it in the next call.
  @ParameterizedTest
  @ValueSource(ints = {3, 4, 8, 16, 63})
  void shouldWaitForTheWayBetweenTheFirstAndTheLastWhenChannelsGoOppositeWays(int ranks) {
    ChainOrder opposite = new ChainOrder(new int[][] {ascending(ranks), descending(ranks)}, new boolean[2][ranks]);
    assertThat(opposite.intervalNs(2, BUSY, HOP, NETWORK)).isCloseTo(BUSY + (ranks - 2) * HOP, within(1e-6));
    assertThat(opposite.intervalNs(1, BUSY, HOP, NETWORK)).isEqualTo(BUSY);
  }

  @Test
  void shouldCountTheNetworkWhereAChainCrossesIt() {
    boolean[] apart = new boolean[8];
    apart[4] = true;
    ChainOrder crossing = new ChainOrder(new int[][] {ascending(8), descending(8)}, new boolean[][] {apart, apart});
    assertThat(crossing.intervalNs(2, BUSY, HOP, NETWORK)).isCloseTo(BUSY + 5 * HOP + NETWORK, within(1e-6));
  }

  // A sender has copied a chunk when it is done, and a receiver with LL or LL128 polls lines while they arrive, so that
  // a crossing adds the network's time alone: here none. With Simple a receiver copies the chunk after it has arrived,
  // also within a node.
  @ParameterizedTest
  @EnumSource(Protocol.class)
  void shouldCopyAChunkOnceWhereAChainCrossesTheNetwork(Protocol protocol) {
    MachineTiming machine = new MachineTiming(Machines.gpu(1e6, 10, 300, 100), Machines.host(),
        Optional.of(Machines.network(1e6, 0, 0, 8, Optional.empty(), Optional.empty())));
    double[] nanos = IntStream.range(0, 2).mapToDouble(crossing -> {
      boolean[] apart = new boolean[8];
      apart[4] = crossing == 1;
      ChainOrder order = new ChainOrder(new int[][] {ascending(8), descending(8)}, new boolean[][] {apart, apart});
      return new NcclTiming(machine, new RankLayout(8, 2), Buffers.DEFAULT, () -> order)
          .collective(CollectiveOp.BROADCAST, 1 << 20, new Execution(Algorithm.RING, protocol, 2), false).nanos();
    }).toArray();
    assertThat(nanos[1]).isCloseTo(nanos[0], within(2.0));
  }

  @Test
  void shouldFindRanksAlikeOnOneNodeAndNotOnSeveral() {
    assertThat(of(1).intervalNs(16, BUSY, HOP, NETWORK)).isEqualTo(BUSY);
    assertThat(of(2).intervalNs(1, BUSY, HOP, NETWORK)).isEqualTo(BUSY);
    assertThat(of(2).intervalNs(16, BUSY, HOP, NETWORK)).isBetween(BUSY + NETWORK, BUSY + 2 * NETWORK + 13 * HOP);
  }

  private static ChainOrder of(int nodes) {
    return ChainOrder.of(CommunicatorTopology.plan(
        Placement.even(nodes, 8), rank -> dev.heddle.collectives.nccl.Machines.h100(),
        NcclConfig.of(NcclVersion.LATEST, Map.of())));
  }
}
