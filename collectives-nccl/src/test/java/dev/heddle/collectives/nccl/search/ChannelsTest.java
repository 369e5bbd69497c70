package dev.heddle.collectives.nccl.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.collectives.nccl.Machines;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.system.SystemDescription;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.Queue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ChannelsTest {
  private static final NcclConfig LATEST = NcclConfig.of(NcclVersion.LATEST);

  private static CommunicatorTopology channels(SystemDescription node, int nodes, int perNode, String... variables) {
    Map<String, String> set = variables.length == 0 ? Map.of() : Map.of(variables[0], variables[1]);
    return CommunicatorTopology.plan(Placement.even(nodes, perNode), rank -> node,
        NcclConfig.of(NcclVersion.LATEST, set));
  }

  private static int[] ring(CommunicatorTopology channels, int channel) {
    int[] ring = new int[channels.placement().ranks()];
    for (int i = 1; i < ring.length; i++) {
      ring[i] = channels.ringNext(channel, ring[i - 1]);
    }
    return ring;
  }

  @Test
  void shouldUseEachFoundChannelTwiceWhenNothingElseIsSaid() {
    assertThat(channels(Machines.h100(), 1, 8).count()).isEqualTo(24);
    assertThat(channels(Machines.a100(), 1, 8).count()).isEqualTo(24);
    assertThat(channels(Machines.b200(), 1, 8).count()).isEqualTo(32);
    assertThat(channels(Machines.h100(), 2, 8).count()).isEqualTo(16);
    assertThat(channels(Machines.b200(), 2, 8).count()).isEqualTo(16);
    assertThat(channels(Machines.dgx1v(), 1, 8).count()).isEqualTo(12);
  }

  @Test
  void shouldBoundAndRepeatChannelsWhenVariablesSay() {
    assertThat(channels(Machines.h100(), 2, 8, "NCCL_MAX_NCHANNELS", "4").count()).isEqualTo(4);
    assertThat(channels(Machines.h100(), 2, 8, "NCCL_MAX_NRINGS", "4").count()).isEqualTo(4);
    assertThat(channels(Machines.h100(), 2, 8, "NCCL_MAX_CTAS", "3").count()).isEqualTo(3);
    assertThat(channels(Machines.h100(), 2, 8, "NCCL_MIN_NCHANNELS", "20").count()).isEqualTo(20);
    assertThat(channels(Machines.h100(), 2, 8, "NCCL_MIN_NRINGS", "20").count()).isEqualTo(20);
    assertThat(channels(Machines.h100(), 2, 8, "NCCL_MIN_CTAS", "24").count()).isEqualTo(24);
    CommunicatorTopology more = channels(Machines.h100(), 2, 8, "NCCL_MIN_NCHANNELS", "20");
    assertThat(ring(more, 17)).isEqualTo(ring(more, 1));
    assertThat(more.tree(17)).isEqualTo(more.tree(1));
  }

  @Test
  void shouldCloseOneRingThroughAllRanksWhenNodesAreMany() {
    for (int nodes : new int[] {1, 2, 3, 5}) {
      CommunicatorTopology channels = channels(Machines.h100(), nodes, 8);
      for (int channel = 0; channel < channels.count(); channel++) {
        int[] ring = ring(channels, channel);
        assertThat(Arrays.stream(ring).distinct().count()).isEqualTo(ring.length);
        assertThat(channels.ringNext(channel, ring[ring.length - 1])).isEqualTo(ring[0]);
        for (int i = 0; i < ring.length; i++) {
          assertThat(channels.ringPosition(channel, ring[i])).isEqualTo(i);
          assertThat(channels.ringRank(channel, i)).isEqualTo(ring[i]);
          assertThat(channels.ringPrevious(channel, ring[(i + 1) % ring.length])).isEqualTo(ring[i]);
        }
      }
    }
  }

  // Both ends of a connection between nodes use the same port number: the rail.
  @Test
  void shouldStayOnRailWhenOddNodesSwapChannels() {
    CommunicatorTopology channels = channels(Machines.h100(), 4, 8);

    assertThat(channels.node(0).ring().crossNic()).isEqualTo(2);
    for (int channel = 0; channel < channels.count(); channel++) {
      for (int node = 0; node < 4; node++) {
        assertThat(channels.ringEntry(channel, (node + 1) % 4)).isEqualTo(channels.ringExit(channel, node));
      }
    }
  }

  @Test
  void shouldSpanAllRanksWhenChannelHasTree() {
    for (SystemDescription node : new SystemDescription[] {Machines.h100(), Machines.a100()}) {
      for (int nodes = 1; nodes <= 9; nodes++) {
        CommunicatorTopology channels = channels(node, nodes, 8);
        for (int channel = 0; channel < channels.count(); channel++) {
          assertSpans(channels, channel);
        }
      }
    }
  }

  private static void assertSpans(CommunicatorTopology channels, int channel) {
    int ranks = channels.placement().ranks();
    BitSet reached = new BitSet();
    Queue<Integer> queue = new ArrayDeque<>();
    IntStream.range(0, ranks).filter(rank -> channels.treeParent(channel, rank) < 0).forEach(queue::add);
    assertThat(queue).as("roots of channel %d", channel).hasSize(1);
    while (!queue.isEmpty()) {
      int rank = queue.remove();
      assertThat(reached.get(rank)).isFalse();
      reached.set(rank);
      for (int child : channels.treeChildren(channel, rank)) {
        assertThat(channels.treeParent(channel, child)).as("parent of %d", child).isEqualTo(rank);
        queue.add(child);
      }
    }
    assertThat(reached.cardinality()).isEqualTo(ranks);
  }

  // NVIDIA/nccl-tests issue 319, two nodes of 8: "Trees [0] 6/-1/-1->5->4 … [5] 6/13/-1->5->-1 [6] -1/-1/-1->5->4"
  @Test
  void shouldBeTheTreesOfTheLogWhenNodesAreTwoHopper() {
    CommunicatorTopology channels = channels(Machines.h100(), 2, 8);

    assertThat(channels.treeChildren(0, 5)).containsExactly(6);
    assertThat(channels.treeParent(0, 5)).isEqualTo(4);
    assertThat(channels.treeChildren(5, 5)).containsExactly(6, 13);
    assertThat(channels.treeParent(5, 5)).isEqualTo(-1);
    assertThat(channels.treeChildren(6, 5)).isEmpty();
    assertThat(channels.treeParent(6, 5)).isEqualTo(4);
    assertThat(channels.treeParent(13, 5)).isEqualTo(13);
    assertThat(channels.treeParent(0, 8)).isEqualTo(0);
  }

  @Test
  void shouldSpanAllHeadsWhenNvlsHasTree() {
    for (int nodes = 2; nodes <= 9; nodes++) {
      CommunicatorTopology channels = channels(Machines.h100(), nodes, 8);
      assertThat(channels.nvlsHeads()).isEqualTo(8);
      assertThat(channels.nvlsChannels()).isEqualTo(16);
      for (int channel = 0; channel < 2; channel++) {
        for (int rank = 0; rank < 8 * nodes; rank++) {
          int head = channels.nvlsHeadOf(rank);
          assertThat(channels.nvlsHead(rank / 8, head)).isEqualTo(rank);
          for (int child : channels.nvlsTreeChildren(channel, rank)) {
            assertThat(channels.nvlsTreeParent(channel, child)).isEqualTo(rank);
            assertThat(channels.nvlsHeadOf(child)).isEqualTo(head);
          }
        }
      }
    }
    assertThat(channels(Machines.b200(), 1, 8).nvlsChannels()).isEqualTo(24);
    assertThat(channels(Machines.b200(), 2, 8).nvlsChannels()).isEqualTo(32);
    assertThat(channels(Machines.a100(), 1, 8).nvlsChannels()).isZero();
    assertThat(channels(Machines.h100(), 1, 8, "NCCL_NVLS_NCHANNELS", "8").nvlsChannels()).isEqualTo(8);
    assertThat(channels(Machines.h100(), 1, 8, "NCCL_NVLS_ENABLE", "0").nvls()).isFalse();
  }

  @Test
  void shouldSearchOnceWhenNodesAreAlike() {
    CommunicatorTopology channels = channels(Machines.h100(), 2048, 8);

    assertThat(channels.plans()).hasSize(1);
    assertThat(channels.ringNext(0, channels.ringPrevious(0, 9999))).isEqualTo(9999);
    int steps = 0;
    for (int rank = 12_345; rank >= 0; rank = channels.treeParent(3, rank)) {
      steps++;
    }
    assertThat(steps).isLessThanOrEqualTo(8 * 12);
  }

  @Test
  void shouldTakeTheLeastWhenNodesDiffer() {
    int[] node = IntStream.range(0, 12).map(rank -> rank < 8 ? 0 : 1).toArray();
    int[] gpu = IntStream.range(0, 12).map(rank -> rank < 8 ? rank : rank - 8).toArray();
    CommunicatorTopology channels = CommunicatorTopology.plan(Placement.of(node, gpu), rank -> Machines.h100(), LATEST);

    assertThat(channels.plans()).hasSize(2);
    for (int channel = 0; channel < channels.count(); channel++) {
      assertThat(Arrays.stream(ring(channels, channel)).distinct().count()).isEqualTo(12);
      assertSpans(channels, channel);
    }
  }

  @Test
  void shouldOrderByGpuWhenRanksAreNot() {
    Placement placement = Placement.of(new int[] {7, 7, 3, 3}, new int[] {5, 2, 1, 0});

    assertThat(placement.nodes()).isEqualTo(2);
    assertThat(placement.node(0)).isZero();
    assertThat(placement.rank(0, 0)).isEqualTo(1);
    assertThat(placement.gpus(0)).containsExactly(2, 5);
    assertThat(placement.place(3)).isZero();
    assertThatThrownBy(() -> Placement.of(new int[] {1, 1}, new int[] {4, 4}))
        .hasMessage("ranks 0 and 1 are both on GPU 4 of one node");
  }
}
