package dev.heddle.collectives.nccl.tuner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Machines;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.collectives.nccl.system.SystemDescription;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TunerTest {
  private static final NcclVersion LOGGED = NcclVersion.parse("2.29.2");

  private static Tuner tuner(SystemDescription node, int nodes, int perNode, Map<String, String> variables) {
    return Tuner.of(CommunicatorTopology.plan(
        Placement.even(nodes, perNode), rank -> node, NcclConfig.of(LOGGED, variables)));
  }

  private static Tuner tuner(SystemDescription node, int nodes, int perNode) {
    return tuner(node, nodes, perNode, Map.of());
  }

  private static Candidate best(Tuner tuner, long bytes) {
    return tuner.choose(Call.of(CollectiveOp.ALL_REDUCE, bytes)).best();
  }

  private static String logged(Tuner tuner, CollectiveOp op) {
    return tuner.choose(Call.of(op, 1)).candidates().stream()
        .filter(each -> each.excluded().isEmpty())
        .map(each -> String.format(Locale.ROOT, "%.1f/%.1f", each.latencyUs(), each.gigabytesPerSecond()))
        .collect(Collectors.joining(" "));
  }

  // Three overheads of 2 us with AMD's processors and of 1 us with others, whatever the version and its variable say.
  @Test
  void shouldCountAPostByTheProcessors() {
    for (Map<String, String> variables : List.of(Map.<String, String>of(), Map.of("NCCL_NET_OVERHEAD", "9000"))) {
      assertThat(post(Machines.a100(), "2.8.4", variables)).isEqualTo(6);
      assertThat(post(Machines.h100(), "2.29.2", variables)).isEqualTo(3);
    }
  }

  private static double post(SystemDescription node, String version, Map<String, String> variables) {
    return Tuner.post(CommunicatorTopology.plan(
        Placement.even(2, 8), rank -> node, NcclConfig.of(NcclVersion.parse(version), variables))).nanos() / 1e3;
  }

  // From NCCL 2.29.2's own table for 2, 4 and 6 H100 on one node's NVSwitches (nccl-collectives-bench,
  // scaling_attributed).
  @ParameterizedTest
  @CsvSource({
      "2, all_reduce, 8.0/61.1 16.5/180.6 16.4/232.2 7.8/141.0 17.8/331.2 15.2/360.0 25.0/102.0",
      "4, all_reduce, 10.4/43.6 21.5/128.8 32.4/165.6 10.2/94.0 25.4/220.8 28.8/240.0 25.0/160.0",
      "6, all_reduce, 12.8/43.6 26.5/128.8 48.4/165.6 12.6/84.6 33.0/198.7 42.4/216.0 25.0/216.0",
      "2, all_gather, 7.2/282.0 15.9/662.4 11.8/720.0 25.0/25.5",
      "4, reduce_scatter, 8.4/188.0 19.7/441.6 18.6/480.0 25.0/114.8",
      "6, all_gather, 9.6/169.2 23.5/397.4 25.4/432.0 25.0/177.1",
      "2, broadcast, 7.2/141.0 15.9/331.2 11.8/360.0",
      "6, reduce, 7.2/141.0 15.9/331.2 11.8/360.0"})
  void shouldEqualNcclsLogWhenNodeIsH100(int gpus, String op, String expected) {
    assertThat(logged(tuner(Machines.h100(), 1, gpus), CollectiveOp.valueOf(op.toUpperCase(Locale.ROOT))))
        .isEqualTo(expected);
  }

  // The same formulas, evaluated for these nodes in another language.
  @ParameterizedTest
  @CsvSource({
      "h100, 15 16 28 87 1012 31606", "a100, 15 16 36 174 2013 62691", "b200, 15 15 22 66 677 20903"})
  void shouldPredictKnownTimesWhenOneNode(String node, String times) {
    SystemDescription description = node.equals("h100") ? Machines.h100()
        : node.equals("a100") ? Machines.a100() : Machines.b200();
    Tuner tuner = tuner(description, 1, 8);

    assertThat(List.of(1L << 10, 1L << 16, 1L << 20, 1L << 24, 1L << 28, 1L << 33).stream()
        .map(bytes -> "" + Math.round(best(tuner, bytes).timeUs())).collect(Collectors.joining(" ")))
        .isEqualTo(times);
  }

  @Test
  void shouldPredictKnownTimesWhenTwoNodesUseNvlsTree() {
    Tuner tuner = tuner(Machines.h100(), 2, 8);

    assertThat(best(tuner, 1 << 24).timeUs()).isCloseTo(135, within(.5));
    assertThat(best(tuner, 1 << 28).timeUs()).isCloseTo(1157, within(.5));
    assertThat(best(tuner, 1L << 33).timeUs()).isCloseTo(34_959, within(.5));
    assertThat(best(tuner, 1 << 10).algorithm()).isEqualTo(Algorithm.TREE);
  }

  // NVIDIA/nccl-tests issue 309, and the scaling log: Ring at 2 and 4 GPUs, NVLS at 6 and 8 from 2 MiB.
  @ParameterizedTest
  @CsvSource({
      "2, 268435456, RING", "4, 268435456, RING", "6, 268435456, NVLS", "8, 268435456, NVLS", "8, 1048576, RING",
      "8, 2097152, NVLS", "8, 1024, RING"})
  void shouldChooseAsLoggedWhenNodeIsH100(int gpus, long bytes, Algorithm expected) {
    assertThat(best(tuner(Machines.h100(), 1, gpus), bytes).algorithm()).isEqualTo(expected);
  }

  @Test
  void shouldUseFewerChannelsAndThreadsWhenBytesAreFew() {
    Tuner tuner = tuner(Machines.h100(), 1, 8);

    // Ring LL: 64 bytes per thread; 512 threads on one channel are worth 32 KiB
    assertThat(best(tuner, 1 << 20).shape()).isEqualTo(new Candidate.Shape(24, 512));
    assertThat(best(tuner, 65_536).shape()).isEqualTo(new Candidate.Shape(2, 512));
    assertThat(best(tuner, 16_384).shape()).isEqualTo(new Candidate.Shape(1, 256));
    assertThat(best(tuner, 8).shape()).isEqualTo(new Candidate.Shape(1, 96));
    assertThat(best(tuner, 1 << 28).shape()).isEqualTo(new Candidate.Shape(16, 640));
  }

  @Test
  void shouldExcludeWhatIsNotNamedWhenVariablesChoose() {
    Candidate ring = best(tuner(Machines.h100(), 1, 8, Map.of("NCCL_ALGO", "ring")), 1 << 28);
    Candidate noNvls = best(tuner(Machines.h100(), 1, 8, Map.of("NCCL_ALGO", "^NVLS,NVLSTree")), 1 << 28);
    Candidate perFunction = best(tuner(Machines.h100(), 1, 8, Map.of("NCCL_ALGO", "allreduce:tree")), 1 << 28);
    Candidate simple = best(tuner(Machines.h100(), 1, 8, Map.of("NCCL_PROTO", "Simple")), 1 << 10);

    assertThat(ring.algorithm()).isEqualTo(Algorithm.RING);
    assertThat(noNvls.algorithm()).isEqualTo(Algorithm.RING);
    assertThat(perFunction.algorithm()).isEqualTo(Algorithm.TREE);
    assertThat(simple.protocol().title()).isEqualTo("Simple");
  }

  @Test
  void shouldFallBackToRingWhenNothingIsLeft() {
    Choice choice = tuner(Machines.h100(), 1, 8, Map.of("NCCL_ALGO", "CollNetDirect"))
        .choose(Call.of(CollectiveOp.ALL_REDUCE, 1 << 20));

    assertThat(choice.best().algorithm()).isEqualTo(Algorithm.RING);
  }

  @Test
  void shouldAvoidRingsWhenReducingEightBitNumbersOnManyRanks() {
    Tuner tuner = tuner(Machines.a100(), 2, 8);
    Call fp8 = new Call(CollectiveOp.ALL_REDUCE, 1L << 33, 1, Call.Reduction.FP8);

    assertThat(best(tuner, 1L << 33).algorithm()).isEqualTo(Algorithm.RING);
    assertThat(tuner.choose(fp8).best().algorithm()).isEqualTo(Algorithm.TREE);
  }

  @Test
  void shouldUsePatWhenNodesHaveOneGpuEach() {
    Choice choice = tuner(Machines.h100(), 16, 1).choose(Call.of(CollectiveOp.ALL_GATHER, 1 << 16));
    Choice several = tuner(Machines.h100(), 2, 8).choose(Call.of(CollectiveOp.ALL_GATHER, 1 << 16));

    assertThat(excluded(choice, Algorithm.PAT)).isEmpty();
    assertThat(excluded(several, Algorithm.PAT)).containsExactly("more than one rank on a node");
  }

  @ParameterizedTest
  @CsvSource({"'', true", "'mlx5_0,mlx5_1,mlx5_2,mlx5_3', false"})
  void shouldGatherThroughTheNetworkOnlyWhenEveryRankIsAHead(String ports, boolean possible) {
    Tuner tuner = tuner(
        Machines.h100(), 2, 8, ports.isEmpty() ? Map.of("NCCL_COLLNET_ENABLE", "1")
            : Map.of("NCCL_COLLNET_ENABLE", "1", "NCCL_IB_HCA", ports));
    String why = "fewer heads than ranks on a node";
    for (CollectiveOp op : List.of(CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER, CollectiveOp.ALL_REDUCE)) {
      Choice choice = tuner.choose(Call.of(op, 1 << 20));
      for (Algorithm algorithm : List.of(Algorithm.COLLNET_DIRECT, Algorithm.NVLS)) {
        boolean serves = possible || op == CollectiveOp.ALL_REDUCE;
        assertThat(excluded(choice, algorithm).contains(why)).as("%s by %s", op, algorithm).isEqualTo(!serves);
      }
    }
  }

  private static List<String> excluded(Choice choice, Algorithm algorithm) {
    return choice.candidates().stream().filter(each -> each.algorithm() == algorithm)
        .flatMap(each -> each.excluded().stream()).toList();
  }

  @Test
  void shouldExcludeLl128WhenAmperesNicsAreBehindOtherGpus() {
    Choice choice = tuner(Machines.a100(), 2, 8).choose(Call.of(CollectiveOp.ALL_REDUCE, 1 << 20));

    assertThat(excluded(choice, Algorithm.RING)).containsExactly("NICs too far: PXN");
    assertThat(excluded(tuner(Machines.h100(), 2, 8).choose(Call.of(CollectiveOp.ALL_REDUCE, 1 << 20)), Algorithm.RING))
        .isEmpty();
  }

  @Test
  void shouldFitATerminalWhenPrinted() {
    String table = tuner(Machines.h100(), 1, 8).choose(Call.of(CollectiveOp.ALL_REDUCE, 1L << 40)).table();

    assertThat(Arrays.stream(table.split("\n")).mapToInt(String::length).max().orElse(0)).isLessThanOrEqualTo(80);
    assertThat(table).containsPattern("(?m)^\\* NVLS ").contains("  NVLSTree      Simple - one node");
  }

  @Test
  void shouldRefuseWhenNcclHasNoSuchCollective() {
    Tuner tuner = tuner(Machines.h100(), 1, 8);

    assertThatThrownBy(() -> tuner.choose(Call.of(CollectiveOp.ALL_TO_ALL, 1)))
        .hasMessage("NCCL builds all_to_all of send and receive");
  }

  // Constants that differ by version: base latencies of rings and trees, the step of NVLS.
  @ParameterizedTest
  @CsvSource({"2.8, 10.2", "2.18, 15.0", "2.30, 15.0"})
  void shouldUseTheVersionsConstantsWhenOlder(String version, double ringLl) {
    CommunicatorTopology channels = CommunicatorTopology.plan(
        Placement.even(1, 8), rank -> Machines.a100(), NcclConfig.of(NcclVersion.parse(version)));

    Candidate ring = Tuner.of(channels).choose(Call.of(CollectiveOp.ALL_REDUCE, 8)).candidates().stream()
        .filter(each -> each.algorithm() == Algorithm.RING).findFirst().orElseThrow();
    assertThat(ring.latencyUs()).isCloseTo(ringLl, within(.05));
  }

  // Changes between versions that their sources state: the size from which a ring with Simple counts as slower, the
  // factor, and the number of steps between nodes. The machine has 16 A100 on two nodes; a post to a NIC takes 2 us
  // from 2.18 on.
  @ParameterizedTest
  @CsvSource({
      "2.8, 8192, 122.8, 122.8", "2.8, 65536, 122.8, 233.3", "2.10, 65536, 122.8, 233.3", "2.17, 65536, 135.2, 256.9",
      "2.20, 8192, 220.4, 220.4", "2.20, 32768, 220.4, 308.6", "2.23, 32768, 204.4, 286.2"
  })
  void shouldCountTheStepsOfARingAsItsVersionDid(String version, long bytes, double small, double expected) {
    Tuner tuner = Tuner.of(CommunicatorTopology.plan(
        Placement.even(2, 8), rank -> Machines.a100(), NcclConfig.of(NcclVersion.parse(version))));
    Candidate ring = tuner.choose(Call.of(CollectiveOp.ALL_REDUCE, bytes)).candidates().stream()
        .filter(each -> each.algorithm() == Algorithm.RING && each.protocol() == Protocol.SIMPLE).findFirst()
        .orElseThrow();
    assertThat(ring.latencyUs()).isCloseTo(small, within(.05));
    assertThat(ring.timeUs() - bytes / 1e3 / ring.gigabytesPerSecond()).isCloseTo(expected, within(.1));
  }

  @ParameterizedTest
  @CsvSource({"2.26.2", "2.28.3"})
  void shouldTakeSwitchesFromTwoMebibytesOnWhenEightH100HaveThem(String version) {
    // NVIDIA/nccl-tests issue 309, NCCL 2.26.2: LL rings up to 1 MiB, then NVLS; 8 GiB at more than a ring's rate.
    Tuner tuner = Tuner.of(CommunicatorTopology.plan(
        Placement.even(1, 8), rank -> Machines.h100(), NcclConfig.of(NcclVersion.parse(version))));
    assertThat(best(tuner, 1 << 20).algorithm()).isEqualTo(Algorithm.RING);
    assertThat(best(tuner, 1 << 20).protocol()).isEqualTo(Protocol.LL);
    for (long bytes = 2 << 20; bytes <= 16L << 30; bytes *= 2) {
      assertThat(best(tuner, bytes).algorithm()).as("%s B", bytes).isEqualTo(Algorithm.NVLS);
    }
  }

  @Test
  void shouldBoundLl128PerChannelWhenVersionIsOld() {
    // 11 channels of 24 GB/s on 8 A100: 16.9 GB/s a channel with LL128 in 2.8, less than 92 % of 235 GB/s.
    Tuner tuner = Tuner.of(CommunicatorTopology.plan(
        Placement.even(1, 8), rank -> Machines.a100(), NcclConfig.of(NcclVersion.parse("2.8.4"))));
    Candidate ll128 = tuner.choose(Call.of(CollectiveOp.ALL_REDUCE, 1 << 22)).candidates().stream()
        .filter(each -> each.algorithm() == Algorithm.RING && each.protocol() == Protocol.LL128).findFirst()
        .orElseThrow();
    int channels = ll128.shape().channels() / 2;
    assertThat(ll128.gigabytesPerSecond()).isCloseTo(
        Math.min(.92 * 235, 16.9 * channels) * 8 / 14, within(1e-6));
    assertThat(channels).isEqualTo(11);
  }

  // The model's LL128 on 16 channels of 45 GB/s, and the protocol of integers of 8 bits, which NVSwitches do not sum.
  // 2.28.9 has 0.92 of the links, 2.29.2 16 x 34.5 GB/s, 2.29.7 16 x 40. LL takes 15 us + bytes / 161.1 GB/s,
  // LL128 40.6 us and Simple 56 us + bytes / 411.4 GB/s, with 14 steps.
  @ParameterizedTest
  @CsvSource({
      "2.28.9, 662.4, 8, LL128", "2.29.2, 552.0, 8, LL", "2.29.3, 552.0, 8, LL", "2.29.7, 640.0, 8, LL128",
      "2.29.2, 552.0, 16, LL128", "2.29.2, 552.0, 32, SIMPLE", "2.29.7, 640.0, 32, LL128",
      "2.28.9, 662.4, 64, LL128", "2.29.7, 640.0, 64, SIMPLE"})
  void shouldLeaveLl128OnBlackwellAsItsPatchVersionDoes(String version, double bus, long mebibytes, Protocol expected) {
    Tuner tuner = Tuner.of(CommunicatorTopology.plan(
        Placement.even(1, 8), rank -> Machines.b200(), NcclConfig.of(NcclVersion.parse(version), Map.of())));
    for (Call.Reduction reduction : List.of(Call.Reduction.OTHER, Call.Reduction.BYTES)) {
      Choice choice = tuner.choose(new Call(CollectiveOp.ALL_REDUCE, mebibytes << 20, 1, reduction));

      assertThat(choice.candidates().stream()
          .filter(each -> each.algorithm() == Algorithm.RING && each.protocol() == Protocol.LL128).findFirst()
          .orElseThrow().gigabytesPerSecond()).isCloseTo(bus * 8 / 14, within(.1));
      assertThat(choice.best().algorithm()).isEqualTo(Algorithm.RING);
      assertThat(choice.best().protocol()).isEqualTo(expected);
    }
  }
}
