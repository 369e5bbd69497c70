package dev.heddle.workload.traffic;

import static dev.heddle.testkit.fixture.Records.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.fabric.Fabric;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.Fraction;
import dev.heddle.units.RandomStream;
import dev.heddle.units.SimTime;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import dev.heddle.workload.traffic.TrafficWorkloadProvider.Arrivals;
import dev.heddle.workload.traffic.TrafficWorkloadProvider.Pattern;
import dev.heddle.workload.traffic.TrafficWorkloadProvider.Settings;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests of rates and shares, each within five standard deviations of its distribution: one false alarm in about two
 * million cases.
 */
class TrafficStatisticsTest {
  private static final double SIGMAS = 5;
  private static final Fabric CLUSTER = Fabrics.nodesOnStars(4, 4);
  private static final int RANKS = 16;

  static LongStream seeds() {
    return Seeds.several(10);
  }

  /** Statistics of the generators of all ranks: messages from each rank to each, and the moments of their gaps. */
  private static final class Traffic {
    private final int[][] messages;
    private final double meanGapPs;
    private final double gapVariancePs2;

    Traffic(int[][] messages, double meanGapPs, double gapVariancePs2) {
      this.messages = messages;
      this.meanGapPs = meanGapPs;
      this.gapVariancePs2 = gapVariancePs2;
    }

    int from(int rank) {
      return Arrays.stream(messages[rank]).sum();
    }

    int total() {
      return IntStream.range(0, messages.length).map(this::from).sum();
    }
  }

