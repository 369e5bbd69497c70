package dev.heddle.collectives.neuron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.fabric.Fabric;
import dev.heddle.testkit.fixture.CollectiveRequest;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.units.SimTime;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Predicted times against sums by hand, on stars of links of 16 GB/s and 100 ns without memories: a transfer starts in
 * 1,300 ns, and a message crosses two links.
 */
class PredictionTest {
  private static final double START_NS = 1300;
  private static final double ROUND_NS = START_NS + 2 * 100;
  private static final double BYTES_PER_NS = 16;
  private static final Fabric STAR = Fabrics.oneNode(4);

  private static double ns(Algorithm algorithm, CollectiveRequest request, NeuronAlgorithmProvider.Settings settings) {
    Prediction prediction =
        new Prediction(request.collective(), Placement.of(request.cluster(), request.group()), settings);
    return prediction.timePs(algorithm, new NeuronCollectives(settings), Double.POSITIVE_INFINITY) / 1e3;
  }

  private static double ns(Algorithm algorithm, CollectiveOp op, long bytes) {
    return ns(algorithm, Machines.request(STAR, op, 4, bytes), settings());
  }

  private static NeuronAlgorithmProvider.Settings settings() {
    return NeuronAlgorithmProvider.Settings.of(Optional.empty());
  }

  private static NeuronAlgorithmProvider.Settings between(String time) {
    NeuronAlgorithmProvider.Settings all = settings();
    return new NeuronAlgorithmProvider.Settings(
        all.algorithm(), all.slices(), all.start(), SimTime.parse(time), all.axes(), all.stages());
  }

  @ParameterizedTest
  @CsvSource({"64, 2", "96000, 2", "67108864, 2", "64, 4", "64000, 4"})
  void shouldExposeRoundsByTheShareThatOtherChannelsDoNotHide(long bytes, int channels) {
    // A star has two rings, in opposite directions; two slices of each make four channels that share a link.
    boolean reduces = channels == 4;
    double round = bytes / 4.0 / BYTES_PER_NS;
    double exposed = Math.max(0, 1 - (round - round / channels) / ROUND_NS);
    double rounds = 3 * exposed + (1 - exposed);
    assertThat(ns(Algorithm.RING, reduces ? CollectiveOp.REDUCE_SCATTER : CollectiveOp.ALL_GATHER, bytes))
        .isCloseTo(rounds * ROUND_NS + (reduces ? START_NS : 0) + 3 * round, within(1.0));
    assertThat(ns(Algorithm.RING, CollectiveOp.ALL_REDUCE, bytes)).as("the second phase follows the first")
        .isCloseTo(allReduce(round), within(1.0));
  }

  private static double allReduce(double round) {
    double exposed = Math.max(0, 1 - (round - round / 4) / ROUND_NS);
    return (3 * exposed + (1 - exposed) + 3 * exposed) * ROUND_NS + START_NS + 6 * round;
  }

  @Test
  void shouldExposeOneRoundAndTheLastSumWhereTwoSlicesHideTheOthers() {
    long bytes = 64 << 20;
    double link = 0.75 * bytes / BYTES_PER_NS;
    assertThat(ns(Algorithm.RING, CollectiveOp.REDUCE_SCATTER, bytes))
        .isCloseTo(ROUND_NS + START_NS + link, within(1.0));
    assertThat(ns(Algorithm.RING, CollectiveOp.ALL_REDUCE, bytes)).as("gathering hides all of its rounds")
        .isCloseTo(ROUND_NS + START_NS + 2 * link, within(1.0));
  }

  @Test
  void shouldExposeAllRoundsAndTheLastSumOfSmallMessages() {
    assertThat(ns(Algorithm.RING, CollectiveOp.REDUCE_SCATTER, 64))
        .isCloseTo(3 * ROUND_NS + START_NS, within(10.0));
    assertThat(ns(Algorithm.RING, CollectiveOp.ALL_REDUCE, 64))
        .isCloseTo(6 * ROUND_NS + START_NS, within(20.0));
  }

  @Test
  void shouldTakeOneRoundAndTheSumWhereAllInputsGoToAllAtOnce() {
    long bytes = 1 << 20;
    assertThat(ns(Algorithm.SINGLE_STEP_MESH, CollectiveOp.ALL_REDUCE, bytes))
        .isCloseTo(ROUND_NS + START_NS + 3 * bytes / BYTES_PER_NS, within(1.0));
    assertThat(ns(Algorithm.MESH, CollectiveOp.ALL_TO_ALL, bytes))
        .isCloseTo(ROUND_NS + 0.75 * bytes / BYTES_PER_NS, within(1.0));
  }

