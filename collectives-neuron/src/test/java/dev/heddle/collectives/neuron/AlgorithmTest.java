package dev.heddle.collectives.neuron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.ScheduleCounts;
import dev.heddle.collective.Verifier.Verdict;
import dev.heddle.fabric.Fabric;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.testkit.fixture.CollectiveRequest;
import dev.heddle.testkit.fixture.Fabrics;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class AlgorithmTest {
  private static final List<CollectiveOp> PHASES =
      List.of(CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER, CollectiveOp.ALL_REDUCE);

  private static Prediction prediction(CollectiveRequest request) {
    return new Prediction(
        request.collective(), Placement.of(request.cluster(), request.group()),
        NeuronAlgorithmProvider.Settings.of(Optional.empty()));
  }

  private static Verdict verify(Algorithm algorithm, CollectiveRequest request) {
    CollectiveAlgorithm product = Machines.algorithm(algorithm);
    Verdict verdict = request.verdict(product);
    assertThat(verdict.findings()).as("%s of %s", algorithm, request.collective()).isEmpty();
    assertThat(prediction(request).rounds(algorithm)).as("rounds of %s of %s", algorithm, request.collective())
        .isGreaterThanOrEqualTo(verdict.rounds());
    return verdict;
  }

  @ParameterizedTest
  @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "HIERARCHICAL")
  void shouldBeProvedOnEveryGridThatItServes(Algorithm algorithm) {
    List<Fabric> fabrics = List.of(
        Machines.torus(4, 4, 4), Machines.torus(2, 4, 2), Machines.torus(4, 2, 2), Machines.torus(1, 3, 3),
        Machines.torus(2, 3, 5), Machines.mesh(2, 3, 4), Machines.mesh(1, 3, 3), Machines.torus(2, 2, 2, 2));
    int proved = 0;
    for (Fabric fabric : fabrics) {
      for (CollectiveOp op : PHASES) {
        CollectiveRequest request = Machines.request(fabric, op, fabric.terminals(), 100_003);
        if (algorithm.refusal(op, Placement.of(request.cluster(), request.group())).isEmpty()) {
          verify(algorithm, request);
          proved++;
        }
      }
    }
    assertThat(proved).as("collectives that are served").isGreaterThanOrEqualTo(
        algorithm == Algorithm.SINGLE_STEP_MESH ? 8 : 12);
  }

  @Test
  void shouldBeProvedOverInstancesWhateverTheSizesAndTheOrderOfRanks() {
    Fabric two = Machines.instances(2, 2, 2, 2);
    int[] mixed = {9, 0, 12, 3, 8, 1, 2, 10, 11, 4, 5, 13, 6, 14, 7, 15};
    int perNode = two.terminals(DeviceKind.ACCELERATOR)[8];
    int[] ranks = Arrays.stream(mixed).map(rank -> rank < 8 ? rank : rank - 8 + perNode).toArray();
    for (CollectiveOp op : PHASES) {
      for (long bytes : new long[] {0, 1, 17, 100_003}) {
        verify(Algorithm.HIERARCHICAL, Machines.request(two, op, bytes, ranks));
      }
      verify(
          Algorithm.HIERARCHICAL,
          Machines.request(Fabrics.nodesOnStars(3, 4), op, 100_003, 0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13));
      verify(Algorithm.HIERARCHICAL, Machines.request(Fabrics.nodesOnStars(3, 4), op, 100_003, 1, 6, 11));
    }
  }

  @Test
  void shouldBeProvedWithRdhInTurnToo() {
    CollectiveAlgorithm product = new NeuronAlgorithmProvider().create(
        NeuronAlgorithmProvider.Settings.of(Optional.of(Algorithm.RDH)).stages(NeuronAlgorithmProvider.Stages.IN_TURN));
    for (Fabric fabric : List.of(Machines.torus(4, 4, 4), Machines.mesh(1, 2, 4), Machines.torus(2, 2, 2, 2))) {
      for (CollectiveOp op : PHASES) {
        CollectiveRequest request = Machines.request(fabric, op, fabric.terminals(), 100_003);
        assertThat(request.verdict(product).findings()).as("%s", op)
            .isEmpty();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
      "RING, 63, 63, 126", "KANGARING, 33, 33, 66", "MESH, 2, 2, 4", "RDH, 5, 5, 10"
  })
  void shouldTakeStepsAsTheDocumentStates(Algorithm algorithm, int gather, int scatter, int reduce) {
    Fabric fabric = Machines.torus(4, 4, 4);
    int[] expected = {gather, scatter, reduce};
    for (int i = 0; i < PHASES.size(); i++) {
      assertThat(verify(algorithm, Machines.request(fabric, PHASES.get(i), 64, 1 << 20)).rounds())
          .as("messages that follow one another in %s of %s", algorithm, PHASES.get(i)).isEqualTo(expected[i]);
    }
  }

  @Test
  void shouldTakeOneStepWithSingleStepMeshAndAllToAll() {
    Fabric fabric = Machines.torus(4, 4, 4);
    assertThat(verify(Algorithm.SINGLE_STEP_MESH, Machines.request(fabric, CollectiveOp.ALL_REDUCE, 64, 640)).rounds())
        .isEqualTo(1);
    assertThat(verify(Algorithm.MESH, Machines.request(fabric, CollectiveOp.ALL_TO_ALL, 64, 6400)).rounds())
        .isEqualTo(1);
  }

  @Test
  void shouldSendLeastPossibleWithRing() {
    Fabric fabric = Machines.torus(2, 4, 4);
    CollectiveRequest request = Machines.request(fabric, CollectiveOp.ALL_REDUCE, 32, 32 * 8 * 100);
    ScheduleCounts counts = ScheduleCounts.of(request.schedule(Machines.algorithm(Algorithm.RING)));
    for (int rank = 0; rank < 32; rank++) {
      assertThat(counts.bytesSent(rank)).isEqualTo(2 * 31 * 800);
    }
  }

  @Test
  void shouldServeSizesThatDoNotDivide() {
    Fabric fabric = Machines.torus(4, 2, 2);
    for (Algorithm algorithm : EnumSet.complementOf(EnumSet.of(Algorithm.HIERARCHICAL))) {
      for (long bytes : new long[] {0, 1, 15, 16, 17, 999}) {
        verify(algorithm, Machines.request(fabric, CollectiveOp.ALL_REDUCE, 16, bytes));
      }
    }
  }

  @Test
  void shouldUseRingOnOneRankOfEveryChip() {
    Fabric fabric = Machines.torus(4, 4, 4);
    int[] ranks = IntStream.range(0, 16).map(chip -> 4 * chip).toArray();
    CollectiveRequest request = Machines.request(fabric, CollectiveOp.ALL_REDUCE, 1 << 26, ranks);
    verify(Algorithm.RING, request);
    verify(Algorithm.RDH, request);
    assertThatThrownBy(() -> request.schedule(Machines.algorithm(Algorithm.KANGARING)))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("kangaring cannot do all_reduce: the group has not all ranks of its chips; ring can");
  }

  @Test
  void shouldRefuseGroupsThatCannotBeServedWithTheReason() {
    Fabric fabric = Machines.torus(4, 4, 4);
    CollectiveRequest halfAChip = Machines.request(fabric, CollectiveOp.ALL_GATHER, 6, 600);
    assertThatThrownBy(() -> halfAChip.schedule(Machines.algorithm(Algorithm.MESH)))
        .hasMessageContaining("the group has more ranks on some chips than on others");
    verify(Algorithm.RING, halfAChip);
    CollectiveRequest threeChips = Machines.request(fabric, CollectiveOp.ALL_GATHER, 12, 600);
    assertThatThrownBy(() -> threeChips.schedule(Machines.algorithm(Algorithm.RDH)))
        .hasMessageContaining("sides are powers of two; the group has 3 chips");
    verify(Algorithm.KANGARING, threeChips);
    CollectiveRequest notPowers =
        Machines.request(Machines.torus(2, 3, 4), CollectiveOp.ALL_GATHER, 24, 600);
    assertThatThrownBy(() -> notPowers.schedule(Machines.algorithm(Algorithm.RDH)))
        .hasMessageContaining("of a 3 x 4 torus");
    assertThatThrownBy(
        () -> Machines.request(fabric, CollectiveOp.BROADCAST, 4, 600).schedule(Machines.algorithm(Algorithm.RING)))
        .hasMessageContaining("ring does not do broadcast; it does all_gather, reduce_scatter, all_reduce");
    CollectiveRequest twoNodes =
        Machines.request(Fabrics.nodesOnStars(2, 4), CollectiveOp.ALL_REDUCE, 600, 0, 1, 5, 6);
    verify(Algorithm.RING, twoNodes);
    assertThatThrownBy(() -> Machines.request(Fabrics.nodesOnStars(2, 4), CollectiveOp.ALL_REDUCE, 600, 0, 1, 5, 7)
        .schedule(Machines.algorithm(Algorithm.HIERARCHICAL)))
        .hasMessageContaining("ranks at other places in one instance than in another; ring can");
    assertThatThrownBy(() -> threeChips.schedule(Machines.algorithm(Algorithm.HIERARCHICAL)))
        .hasMessageContaining("it goes over 2 to 64 instances; the group lies in 1; ring can");
    assertThatThrownBy(() -> twoNodes.schedule(Machines.algorithm(Algorithm.RDH)))
        .hasMessageContaining("the group lies in 2 instances that no NeuronLink joins; ring can");
  }

  @Test
  void shouldChooseForAThousandRanksThoughOneStepToAllAddsUpTooMany() {
    Fabric fabric = Machines.torus(4, 16, 16);
    CollectiveRequest request = Machines.request(fabric, CollectiveOp.ALL_REDUCE, 1024, 1L << 30);
    CollectiveAlgorithm choice =
        new NeuronAlgorithmProvider().create(NeuronAlgorithmProvider.Settings.of(Optional.empty()));
    assertThat(request.schedule(choice).name()).isEqualTo("kangaring");
    assertThatThrownBy(() -> request.schedule(Machines.algorithm(Algorithm.SINGLE_STEP_MESH)))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("a rank adds up 1023 inputs at most; the group has 1024 ranks; mesh can");
  }

  @Test
  void shouldChooseMeshThenRdhThenKangaRingAsSizeGrows() {
    Fabric fabric = Machines.torus(4, 4, 4);
    CollectiveAlgorithm choice =
        new NeuronAlgorithmProvider().create(NeuronAlgorithmProvider.Settings.of(Optional.empty()));
    List<String> names = IntStream.of(1 << 9, 1 << 16, 1 << 22, 1 << 27)
        .mapToObj(bytes -> Machines.request(fabric, CollectiveOp.ALL_REDUCE, 64, bytes).schedule(choice))
        .map(Schedule::name)
        .toList();
    assertThat(names).containsExactly("single-step-mesh", "mesh", "rdh", "kangaring");
    assertThat(
        Machines.request(Fabrics.nodesOnStars(2, 4), CollectiveOp.ALL_REDUCE, 600, 0, 1, 5, 6).schedule(choice).name())
        .as("over two instances").isEqualTo("hierarchical");
  }

  @Test
  void shouldChooseWhatIsPredictedToTakeLeastThoughTheOthersAreNotCountedToTheEnd() {
    CollectiveAlgorithm choice =
        new NeuronAlgorithmProvider().create(NeuronAlgorithmProvider.Settings.of(Optional.empty()));
    for (Fabric fabric : List.of(Machines.torus(4, 4, 4), Machines.torus(2, 4, 2), Machines.instances(2, 2, 2, 2))) {
      for (CollectiveOp op : PHASES) {
        for (long bytes = 64; bytes <= 1L << 30; bytes *= 16) {
          CollectiveRequest request = Machines.request(fabric, op, bytes, fabric.terminals(DeviceKind.ACCELERATOR));
          Placement placement = Placement.of(request.cluster(), request.group());
          NeuronCollectives collectives =
              new NeuronCollectives(NeuronAlgorithmProvider.Settings.of(Optional.empty()));
          ToDoubleFunction<Algorithm> time =
              algorithm -> prediction(request).timePs(algorithm, collectives, Double.POSITIVE_INFINITY);
          double least = Arrays.stream(Algorithm.values())
              .filter(algorithm -> algorithm.refusal(op, placement).isEmpty()).mapToDouble(time).min().orElseThrow();
          String chosen = request.schedule(choice).name();
          assertThat(Arrays.stream(Algorithm.values()).filter(algorithm -> algorithm.key().equals(chosen)))
              .as("%s of %d B", op.key(), bytes).allMatch(algorithm -> time.applyAsDouble(algorithm) == least);
        }
      }
    }
  }
}
