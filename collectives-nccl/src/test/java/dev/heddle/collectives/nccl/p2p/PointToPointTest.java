package dev.heddle.collectives.nccl.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collectives.nccl.Machines;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.collectives.nccl.system.CpuModel;
import dev.heddle.collectives.nccl.system.SystemDescription;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PointToPointTest {
  private static final long MEBI = 1 << 20;

  private static PointToPoint plan(SystemDescription node, int nodes, int perNode, String version,
      String... variables) {
    Map<String, String> set = variables.length == 0 ? Map.of() : Map.of(variables[0], variables[1]);
    return PointToPoint.of(CommunicatorTopology.plan(
        Placement.even(nodes, perNode), rank -> node, NcclConfig.of(NcclVersion.parse(version), set)));
  }

  private static PointToPoint h100(int nodes, int perNode, String... variables) {
    return plan(Machines.h100(), nodes, perNode, "2.29.2", variables);
  }

  // NCCL 2.29.2's log: "24 coll channels, …, 32 p2p channels, 32 p2p channels per peer", chunk 524288.
  @Test
  void shouldEqualNcclsLogWhenOneNode() {
    PointToPoint plan = h100(1, 4);

    assertThat(plan.channels()).isEqualTo(32);
    assertThat(plan.channelsPerPeer()).isEqualTo(32);
    assertThat(plan.chunkBytes()).isEqualTo(524_288);
  }

  // Measured on B200 and H100, sendrecv on one node: bandwidth doubles from 128 MiB on, 4 to 32 channels of 20 GB/s
  // each.
  @ParameterizedTest
  @CsvSource({"8, 4", "64, 4", "128, 8", "256, 16", "512, 32", "8192, 32"})
  void shouldDoubleChannelsWhenMessagesAreLargeWithinNode(long mebibytes, int channels) {
    assertThat(h100(1, 8).message(0, 1, mebibytes * MEBI).channels()).isEqualTo(channels);
    assertThat(plan(Machines.b200(), 1, 8, "2.29.2").message(0, 1, mebibytes * MEBI).channels()).isEqualTo(channels);
  }

  // Measured on B200, sendrecv on one node: 35 us for 512 KiB, 28 for 1 MiB; before NCCL 2.22 the part of a channel
  // decides.
  @ParameterizedTest
  @CsvSource({"8, 1, LL", "16, 2, LL", "64, 4, LL", "512, 4, LL", "513, 4, SIMPLE", "1024, 4, SIMPLE"})
  void shouldSendLinesOnMoreChannelsWhenMessagesAreSmallWithinNode(long kibi, int channels, Protocol protocol) {
    Message message = plan(Machines.b200(), 1, 8, "2.29.2").message(0, 1, kibi * 1024);
    assertThat(message.channels()).isEqualTo(channels);
    assertThat(message.protocol()).isEqualTo(protocol);
    assertThat(message.chunkBytes()).isEqualTo(protocol == Protocol.LL ? 32_768 : 524_288);
    assertThat(plan(Machines.h100(), 1, 8, "2.21").message(0, 1, 65_536).protocol()).isEqualTo(Protocol.SIMPLE);
  }

  // Measured on H100 with 400 Gb/s: sendrecv of 2 nodes, and of 10 nodes with 1, 2, 4, 8 GPUs each.
  @ParameterizedTest
  @CsvSource({"2, 8, 4", "10, 1, 2", "10, 2, 2", "10, 4, 2", "10, 8, 1"})
  void shouldHaveFewerChannelsPerPeerWhenRanksAreMany(int nodes, int perNode, int channels) {
    assertThat(h100(nodes, perNode).channelsPerPeer()).isEqualTo(channels);
  }

  @Test
  void shouldFollowTheVersionsRuleWhenPeerIsRemote() {
    assertThat(plan(Machines.h100(), 2, 8, "2.19").channelsPerPeer()).isEqualTo(2);
    assertThat(plan(Machines.h100(), 2, 8, "2.21").channelsPerPeer()).isEqualTo(2);
    assertThat(plan(Machines.h100(), 8, 8, "2.21").channelsPerPeer()).isEqualTo(1);
    assertThat(h100(2, 8, "NCCL_NCHANNELS_PER_NET_PEER", "1").channelsPerPeer()).isEqualTo(1);
    assertThat(h100(2, 8, "NCCL_P2P_PER_CHANNEL_NET_BW", "25").channelsPerPeer()).isEqualTo(2);
    assertThat(h100(1, 8, "NCCL_MAX_P2P_NCHANNELS", "8").channels()).isEqualTo(8);
    assertThat(h100(1, 8, "NCCL_MIN_P2P_NCHANNELS", "64").channels()).isEqualTo(64);
  }

  @Test
  void shouldPairAllRanksOncePerRoundWhenNodesAreMany() {
    for (int[] shape : new int[][] {{1, 8}, {2, 8}, {3, 4}, {5, 6}, {1, 1}, {7, 1}, {4, 16}}) {
      Placement placement = Placement.even(shape[0], shape[1]);
      PeerOrder order = new PeerOrder(placement, 8);
      int ranks = placement.ranks();
      boolean[][] met = new boolean[ranks][ranks];
      for (int round = 0; round < order.rounds(); round++) {
        for (int rank = 0; rank < ranks; rank++) {
          int peer = order.sendsTo(rank, round);
          assertThat(order.receivesFrom(peer, round)).isEqualTo(rank);
          assertThat(met[rank][peer]).isFalse();
          met[rank][peer] = true;
        }
      }
      assertThat(order.sendsTo(ranks - 1, 0)).isEqualTo(ranks - 1);
    }
  }

  @Test
  void shouldFollowTriangularNumbersWhenNodesAreEight() {
    PeerOrder order = new PeerOrder(Placement.even(8, 8), 8);

    assertThat(IntStream.range(0, 8).map(group -> order.sendsTo(0, 8 * group) / 8))
        .containsExactly(0, 1, 3, 6, 2, 7, 5, 4);
  }

  @Test
  void shouldTakeNodesOfDifferentSizesWhenGroupsDivideBoth() {
    int[] node = IntStream.range(0, 12).map(rank -> rank < 8 ? 0 : 1).toArray();
    int[] gpu = IntStream.range(0, 12).map(rank -> rank < 8 ? rank : rank - 8).toArray();
    PeerOrder order = new PeerOrder(Placement.of(node, gpu), 8);

    assertThat(order.groupSize()).isEqualTo(4);
    for (int rank = 0; rank < 12; rank++) {
      int each = rank;
      assertThat(IntStream.range(0, 12).map(round -> order.sendsTo(each, round)).distinct().count()).isEqualTo(12);
    }
  }

  @Test
  void shouldSendOnThePeersRailWhenPxnRelays() {
    PointToPoint plan = h100(2, 8);

    assertThat(plan.sendingNet(0, 8 + 5, 0)).isEqualTo(5);
    assertThat(plan.relay(0, 8 + 5, 0)).isEqualTo(5);
    assertThat(plan.receivingNet(8 + 5, 0)).isEqualTo(5);
    assertThat(h100(2, 8, "NCCL_P2P_PXN_LEVEL", "0").sendingNet(0, 13, 0)).isZero();
    assertThat(h100(2, 8, "NCCL_P2P_PXN_LEVEL", "0").relay(0, 13, 0)).isZero();
    assertThat(h100(2, 8, "NCCL_PXN_DISABLE", "1").relay(0, 13, 0)).isZero();
    assertThat(h100(2, 8, "NCCL_PXN_DISABLE", "1").sendingNet(0, 13, 0)).isZero();
  }

  @Test
  void shouldCutFinerWhenMessagesOfTheNetworkAreSmall() {
    PointToPoint plan = h100(2, 8);

    assertThat(plan.chunkBytes()).isEqualTo(131_072);
    assertThat(plan.message(0, 8, 65_536)).isEqualTo(new Message(1, 65_536, 32_768, Protocol.SIMPLE));
    assertThat(plan.message(0, 8, 64 * MEBI).chunkBytes()).isEqualTo(131_072);
    assertThat(plan.message(0, 8, 512 * 1024).chunkBytes()).isEqualTo(65_536);
    assertThat(plan.message(0, 1, 4096).protocol()).isEqualTo(Protocol.LL);
    assertThat(h100(2, 8, "NCCL_P2P_LL_THRESHOLD", "0").message(0, 1, 4096).protocol()).isEqualTo(Protocol.SIMPLE);
    assertThat(h100(2, 8, "NCCL_P2P_NET_CHUNKSIZE", "262144").chunkBytes()).isEqualTo(262_144);
    assertThat(h100(1, 8, "NCCL_P2P_NVL_CHUNKSIZE", "262144").chunkBytes()).isEqualTo(262_144);
    assertThat(plan(Machines.pcieOnly(4, CpuModel.amd()), 1, 4, "2.29.2",
        "NCCL_P2P_PCI_CHUNKSIZE", "65536").chunkBytes()).isEqualTo(65_536);
  }

  @Test
  void shouldCoverTheMessageWhenPartsAreAligned() {
    PointToPoint plan = h100(2, 8);
    for (long bytes = 1; bytes < 1 << 26; bytes = bytes * 3 + 7) {
      Message message = plan.message(0, 8, bytes);
      assertThat(message.partBytes() * message.channels()).isGreaterThanOrEqualTo(bytes);
      assertThat(message.partBytes() % 4096).isZero();
      assertThat(message.channels()).isLessThanOrEqualTo(plan.channelsPerPeer());
    }
  }

  @Test
  void shouldSpreadRoundsOverChannelsWhenMessagesHaveOnePart() {
    PointToPoint plan = h100(1, 8);

    assertThat(IntStream.range(0, 32).map(part -> plan.channel(3, part)).distinct().count()).isEqualTo(32);
    assertThat(IntStream.range(0, 8).map(round -> plan.channel(round, 0)).distinct().count()).isEqualTo(8);
    // An all_to_all of 2 MiB blocks: 8 rounds of 4 parts fill the 32 channels.
    assertThat(IntStream.range(0, 32).map(i -> plan.channel(i / 4, i % 4)).distinct().count()).isEqualTo(32);
  }

  @Test
  void shouldShareBuffersWhenPeersAreSeveral() {
    assertThat(h100(2, 8).steps(1)).isEqualTo(8);
    assertThat(h100(2, 8).steps(4)).isEqualTo(4);
    assertThat(h100(2, 8, "NCCL_NET_SHARED_BUFFERS", "0").steps(4)).isEqualTo(8);
    assertThat(h100(2, 8, "NCCL_P2P_SCHEDULE_GROUP_SIZE", "4").order().groupSize()).isEqualTo(4);
  }
}