  @ParameterizedTest
  @CsvSource({"ALL_GATHER, 2, 0, 0.75", "REDUCE_SCATTER, 2, 1, 0.75", "ALL_REDUCE, 4, 1, 1.5"})
  void shouldTakeTwoRoundsOfAMeshForEachPhaseAndOneSum(CollectiveOp op, int rounds, int sums, double share) {
    long bytes = 1 << 20;
    assertThat(ns(Algorithm.MESH, op, bytes))
        .isCloseTo(rounds * ROUND_NS + sums * START_NS + share * bytes / BYTES_PER_NS, within(1.0));
  }

  @ParameterizedTest
  @CsvSource({"ALL_GATHER, 2, 0, 0.5", "REDUCE_SCATTER, 2, 1, 0.5", "ALL_REDUCE, 4, 1, 0.75"})
  void shouldTakeARoundForEachAxisAndTheLoadOfTheBusierOne(CollectiveOp op, int rounds, int sums, double share) {
    Fabric square = Machines.mesh(1, 2, 2);
    long bytes = 64 << 20;
    double large = ns(Algorithm.RDH, Machines.request(square, op, 4, bytes), settings());
    double small = ns(Algorithm.RDH, Machines.request(square, op, 4, 4), settings());
    // One axis carries half of the data, the other a quarter; in the second phase the other way round.
    assertThat(large - small).isCloseTo(share * bytes / 128, within(1.0));
    // A message leaves a memory (150 ns) and its port (20), crosses one link (100), a port and a memory.
    assertThat(small).isCloseTo((rounds + sums) * START_NS + (2 * 170 + 100) * rounds, within(1.0));
    double inTurn = ns(Algorithm.RDH, Machines.request(square, op, 4, bytes),
        settings().stages(NeuronAlgorithmProvider.Stages.IN_TURN));
    assertThat(inTurn - large).as("memories of 2900 GB/s, read and written one after the other with links")
        .isGreaterThan(share * bytes / 2900);
  }

  @Test
  void shouldAddTheTimeBetweenInstancesToEachRoundThatCrosses() {
    Fabric two = Fabrics.nodesOnStars(2, 4);
    CollectiveRequest pair = Machines.request(two, CollectiveOp.ALL_GATHER, 64, 0, 5);
    double none = ns(Algorithm.RING, pair, between("0 ns"));
    assertThat(ns(Algorithm.RING, pair, between("1 ns"))).as("the links alone take longer").isEqualTo(none);
    assertThat(ns(Algorithm.RING, pair, between("40 us")) - ns(Algorithm.RING, pair, between("30 us")))
        .isCloseTo(10_000, within(1e-3));
    assertThat(ns(Algorithm.HIERARCHICAL, pair, between("40 us")) - ns(Algorithm.HIERARCHICAL, pair, between("30 us")))
        .isCloseTo(10_000, within(1e-3));
    CollectiveRequest four = Machines.request(two, CollectiveOp.ALL_GATHER, 64, 0, 1, 5, 6);
    assertThat(ns(Algorithm.RING, four, between("40 us")) - ns(Algorithm.RING, four, between("30 us")))
        .as("half of the messages cross in each of three rounds").isCloseTo(3 * 5_000, within(1e-3));
    CollectiveRequest reduced = Machines.request(two, CollectiveOp.ALL_REDUCE, 64, 0, 1, 5, 6);
    assertThat(
        ns(Algorithm.HIERARCHICAL, reduced, between("40 us")) - ns(Algorithm.HIERARCHICAL, reduced, between("30 us")))
        .as("once in each phase").isCloseTo(2 * 10_000, within(1e-3));
  }

  @Test
  void shouldTakeTheTimeBetweenInstancesFromMemoryToMemory() {
    Fabric two = Fabrics.nodesOnStars(2, 4);
    CollectiveRequest pair = Machines.request(two, CollectiveOp.ALL_GATHER, 2, 0, 5);
    // Start, links and the five devices on the way, of 100 ns each, are part of the 30 us; a prediction counts links.
    assertThat(ns(Algorithm.RING, pair, between("30 us"))).isCloseTo(30_000 - 5 * 100, within(1.0));
    double reduced = ns(Algorithm.HIERARCHICAL, Machines.request(two, CollectiveOp.REDUCE_SCATTER, 2, 0, 5),
        between("30 us"));
    assertThat(reduced - ns(Algorithm.HIERARCHICAL, pair, between("30 us"))).as("sums within and between instances")
        .isCloseTo(2 * START_NS, within(1.0));
  }

  @Test
  void shouldTakeNoTimeAlone() {
    assertThat(ns(Algorithm.RING, Machines.request(STAR, CollectiveOp.ALL_REDUCE, 1, 1 << 20), settings())).isZero();
  }
}
