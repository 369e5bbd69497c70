package dev.heddle.workload.trace.aicb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.fabric.Fabric;
import dev.heddle.results.Results;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Workload;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.testkit.contract.WorkloadContract;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.units.DataSize;
import dev.heddle.workload.trace.aicb.AicbWorkloadProvider.Backward;
import dev.heddle.workload.trace.aicb.AicbWorkloadProvider.DataParallel;
import dev.heddle.workload.trace.aicb.AicbWorkloadProvider.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AicbWorkloadTest extends WorkloadContract<Settings> {
  private static final Path MICRO = Path.of("src/test/resources/aicb/microAllReduce.txt");
  private static final Path GPT = Path.of("src/test/resources/aicb/gpt13b_w128_tp8_ga1.txt");
  private static final String HEADER =
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 all_gpus: 4 checkpoints: 0\n";

  @TempDir
  private Path folder;

  @Override
  protected Provider<Settings, Workload> provider() {
    return new AicbWorkloadProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(Settings.of(MICRO), Settings.of(GPT).ranks(16), Settings.of(GPT).ranks(16).backward(Backward.ONCE));
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(Settings.of(MICRO).ranks(12), Settings.of(MICRO).ranks(0), Settings.of(folder.resolve("none")));
  }

  @Override
  protected Cluster cluster(Settings settings) {
    return Fabrics.oneNode(16);
  }

  private static Results run(Settings settings, int ranks) {
    Fabric fabric = Fabrics.oneNode(ranks);
    return new Simulation(
        "aicb", fabric, new AicbWorkloadProvider().create(settings), SimulationOptions.defaults(), 1)
        .with(RingAlgorithmProvider.single())
        .at(Fidelity.FLOW).run();
  }

  private static long time(Settings settings, int ranks) {
    return run(settings, ranks).run().simulatedPs();
  }

  private static long collective(CollectiveOp op, long bytes, int ranks) {
    Workload workload = new CollectiveWorkloadProvider().create(
        CollectiveWorkloadProvider.Settings.of(op, DataSize.ofBytes(bytes)).ranks(ranks));
    return new Simulation("own", Fabrics.oneNode(ranks), workload, SimulationOptions.defaults(), 1)
        .with(RingAlgorithmProvider.single())
        .at(Fidelity.FLOW).run().run().simulatedPs();
  }

  private Path written(String text) {
    try {
      return Files.writeString(folder.resolve("w.txt"), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldAddUpComputationsCollectivesAndDelaysWhenLayersBlock() {
    long expected = 1000L * (2 * 556_000 + 2 * 2 + 2) + collective(CollectiveOp.ALL_REDUCE, 16 << 20, 8)
        + collective(CollectiveOp.ALL_REDUCE, 64 << 20, 8);
    assertThat(time(Settings.of(MICRO), 8)).isEqualTo(expected);
  }

  @Test
  void shouldHideCollectiveOfWeightsWhenMoreIsComputed() {
    String layers = "a -1 1000 NONE 0 1000 NONE 0 1000 NONE 0 0\nb -1 500 NONE 0 700 NONE 0 900 ALLREDUCE 1048576 0\n";
    long overlapped = collective(CollectiveOp.ALL_REDUCE, 1 << 20, 2);
    assertThat(time(Settings.of(written(HEADER + "2\n" + layers)), 4))
        .as("b's gradients first, then a's beside the collective")
        .isEqualTo(1000 * (1000 + 500 + 700 + 900) + Math.max(overlapped, 2_000_000));
  }

  @Test
  void shouldDoCollectivesOfOneGroupInTurnWhenNoneWaitsForThem() {
    String layers = "a -1 0 NONE 0 0 NONE 0 0 REDUCESCATTER 1048576 7\nb -1 0 NONE 0 0 NONE 0 0 ALLGATHER 1048576 5\n";
    assertThat(time(Settings.of(written(HEADER + "2\n" + layers)), 4)).isEqualTo(
        collective(CollectiveOp.ALL_GATHER, 1 << 20, 2) + collective(CollectiveOp.REDUCE_SCATTER, 1 << 20, 2) + 12_000);
  }

  @ParameterizedTest
  @CsvSource({"BOTH,1000,1000,3000", "ONCE,1000,1000,2000", "ONCE,1000,400,2400"})
  void shouldCountBackwardPassAsAskedWhenItStandsTwice(Backward backward, int input, int weights, int ns) {
    Path file = written(HEADER + "1\na -1 1000 NONE 0 " + input + " NONE 0 " + weights + " NONE 0 9\n");
    assertThat(time(Settings.of(file).backward(backward), 4)).isEqualTo(ns * 1000L);
  }

  @Test
  void shouldMoveNothingWhenCollectiveHasNoBytes() {
    Path file = written(HEADER + "1\na -1 1000 ALLREDUCE 0 0 REDUCESCATTER_EP 0 0 ALLGATHER_DP_EP 0 9\n");
    assertThat(time(Settings.of(file), 4)).isEqualTo(1_000_000);
  }

  // As AICB writes its micro tests: collectives of all ranks, in the weights' columns.
  @Test
  void shouldRunCollectivesOfAllRanksInTurnWhenPolicyIsMicro() {
    Path file = written("""
        MICRO
        2
        micro_test	-1	1	NONE	0	1	NONE	0	1	ALLREDUCE	1048576	1
        micro_test	-1	1	NONE	0	1	NONE	0	1	ALLGATHER	4194304	1
        """);

    assertThat(time(Settings.of(file).ranks(8), 8)).isEqualTo(
        collective(CollectiveOp.ALL_REDUCE, 1 << 20, 8) + collective(CollectiveOp.ALL_GATHER, 4 << 20, 8));
  }

  @ParameterizedTest
  @CsvSource({"16,2,2,8", "32,4,4,8", "16,16,1,1", "8,1,8,8", "24,2,3,6"})
  void shouldBeInOneGroupOfEachKindWhenRanksAreLaidOut(int ranks, int tensor, int expert, int data) {
    GroupKind.Grid grid = new GroupKind.Grid(ranks, tensor, expert, data);
    for (GroupKind kind : GroupKind.values()) {
      Group[] groups = grid.all(kind);
      int[] members = Arrays.stream(groups).flatMapToInt(group -> Arrays.stream(group.members())).sorted().toArray();
      assertThat(members).as("%s of %s", kind, grid).hasSize(ranks).doesNotHaveDuplicates();
      assertThat(groups).allMatch(group -> group.size() == grid.size(kind));
    }
    for (int rank = 0; rank < ranks; rank++) {
      Set<Integer> met = new LinkedHashSet<>();
      for (int expertRank : members(grid, GroupKind.EXPERT, rank)) {
        for (int dataRank : members(grid, GroupKind.EXPERT_DATA, expertRank)) {
          met.add(dataRank);
        }
      }
      assertThat(met).as("experts times their replicas are the data-parallel group of rank %s in %s", rank, grid)
          .containsExactlyInAnyOrder(
              Arrays.stream(members(grid, GroupKind.DATA, rank)).boxed().toArray(Integer[]::new));
    }
  }

  private static int[] members(GroupKind.Grid grid, GroupKind kind, int rank) {
    return grid.all(kind)[grid.group(kind, rank)].members();
  }

  @Test
  void shouldLieBesideEachOtherWhenGroupIsTensorParallel() {
    GroupKind.Grid grid = new GroupKind.Grid(32, 4, 2, 4);
    assertThat(members(grid, GroupKind.TENSOR, 5)).containsExactly(4, 5, 6, 7);
    assertThat(members(grid, GroupKind.DATA, 5)).as("of the first of two stages").containsExactly(1, 5, 9, 13);
    assertThat(members(grid, GroupKind.EXPERT, 5)).containsExactly(1, 5);
    assertThat(members(grid, GroupKind.EXPERT_DATA, 5)).containsExactly(5, 13);
  }

  @Test
  void shouldSpendOnComputationWhatFileSaysWhenModelIsGpt() {
    Results results = run(Settings.of(GPT).ranks(16), 16);
    long ns = 0;
    List<String> lines;
    try {
      lines = Files.readAllLines(GPT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (String line : lines.subList(2, lines.size())) {
      String[] columns = line.strip().split("\\s+");
      ns += Long.parseLong(columns[2]) + Long.parseLong(columns[5]) + Long.parseLong(columns[8]);
    }
    assertThat(results.metric("activity.compute").orElseThrow().value()).isEqualTo(ns / 1000.0);
  }

  @Test
  void shouldSayFileAndLineWhenTextIsWrong() {
    refused("", ":1: is empty");
    refused("DATA all_gpus: 4\n1\n", ":1: the first word is 'DATA'; it must be HYBRID_TRANSFORMER_FWD_IN_BCKWD,");
    refused("HYBRID_TRANSFORMER ep: x\n", ":1: ep is 'x', which is no whole number");
    refused("HYBRID_TRANSFORMER ep: -4\n", ":1: ep is -4, but must be 1 to");
    refused("HYBRID_TRANSFORMER ep:\n", ":1: ep has no value");
    refused("HYBRID_TRANSFORMER checkpoints: 2 5 7\n", ":1: has checkpoints");
    refused("HYBRID_TRANSFORMER all_gpus: 4\n", ":2: here must be the number of layers, but the file ends");
    refused(HEADER + "-2\n", ":2: the number of layers is -2");
    refused(HEADER + "3000000000\n", ":2: the number of layers is 3000000000");
    refused(HEADER + "2\n" + line("1000", "NONE", "0"), ":4: the file ends after 1 of 2 layers");
    refused(HEADER + "1\n" + line("1000", "NONE", "0").repeat(2), ":4: here must be the end of the file");
    refused(HEADER + "1\na -1 1000\n", ":3: a layer has 12 columns, but here are 3");
    refused(HEADER + "1\n" + line("-5", "NONE", "0"), ":3: the time in nanoseconds is -5");
    refused(HEADER + "1\n" + line("99999999999999999999", "NONE", "0"), ":3: the time in nanoseconds is '9999");
    refused(HEADER + "1\n" + line("1", "ALLREDUCE", "-1"), ":3: the size in bytes is -1");
    refused(HEADER + "1\n" + line("1", "ALLREDUCE_TP", "1"), ":3: 'ALLREDUCE_TP' is no collective");
    refused("HYBRID_TRANSFORMER\n1\n" + line("1", "NONE", "0"), "is missing; the file does not say all_gpus");
    assertThatThrownBy(() -> new AicbWorkloadProvider().create(
        Settings.of(written("HYBRID_TRANSFORMER pp: 3 all_gpus: 4\n1\n" + line("1", "NONE", "0")))
            .dataParallel(DataParallel.STAGE)))
        .hasMessage("4 ranks are no multiple of 3: 1 tensor-parallel times 1 expert-parallel times 3 stages");
  }

  private static String line(String time, String collective, String bytes) {
    return "a -1 " + time + " " + collective + " " + bytes + " 1 NONE 0 1 NONE 0 1\n";
  }

  private void refused(String text, String message) {
    assertThatThrownBy(() -> new AicbWorkloadProvider().create(Settings.of(written(text))))
        .as("%.60s", text).isInstanceOf(InvalidSettingException.class).hasMessageContaining(message);
  }
}
