package dev.heddle.collectives.nccl.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collectives.nccl.Machines;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.system.CpuModel;
import dev.heddle.collectives.nccl.system.SystemDescription;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GraphSearchTest {
  private static final NcclConfig LATEST = NcclConfig.of(NcclVersion.LATEST);

  private static NodePlan plan(SystemDescription node, int gpus, boolean networks) {
    return NodePlan.of(node, LATEST, IntStream.range(0, gpus).toArray(), networks);
  }

  private static String sizes(ChannelGraph graph) {
    return graph.channels() + "x" + graph.intraSpeed() + "/" + graph.interSpeed();
  }

  // NCCL 2.29.2's log of 2, 4 and 6 H100 (nccl-collectives-bench, scaling_attributed), issue 1197 for 8.
  @ParameterizedTest
  @CsvSource({
      "2, 12x30.0/30.0, 12x60.0/60.0, 2x60.0/60.0", "4, 12x30.0/30.0, 12x30.0/30.0, 4x60.0/60.0",
      "6, 12x30.0/30.0, 12x30.0/30.0, 6x50.0/60.0", "8, 12x30.0/30.0, 12x30.0/30.0, 8x40.0/60.0"})
  void shouldFindWhatNcclLogsWhenNodeIsH100(int gpus, String ring, String tree, String nvls) {
    NodePlan plan = plan(Machines.h100(), gpus, false);

    assertThat(sizes(plan.ring())).isEqualTo(ring);
    assertThat(sizes(plan.tree())).isEqualTo(tree);
    assertThat(sizes(plan.nvls())).isEqualTo(nvls);
  }

  @Test
  void shouldTurnHalfOfTheChainsWhenTwoGpusHaveCapacityBothWays() {
    ChannelGraph tree = plan(Machines.h100(), 2, false).tree();

    assertThat(IntStream.range(0, 12).map(channel -> tree.gpu(channel, 0)))
        .containsExactly(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1);
  }

  @Test
  void shouldFindDocumentedChannelsWhenNodeIsA100OrB200() {
    NodePlan a100 = plan(Machines.a100(), 8, false);
    NodePlan b200 = plan(Machines.b200(), 8, false);

    assertThat(sizes(a100.ring())).isEqualTo("12x20.0/20.0");
    assertThat(sizes(a100.tree())).isEqualTo("12x20.0/20.0");
    assertThat(a100.nvls().channels()).isZero();
    assertThat(sizes(b200.ring())).isEqualTo("16x45.0/45.0");
    assertThat(sizes(b200.nvls())).isEqualTo("8x80.0/90.0");
  }

  // From a log of two nodes of 8 Hopper with 400 Gb/s: "Pattern 4, crossNic 2, nChannels 8, bw 48/48, type NVL/PIX".
  @Test
  void shouldLetPairsOfChannelsCrossWhenNodesAreH100() {
    ChannelGraph ring = plan(Machines.h100(), 8, true).ring();

    assertThat(sizes(ring)).isEqualTo("8x48.0/48.0");
    assertThat(ring.crossNic()).isEqualTo(2);
    assertThat(ring.intraType()).isEqualTo(PathType.NVL);
    assertThat(ring.interType()).isEqualTo(PathType.PIX);
    for (int channel = 0; channel < 8; channel++) {
      assertThat(ring.entry(channel)).isEqualTo(channel);
      assertThat(ring.exit(channel)).isEqualTo(channel ^ 1);
    }
  }

  @Test
  void shouldStayOnRailWhenCrossingIsForbidden() {
    NcclConfig config = NcclConfig.of(NcclVersion.LATEST, Map.of("NCCL_CROSS_NIC", "0"));
    ChannelGraph ring = NodePlan.of(Machines.h100(), config, IntStream.range(0, 8).toArray(), true).ring();

    assertThat(sizes(ring)).isEqualTo("8x45.0/45.0");
    assertThat(ring.interType()).isEqualTo(PathType.PXN);
    assertThat(IntStream.range(0, 8).map(ring::exit)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
  }

  @Test
  void shouldFindOneChannelPerNicWhenSeveralNodes() {
    assertThat(sizes(plan(Machines.b200(), 8, true).ring())).isEqualTo("8x48.0/48.0");
    assertThat(sizes(plan(Machines.a100(), 8, true).ring())).isEqualTo("8x24.0/24.0");
    assertThat(sizes(plan(Machines.h100(), 8, true).nvls())).isEqualTo("8x40.0/48.0");
  }

  // The six rings over the hybrid cube mesh use all of its NVLinks in both directions.
  @Test
  void shouldUseAllLinksWhenNodeIsHybridCubeMesh() {
    NodePlan plan = plan(Machines.dgx1v(), 8, false);
    ChannelGraph ring = plan.ring();
    int[][] uses = new int[8][8];
    for (int channel = 0; channel < ring.channels(); channel++) {
      for (int place = 0; place < 8; place++) {
        uses[ring.gpu(channel, place)][ring.gpu(channel, (place + 1) % 8)]++;
      }
    }

    assertThat(sizes(ring)).isEqualTo("6x20.0/20.0");
    for (int from = 0; from < 8; from++) {
      for (int to = 0; to < 8; to++) {
        int links = plan.paths().gpuToGpu(from, to).type() == PathType.NVL && from != to
            ? plan.paths().gpuToGpu(from, to).megabytes() / 20_000 : 0;
        assertThat(uses[from][to]).as("rings from %d to %d", from, to).isEqualTo(links);
      }
    }
  }

  @Test
  void shouldPassEveryGpuOnceWhenChannelIsRingOrTree() {
    for (SystemDescription node : new SystemDescription[] {
        Machines.h100(), Machines.a100(), Machines.dgx1v(), Machines.pcieOnly(8, CpuModel.amd())}) {
      for (boolean networks : new boolean[] {false, true}) {
        NodePlan plan = plan(node, 8, networks);
        for (ChannelGraph graph : new ChannelGraph[] {plan.ring(), plan.tree()}) {
          assertThat(graph.channels()).isPositive();
          for (int channel = 0; channel < graph.channels(); channel++) {
            int each = channel;
            assertThat(IntStream.range(0, 8).map(place -> graph.gpu(each, place)))
                .containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
          }
        }
      }
    }
  }

  @Test
  void shouldFallBackToHostMemoryWhenGpusHaveOnlyPcie() {
    ChannelGraph ring = plan(Machines.pcieOnly(8, CpuModel.amd()), 8, false).ring();

    // The model assumes 16 GB/s between AMD's sockets; the next lower bandwidth is 15
    assertThat(sizes(ring)).isEqualTo("1x15.0/15.0");
    assertThat(ring.intraType()).isEqualTo(PathType.SYS);
  }

  @Test
  void shouldTakeSimpleOrderWhenGpusHaveNoWayToEachOther() {
    SystemDescription joined = Machines.withoutNvlink();
    SystemDescription apart = new SystemDescription(joined.cpus().stream().map(cpu -> new SystemDescription.Cpu(
        "0x" + cpu.numa(), cpu.numa(), "", cpu.model(), cpu.devices(), cpu.nets())).toList());
    NodePlan plan = NodePlan.of(apart, LATEST, new int[] {0, 1}, false);

    assertThat(sizes(plan.ring())).isEqualTo("1x0.1/0.0");
    assertThat(plan.ring().intraType()).isEqualTo(PathType.SYS);
    assertThat(plan.ring().gpu(0, 1)).isEqualTo(1);
  }

  @Test
  void shouldTakeOneGpuWhenRankIsAlone() {
    NodePlan plan = plan(Machines.h100(), 1, true);

    assertThat(plan.ring().channels()).isPositive();
    assertThat(plan.tree().channels()).isEqualTo(plan.ring().channels());
  }
}
