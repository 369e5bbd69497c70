package dev.heddle.collectives.nccl.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Machines;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.p2p.Message;
import dev.heddle.collectives.nccl.p2p.PointToPoint;
import dev.heddle.collectives.nccl.system.CpuModel;
import dev.heddle.collectives.nccl.system.Path;
import dev.heddle.collectives.nccl.system.SystemDescription;
import dev.heddle.collectives.nccl.system.SystemGraph;
import dev.heddle.collectives.nccl.system.SystemPaths;
import dev.heddle.collectives.nccl.tuner.Call;
import dev.heddle.collectives.nccl.tuner.Candidate;
import dev.heddle.collectives.nccl.tuner.Tuner;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.RandomStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Communicators with random GPUs of random nodes, under random versions. */
class RandomCommunicatorsTest {
  private static final List<SystemDescription> NODES = List.of(
      Machines.h100(), Machines.a100(), Machines.b200(), Machines.dgx1v(), Machines.pcieOnly(8, CpuModel.amd()),
      Machines.pcieOnly(8, CpuModel.sapphireRapids()));

  static LongStream seeds() {
    return Seeds.several(12);
  }

  private static CommunicatorTopology channels(RandomStream random) {
    int nodes = 1 + random.nextInt(4);
    List<int[]> ranks = new ArrayList<>();
    SystemDescription[] machine = new SystemDescription[nodes];
    SystemDescription first = NODES.get(random.nextInt(NODES.size()));
    for (int node = 0; node < nodes; node++) {
      machine[node] = random.nextInt(4) == 0 ? NODES.get(random.nextInt(NODES.size())) : first;
      int chosen = 1 + random.nextInt(255);
      for (int gpu = 0; gpu < 8; gpu++) {
        if ((chosen >> gpu & 1) == 1) {
          ranks.add(random.nextInt(ranks.size() + 1), new int[] {node, gpu});
        }
      }
    }
    NcclVersion version = new NcclVersion(8 + random.nextInt(23), 0);
    return CommunicatorTopology.plan(
        Placement.of(
            ranks.stream().mapToInt(rank -> rank[0]).toArray(), ranks.stream().mapToInt(rank -> rank[1]).toArray()),
        rank -> machine[ranks.get(rank)[0]], NcclConfig.of(version));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void shouldJoinAllRanksWithinCapacityWhenCommunicatorIsAny(long seed) {
    RandomStream random = RandomStream.of(seed, "communicator", "ranks");
    CommunicatorTopology channels = channels(random);
    assertJoined(channels);
    assertWithinCapacity(channels);
    assertChooses(channels);
    assertSends(channels, random);
  }

  private static void assertJoined(CommunicatorTopology channels) {
    int ranks = channels.placement().ranks();

    assertThat(channels.count()).isBetween(1, 64);
    for (int channel = 0; channel < channels.count(); channel++) {
      int rank = 0;
      for (int i = 0; i < ranks; i++) {
        assertThat(channels.ringPosition(channel, rank)).isEqualTo(i);
        rank = channels.ringNext(channel, rank);
      }
      assertThat(rank).as("end of ring %d", channel).isZero();
      int roots = 0;
      for (int each = 0; each < ranks; each++) {
        int parent = channels.treeParent(channel, each);
        roots += parent < 0 ? 1 : 0;
        for (int child : channels.treeChildren(channel, each)) {
          assertThat(channels.treeParent(channel, child)).isEqualTo(each);
        }
      }
      assertThat(roots).as("roots of tree %d", channel).isEqualTo(1);
    }
  }

  // An independent sum of the bandwidth that the channels of a graph reserve on each link.
  private static void assertWithinCapacity(CommunicatorTopology channels) {
    for (NodePlan plan : channels.plans()) {
      SystemPaths paths = plan.paths();
      SystemGraph graph = paths.graph();
      ChannelGraph ring = plan.ring();
      double[] used = new double[graph.links()];
      for (int channel = 0; channel < ring.channels(); channel++) {
        int gpus = ring.gpus(channel);
        for (int place = 0; place < gpus - 1; place++) {
          add(used, paths.gpuToGpu(ring.gpu(channel, place), ring.gpu(channel, place + 1)), ring.intraSpeed());
        }
        if (ring.entry(channel) >= 0) {
          add(used, paths.netToGpu(ring.entry(channel), ring.gpu(channel, 0)), ring.interSpeed());
          add(used, paths.gpuToNet(ring.gpu(channel, gpus - 1), ring.exit(channel)), ring.interSpeed());
        } else if (gpus > 1) {
          add(used, paths.gpuToGpu(ring.gpu(channel, gpus - 1), ring.gpu(channel, 0)), ring.intraSpeed());
        }
      }
      for (int link = 0; link < used.length; link++) {
        assertThat(used[link]).as("of link %d in %s", link, ring)
            .isLessThanOrEqualTo(graph.megabytes(link) / 1e3 + 1e-6);
      }
    }
  }

  private static void add(double[] used, Path path, double speed) {
    path.links().forEach(link -> used[link] += speed);
  }

  private static void assertChooses(CommunicatorTopology channels) {
    int ranks = channels.placement().ranks();
    Tuner tuner = Tuner.of(channels);
    for (CollectiveOp op : List.of(CollectiveOp.ALL_REDUCE, CollectiveOp.ALL_GATHER, CollectiveOp.BROADCAST)) {
      double last = 0;
      for (int power = 3; power < 34; power++) {
        Candidate best = tuner.choose(Call.of(op, 1L << power)).best();
        assertThat(best.excluded()).isEmpty();
        assertThat(best.shape().channels()).isBetween(1, 64);
        assertThat(best.timeUs()).isFinite().isNotNegative();
        last = best.timeUs();
      }
      assertThat(last).as("8 GiB").isGreaterThanOrEqualTo(ranks > 1 ? 1000 : 0);
    }
  }

  private static void assertSends(CommunicatorTopology channels, RandomStream random) {
    int ranks = channels.placement().ranks();
    PointToPoint points = PointToPoint.of(channels);
    for (int round = 1; round < ranks; round++) {
      int peer = points.order().sendsTo(0, round);
      Message message = points.message(0, peer, 1 + random.nextInt(1 << 30));
      assertThat(message.channels()).isBetween(1, points.channels());
      if (points.remote(0, peer)) {
        assertThat(points.sendingNet(0, peer, 0)).isNotNegative();
        assertThat(channels.placement().node(points.relay(0, peer, 0))).isEqualTo(channels.placement().node(0));
      }
    }
  }
}
