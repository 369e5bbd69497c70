package dev.heddle.collectives.nccl.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collectives.nccl.Machines;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.search.ChannelSearch.Orders;
import dev.heddle.collectives.nccl.system.CpuModel;
import dev.heddle.collectives.nccl.system.SystemDescription;
import dev.heddle.collectives.nccl.system.SystemGraph;
import dev.heddle.collectives.nccl.system.SystemPaths;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.RandomStream;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the signatures by which searches are shared. */
class SearchSignatureTest {
  private static final NcclConfig CONFIG = NcclConfig.of(new NcclVersion(27, 0));
  private static final List<SystemDescription> NODES = List.of(
      Machines.h100(), Machines.a100(), Machines.b200(), Machines.dgx1v(), Machines.pcieOnly(8, CpuModel.amd()),
      Machines.pcieOnly(8, CpuModel.sapphireRapids()));

  static LongStream seeds() {
    return Seeds.several(12);
  }

  private static SystemPaths paths(SystemDescription node, NcclConfig config, boolean networks, int... gpus) {
    return SystemPaths.of(SystemGraph.of(node, config, gpus, networks), config);
  }

  private static SearchSignature signature(SystemDescription node, int... gpus) {
    SystemPaths paths = paths(node, CONFIG, true, gpus);
    return new SearchSignature(paths, new PreferredNets(paths, CONFIG));
  }

  private static List<String> texts(SearchedGraphs graphs) {
    return Stream.of(graphs.ring(), graphs.tree(), graphs.nvls(), graphs.chain(), graphs.direct())
        .map(ChannelGraph::toString).toList();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void shouldGiveWhatASearchOfEachNodeGivesWhateverWasSearchedBefore(long seed) {
    RandomStream random = RandomStream.of(seed, "signature", "gpus");
    SystemDescription node = NODES.get(random.nextInt(NODES.size()));
    NcclConfig config = NcclConfig.of(new NcclVersion(8 + random.nextInt(23), 0));
    boolean networks = random.nextInt(4) > 0;
    for (int i = 0; i < 8; i++) {
      int chosen = 1 + random.nextInt(255);
      int[] gpus = IntStream.range(0, 8).filter(gpu -> (chosen >> gpu & 1) == 1).toArray();
      SystemPaths paths = paths(node, config, networks, gpus);
      Orders orders = new Orders(new PreferredNets(paths, config), new NextGpus(paths));
      assertThat(texts(SearchedGraphs.of(paths, config, networks))).as("GPUs %s", (Object) gpus)
          .isEqualTo(texts(SearchedGraphs.searched(paths, orders, config, networks)));
    }
  }

  @Test
  void shouldBeEqualWherePairsOfGpusDifferInTheNumbersOfTheirPorts() {
    assertThat(signature(Machines.h100(), 2, 3).hash()).isEqualTo(signature(Machines.h100(), 0, 1).hash());
    assertThat(signature(Machines.h100(), 6, 7).hash()).isEqualTo(signature(Machines.h100(), 0, 1).hash());
  }

  @Test
  void shouldDifferWhereGpusDifferInTheirPaths() {
    assertThat(signature(Machines.dgx1v(), 0, 5).hash()).isNotEqualTo(signature(Machines.dgx1v(), 0, 1).hash());
    assertThat(signature(Machines.h100(), 0).hash()).isNotEqualTo(signature(Machines.h100(), 0, 1).hash());
    assertThat(signature(Machines.b200(), 0, 1).hash()).isNotEqualTo(signature(Machines.h100(), 0, 1).hash());
  }
}