  private static Traffic generate(Settings settings, long seed, String end) {
    Workload workload = new TrafficWorkloadProvider().create(settings);
    WorkloadContext context =
        new WorkloadContext(CLUSTER, workload.plan(CLUSTER).ranks(), seed, SimTime.parse(end));
    int[][] messages = new int[RANKS][RANKS];
    double sum = 0;
    double squares = 0;
    long gaps = 0;
    for (int rank = 0; rank < RANKS; rank++) {
      Program program = workload.plan(context.cluster()).program(rank, context);
      Operation operation = new Operation();
      long last = -1;
      while (program.next(0, operation)) {
        messages[rank][operation.peer()]++;
        if (last >= 0) {
          double gap = operation.timePs() - last;
          sum += gap;
          squares += gap * gap;
          gaps++;
        }
        last = operation.timePs();
      }
    }
    double mean = sum / Math.max(1, gaps);
    return new Traffic(messages, mean, squares / Math.max(1, gaps) - mean * mean);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void shouldGenerateLoadOfInjectionRateWhenArrivalsArePoisson(long seed) {
    // 128 Gb/s at 60 % is 9.6 GB/s, a message of 4 KiB every 426.67 ns; 16 ranks for 2 ms.
    Traffic traffic = generate(Settings.of(Pattern.UNIFORM, Fraction.of(0.6)), seed, "2 ms");
    double expected = RANKS * 2e-3 * 9.6e9 / 4096;
    assertThat((double) traffic.total()).isCloseTo(expected, within(SIGMAS * Math.sqrt(expected)));
    double meanPs = 4096 / 9.6e9 * 1e12;
    double count = traffic.total();
    assertThat(traffic.meanGapPs).isCloseTo(meanPs, within(SIGMAS * meanPs / Math.sqrt(count)));
    // The variance of an exponential distribution is its mean squared; the variance of the estimate is 8 mean^4 / n.
    assertThat(traffic.gapVariancePs2)
        .isCloseTo(meanPs * meanPs, within(SIGMAS * meanPs * meanPs * Math.sqrt(8 / count)));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void shouldGenerateAtConstantGapsWhenArrivalsAreDeterministic(long seed) {
    Traffic traffic =
        generate(with(Settings.of(Pattern.UNIFORM, Fraction.of(1)), "arrivals", Arrivals.DETERMINISTIC), seed, "1 ms");
    double meanPs = 4096 / 16e9 * 1e12;
    assertThat(traffic.meanGapPs).isCloseTo(meanPs, within(1e-3));
    assertThat(traffic.gapVariancePs2).isLessThan(1.0);
    for (int rank = 0; rank < RANKS; rank++) {
      assertThat((double) traffic.from(rank)).as("messages of rank %s", rank).isCloseTo(1e9 / meanPs, within(1.0));
    }
  }

  @ParameterizedTest
  @CsvSource({"C1, 0.20", "C2, 0.15", "C3, 0.10", "C4, 0.05", "C5, 0", "MIXED, 0.35"})
  void shouldSendShareToOtherNodesWhenPatternMixes(Pattern pattern, double share) {
    for (long seed : seeds().toArray()) {
      Traffic traffic =
          generate(with(Settings.of(pattern, Fraction.of(1)), "interShare", Fraction.of(0.35)), seed, "1 ms");
      double expectedInside = (1 - share) / 3;
      double expectedOutside = share / 12;
      for (int to = 0; to < RANKS; to++) {
        int from = (to + 5) % RANKS;
        double expected = from / 4 == to / 4 ? expectedInside : expectedOutside;
        assertShare(traffic, from, to, expected, seed);
        int neighbour = to / 4 * 4 + (to + 1) % 4;
        assertShare(traffic, neighbour, to, expectedInside, seed);
      }
    }
  }

  private static void assertShare(Traffic traffic, int from, int to, double expected, long seed) {
    double count = traffic.from(from);
    assertThat(traffic.messages[from][to] / count)
        .as("share of rank %s to rank %s, seed %s", from, to, seed)
        .isCloseTo(expected, within(SIGMAS * Math.sqrt(expected * (1 - expected) / count) + 1e-12));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void shouldSendAlikeToAllOthersWhenUniform(long seed) {
    Traffic traffic = generate(Settings.of(Pattern.UNIFORM, Fraction.of(1)), seed, "1 ms");
    for (int from = 0; from < RANKS; from++) {
      for (int to = 0; to < RANKS; to++) {
        assertShare(traffic, from, to, from == to ? 0 : 1.0 / (RANKS - 1), seed);
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void shouldSendHotShareToTargetsWhenHotspot(long seed) {
    Settings settings =
        with(Settings.of(Pattern.HOTSPOT, Fraction.of(1)), "hotShare", Fraction.of(0.3), "targets", List.of(2, 9));
    Traffic traffic = generate(settings, seed, "1 ms");
    assertShare(traffic, 5, 2, 0.15 + 0.7 / 15, seed);
    assertShare(traffic, 5, 0, 0.7 / 15, seed);
    assertShare(traffic, 2, 9, 0.3 + 0.7 / 15, seed);
  }

  @Test
  void shouldSendToTargetsOnlyWhenIncast() {
    Traffic traffic = generate(
        with(Settings.of(Pattern.INCAST, Fraction.of(1)), "hotShare", Fraction.of(1), "targets", List.of(0)),
        Seeds.fixed(), "100 us");
    assertThat(traffic.from(0)).isZero();
    for (int from = 1; from < RANKS; from++) {
      assertThat(traffic.messages[from][0]).isPositive().isEqualTo(traffic.from(from));
    }
  }

  @Test
  void shouldSendToEveryOtherInTurnWhenAllToAll() {
    Traffic traffic = generate(Settings.of(Pattern.ALL_TO_ALL, Fraction.of(1)), Seeds.fixed(), "100 us");
    for (int from = 0; from < RANKS; from++) {
      int[] counts = traffic.messages[from];
      int self = from;
      int[] others = IntStream.range(0, RANKS).filter(to -> to != self).map(to -> counts[to]).toArray();
      assertThat(Arrays.stream(others).max().orElseThrow() - Arrays.stream(others).min().orElseThrow())
          .isLessThanOrEqualTo(1);
    }
  }

  @ParameterizedTest
  @CsvSource({"SHIFT, 1, 4", "SHIFT, 15, 2", "BIT_REVERSAL, 1, 8", "BIT_REVERSAL, 3, 12", "TRANSPOSE, 1, 4",
      "TRANSPOSE, 7, 13"})
  void shouldSendToOneRankWhenPatternIsFixed(Pattern pattern, int from, int to) {
    Traffic traffic = generate(with(Settings.of(pattern, Fraction.of(1)), "shift", 3), Seeds.fixed(), "100 us");
    assertThat(traffic.messages[from][to]).isPositive().isEqualTo(traffic.from(from));
  }

  @ParameterizedTest
  @CsvSource({"BIT_REVERSAL, 6", "BIT_REVERSAL, 9", "TRANSPOSE, 0", "TRANSPOSE, 5"})
  void shouldSendNothingWhenRankWouldSendToItself(Pattern pattern, int rank) {
    assertThat(generate(Settings.of(pattern, Fraction.of(1)), Seeds.fixed(), "100 us").from(rank)).isZero();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void shouldPermuteWithoutFixedPointsWhenPermutation(long seed) {
    Traffic traffic = generate(Settings.of(Pattern.PERMUTATION, Fraction.of(1)), seed, "100 us");
    for (int rank = 0; rank < RANKS; rank++) {
      int own = rank;
      assertThat(traffic.messages[rank][rank]).isZero();
      assertThat(Arrays.stream(traffic.messages[rank]).filter(count -> count > 0).count()).isOne();
      assertThat(IntStream.range(0, RANKS).filter(from -> traffic.messages[from][own] > 0).count()).isOne();
    }
  }

  @Test
  void shouldDrawAllDerangementsAlikeWhenDrawnOften() {
    int[] drawn = new int[256];
    RandomStream random = RandomStream.of(Seeds.fixed(), "test", "derangements");
    int draws = 90_000;
    for (int i = 0; i < draws; i++) {
      int code = 0;
      for (int image : DestinationPattern.derangement(4, random)) {
        code = code * 4 + image;
      }
      drawn[code]++;
    }
    int[] seen = Arrays.stream(drawn).filter(count -> count > 0).toArray();
    assertThat(seen).as("derangements of four, seed %s", Seeds.fixed()).hasSize(9);
    double sigma = Math.sqrt(draws * (1 / 9.0) * (8 / 9.0));
    for (int count : seen) {
      assertThat((double) count).isCloseTo(draws / 9.0, within(SIGMAS * sigma));
    }
  }

  @Test
  void shouldSayWhatPatternNeedsWhenClusterLacksIt() {
    TrafficWorkloadProvider provider = new TrafficWorkloadProvider();
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> provider.create(Settings.of(Pattern.C1, Fraction.of(1))).plan(Fabrics.oneNode(8)).ranks())
        .withMessageContaining("only one node");
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(
            () -> provider.create(Settings.of(Pattern.C5, Fraction.of(1))).plan(Fabrics.nodesOnStars(4, 1)).ranks())
        .withMessageContaining("alone of its kind");
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(
            () -> provider.create(Settings.of(Pattern.BIT_REVERSAL, Fraction.of(1))).plan(Fabrics.oneNode(6)).ranks())
        .withMessageContaining("6 ranks").withMessageContaining("such as 4");
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(
            () -> provider.create(Settings.of(Pattern.TRANSPOSE, Fraction.of(1))).plan(Fabrics.oneNode(8)).ranks())
        .withMessageContaining("8 ranks").withMessageContaining("such as 9");
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(
            () -> provider.create(with(Settings.of(Pattern.SHIFT, Fraction.of(1)), "shift", 8)).plan(Fabrics.oneNode(8))
                .ranks())
        .withMessageContaining("send to itself");
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> provider
            .create(
                with(Settings.of(Pattern.INCAST, Fraction.of(1)), "hotShare", Fraction.of(1), "targets", List.of(8)))
            .plan(Fabrics.oneNode(8)).ranks())
        .withMessageContaining("8 is no rank").withMessageContaining("0 to 7");
  }

  @Test
  void shouldRefuseToGenerateForEverWhenNothingEndsIt() {
    Workload workload = new TrafficWorkloadProvider().create(Settings.of(Pattern.UNIFORM, Fraction.of(1)));
    WorkloadContext endless =
        new WorkloadContext(CLUSTER, workload.plan(CLUSTER).ranks(), 1, SimTime.ofPs(Long.MAX_VALUE));
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> workload.plan(CLUSTER).program(0, endless))
        .withMessageContaining("run.measure");
  }
}
