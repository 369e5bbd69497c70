package dev.heddle.collectives.oneccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.units.DataSize;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds the closed forms against the arithmetic of [ALCF]'s equations, done here by hand with decimal gigabytes. */
class ClosedFormTest {
  private static final NodeRates MEASURED = preset("{preset: aurora-rates-measured}");
  private static final NodeRates RATED = preset("{preset: aurora-rates-rated}");
  private static final DataSize TWO = DataSize.parse("2 GB");
  private static final DataSize SMALLER = DataSize.parse("0.875 GB");
  private static final Offset<Double> EXACT = within(1e-9);

  private static NodeRates preset(String text) {
    try (Registry registry = Registry.discover(ClosedFormTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).record(NodeRates.class, "rates", text);
    }
  }

  @Test
  void shouldFollowEquation1WhenEveryRankTakesTheWholeWay() {
    AllReduceTime time = NaiveAllReduce.between(MEASURED, MEASURED.ranks(2, 1), 1, TWO);
    double once = 2.0 / 55 + 2.0 / 55 + 2.0 / 23 + 2.0 / 55 + 2.0 / 1024;
    assertThat(time.seconds()).isCloseTo(once * 2, EXACT);
    assertThat(time.scaleOut()).isCloseTo(4.0 / 23, EXACT);
    assertThat(time.hostCopy()).isCloseTo(12.0 / 55, EXACT);
  }

  @Test
  void shouldFollowEquation7WhenTwoRanksShareOneXeLink() {
    AllReduceTime time = NaiveAllReduce.within(MEASURED, MEASURED.ranks(1, 2), 1, SMALLER);
    assertThat(time.seconds()).isCloseTo(2 * (0.875 / 15 + 0.875 / 1024), EXACT);
  }

  @Test
  void shouldGrowWithRanksAndFallWithLinksWhenPathIsNaive() {
    double two = NaiveAllReduce.between(MEASURED, MEASURED.ranks(2, 1), 1, TWO).seconds();
    assertThat(NaiveAllReduce.between(MEASURED, MEASURED.ranks(4, 1), 1, TWO).seconds()).isCloseTo(3 * two, EXACT);
    assertThat(NaiveAllReduce.between(MEASURED, MEASURED.ranks(2, 1), 2, TWO).seconds()).isCloseTo(two / 2, EXACT);
  }

  @Test
  void shouldFollowEquation5WhenFourRanksShareANode() {
    AllReduceTime time = ScaleUpScaleOut.between(MEASURED, MEASURED.ranks(2, 4), TWO, false);
    assertThat(time.xeLink()).isCloseTo(2 * (2.0 / 2) / (2 * 15), EXACT);
    assertThat(time.scaleOut()).isCloseTo(2 * 2.0 / (0.8 * 4 * 23) / 2, EXACT);
    assertThat(time.mdfi() + time.hostCopy() + time.reduction()).isZero();
  }

  @Test
  void shouldAddFourCopiesWhenEquation6SpeaksOfTheHost() {
    double without = ScaleUpScaleOut.between(MEASURED, MEASURED.ranks(2, 12), TWO, false).seconds();
    AllReduceTime with = ScaleUpScaleOut.between(MEASURED, MEASURED.ranks(2, 12), TWO, true);
    assertThat(with.hostCopy()).isCloseTo(4 * 2.0 / (12 * 42), EXACT);
    assertThat(with.seconds()).isCloseTo(without + with.hostCopy(), EXACT);
  }

  @Test
  void shouldUseMdfiWhenTwoRanksShareOneGpu() {
    AllReduceTime time = ScaleUpScaleOut.between(MEASURED, MEASURED.ranks(2, 2), TWO, false);
    assertThat(time.mdfi()).isCloseTo(2.0 / 196, EXACT);
    assertThat(time.reduction()).isCloseTo(1.0 / 1024, EXACT);
    assertThat(time.xeLink()).isZero();
  }

  @Test
  void shouldFollowEquation10WhenOneNodeIsAlone() {
    AllReduceTime twelve = ScaleUpScaleOut.within(MEASURED, MEASURED.ranks(1, 12), SMALLER);
    double share = 0.875 / 12;
    assertThat(twelve.seconds()).isCloseTo(2 * share / 15 + 2 * share / 196 + share / 1024, EXACT);
    assertThat(ScaleUpScaleOut.within(MEASURED, MEASURED.ranks(1, 1), SMALLER).seconds()).isZero();
  }

  @Test
  void shouldBeFasterWithRatedFiguresThanWithMeasuredOnes() {
    for (int ranks : new int[] {1, 2, 4, 12}) {
      assertThat(ScaleUpScaleOut.between(RATED, RATED.ranks(4, ranks), TWO, true).seconds())
          .isLessThan(ScaleUpScaleOut.between(MEASURED, MEASURED.ranks(4, ranks), TWO, true).seconds());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 3, 11, 13, 14})
  void shouldSayHowManyRanksFitWhenANodeCannotPlaceThem(int ranks) {
    assertThatThrownBy(() -> MEASURED.ranks(2, ranks)).isInstanceOf(InvalidSettingException.class)
        .hasMessage(ranks + " ranks do not fit on a node of 6 GPUs of 2 tiles; 1, or an even number up to 12, do");
  }

  @Test
  void shouldRefuseWhatTakesNoPart() {
    assertThatThrownBy(() -> MEASURED.ranks(0, 2)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("at least 1");
    assertThatThrownBy(() -> ScaleUpScaleOut.between(MEASURED, MEASURED.ranks(2, 2), DataSize.ZERO, false))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("at least 1 B");
    assertThatThrownBy(() -> ScaleUpScaleOut.within(MEASURED, MEASURED.ranks(1, 2), DataSize.ZERO))
        .isInstanceOf(InvalidSettingException.class);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NaiveAllReduce.within(MEASURED, MEASURED.ranks(1, 2), 0, TWO));
  }

  @Test
  void shouldNameTheFigureThatASetMisses() {
    assertThatThrownBy(() -> preset(
        "{gpus: 6, tiles: 2, mdfi: 196 GB/s, nics: 8, nic: 23 GB/s, pcie: 42 GB/s, device-to-host: 55 GB/s, "
            + "host-to-switch: 55 GB/s, reduction: 1024 GB/s}"))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("xe-link");
  }
}
