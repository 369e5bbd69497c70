package dev.heddle.bench.track;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.bench.track.Comparison.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Figures worked out by hand. */
class IntervalTest {
  private static final double TINY = 1e-12;

  @Test
  void shouldTakeTheExtremesWhenRatiosAreFew() {
    // Six ratios: the extremes leave the median out if all lie on one side, 2 / 2^6; the middle two are 1 and 4.
    Interval six = Interval.of(new double[] {4, 0.5, 1, 8, 0.25, 16});
    assertThat(six).isEqualTo(new Interval(2, 0.25, 16, 1 - 2 / 64.0));
    // Five cover 1 - 2 / 32 only, which is below 95 %, and the coverage says so.
    assertThat(Interval.of(new double[] {1, 2, 3, 4, 5})).isEqualTo(new Interval(3, 1, 5, 0.9375));
    assertThat(Interval.of(new double[] {1.5})).isEqualTo(new Interval(1.5, 1.5, 1.5, 0));
  }

  @Test
  void shouldCutTheExtremesWhenRatiosAreMany() {
    // Eight: second lowest and highest would cover 1 - 2 (1 + 8) / 256 = 93 %; nine: 1 - 2 (1 + 9) / 512 = 96.1 %.
    Interval eight = Interval.of(new double[] {1, 2, 3, 4, 5, 6, 7, 8});
    assertThat(eight.low()).isEqualTo(1);
    assertThat(eight.coverage()).isCloseTo(1 - 2 / 256.0, within(TINY));
    Interval nine = Interval.of(new double[] {9, 8, 7, 6, 5, 4, 3, 2, 1});
    assertThat(nine.low()).isEqualTo(2);
    assertThat(nine.high()).isEqualTo(8);
    assertThat(nine.median()).isEqualTo(5);
    assertThat(nine.coverage()).isCloseTo(1 - 20 / 512.0, within(TINY));
  }

  @Test
  void shouldRefuseWhenThereIsNoRatio() {
    assertThatThrownBy(() -> Interval.of(new double[0])).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldPairWithinRoundsAndNeighboursOfTheSameBuild() {
    List<Double> build = List.of(10.0, 30.0, 33.0);
    List<Double> baseline = List.of(20.0, 22.0, 66.0);
    assertThat(Rounds.between(build, baseline)).containsExactly(0.5, 30 / 22.0, 0.5);
    // A B, B A, A B: neighbours are B of rounds one and two, then A of two and three.
    assertThat(Rounds.within(build, baseline)).containsExactly(22.0 / 20, 33.0 / 30);
    assertThat(Rounds.alone(build)).containsExactly(3, 1.1);
    assertThat(Rounds.median(List.of(3.0, 1.0, 2.0))).isEqualTo(2);
    assertThat(Rounds.median(List.of(4.0, 1.0, 2.0, 3.0))).isEqualTo(2.5);
  }

  @Test
  void shouldCallADifferenceWhenItExceedsTheSpreadOfABuildAgainstItself() {
    // Ratios of 0.8; neighbours of the same build differ by 10 %.
    List<Double> baseline = List.of(100.0, 110.0, 110.0, 100.0, 100.0, 110.0);
    List<Double> faster = baseline.stream().map(value -> 0.8 * value).toList();
    Comparison comparison = Comparison.of(faster, baseline);
    assertThat(comparison.spread()).isCloseTo(1.1, within(TINY));
    assertThat(comparison.verdict()).isEqualTo(Verdict.LESS);
    assertThat(Comparison.of(baseline, faster).verdict()).isEqualTo(Verdict.MORE);
    // 5 % in every round leaves 1 out of the interval, but is less than the 10 %.
    List<Double> little = baseline.stream().map(value -> 0.95 * value).toList();
    assertThat(Comparison.of(little, baseline).ratio().leavesOutOne()).isTrue();
    assertThat(Comparison.of(little, baseline).verdict()).isEqualTo(Verdict.NONE);
  }

  @Test
  void shouldCallNoDifferenceWhenTheIntervalHasOneOrRoundsAreFew() {
    List<Double> baseline = List.of(100.0, 100.0, 100.0, 100.0, 100.0, 100.0);
    List<Double> mixed = List.of(50.0, 50.0, 50.0, 50.0, 50.0, 101.0);
    assertThat(Comparison.of(mixed, baseline).verdict()).isEqualTo(Verdict.NONE);
    assertThat(Comparison.of(List.of(1.0, 1.0), List.of(9.0, 9.0)).verdict()).isEqualTo(Verdict.UNKNOWN);
  }
}
