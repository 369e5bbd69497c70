package dev.heddle.kernel.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.units.RandomStream;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of exchanges among experts against closed forms and published rates. */
class ExchangeModelTest {
  private static final ExchangeModels MODELS = ExchangeModels.bundled();

  @ParameterizedTest
  @CsvSource({"2, 1.993", "4, 3.614", "8, 5.295", "16, 6.523", "64, 7.676", "256, 8"})
  void shouldExpectPartsHitAsCombinatoricsSays(int parts, double expected) {
    assertThat(ExchangeLoad.partsHit(parts, 256, 8)).isCloseTo(expected, within(1e-3));
  }

  @ParameterizedTest
  @CsvSource({"DISPATCH, 7392, 153, 200", "COMBINE, 14336, 158, 200"})
  void shouldReachTheRateThatDeepEpStatesOnH800(ExchangeStep step, double bytes, double gigabytes, double nvlink) {
    // 4,096 tokens of 7,168 in at most four groups of 32 experts each: 8 ranks, 20 multiprocessors.
    double copies = 4;
    ExchangeLoad load = new ExchangeLoad(4096, bytes, copies, 1, 256);
    double seconds = model(ExchangeKernel.DEEPEP_NORMAL, step)
        .seconds(load, new ExchangeSite(1, 8, 132, 20, 1e9 * nvlink, 50e9));
    assertThat(load.totalBytes() / seconds / 1e9).isCloseTo(gigabytes, within(0.25 * gigabytes));
  }

  @Test
  void shouldTakeTheTimeOfTheWireWhenManyTokensLeaveTheNode() {
    ExchangeLoad load = new ExchangeLoad(1 << 20, 7472, 7.27, 3.614, 256);
    double seconds = model(ExchangeKernel.DEEPEP_NORMAL, ExchangeStep.DISPATCH)
        .seconds(load, new ExchangeSite(4, 8, 132, 132, 450e9, 50e9));
    assertThat(seconds).isCloseTo((1 << 20) * 3.614 * 0.75 * 7472 / (0.95 * 50e9), within(0.01 * seconds));
  }

  // 256 experts on 132 multiprocessors are 128 blocks of two; a link without limit and no start leave their steps.
  @ParameterizedTest
  @CsvSource({"1, 1", "128, 1", "129, 2", "256, 2", "1025, 9"})
  void shouldTakeWholeTokensOfABlockInTurnWhenLatencyIsLow(int tokens, int steps) {
    ExchangeModel model = model(ExchangeKernel.DEEPEP_LOW_LATENCY, ExchangeStep.DISPATCH)
        .with(Map.of(ExchangeCost.TOKEN, 2000.0, ExchangeCost.BYTE, 100.0, ExchangeCost.LINK, 1.0));
    double seconds = model.seconds(new ExchangeLoad(tokens, 10_000, 8, 1, 256),
        new ExchangeSite(1, 8, 132, 132, 1e30, 50e9));
    assertThat(seconds).isCloseTo(steps * 3e-6, within(1e-15));
  }

  @Test
  void shouldNeverBeFasterWithMoreTokensOrSlowerLinks() {
    long seed = 22;
    RandomStream random = RandomStream.of(seed, "exchanges", "properties");
    for (int i = 0; i < 2000; i++) {
      ExchangeModels.Entry entry = MODELS.entries().get(random.nextInt(MODELS.entries().size()));
      boolean domain = entry.model().kernel().name().startsWith("NVLINK");
      int nodes = domain ? 1 : 1 << random.nextInt(4);
      ExchangeSite site = new ExchangeSite(nodes, 8, 148, 2 * (1 + random.nextInt(12)), 900e9, 50e9);
      ExchangeSite slower = new ExchangeSite(nodes, 8, 148, site.channelUnits(), 450e9, 25e9);
      ExchangeLoad load = new ExchangeLoad(1 + random.nextInt(100_000), 512 + random.nextInt(15_000), 8,
          Math.min(nodes, 4), 256);
      ExchangeLoad more = new ExchangeLoad(load.tokens() + 1, load.bytes(), 8, load.nodeCopies(), 256);
      double seconds = entry.model().seconds(load, site);
      assertThat(seconds).as("seed %d, case %d", seed, i).isPositive()
          .isLessThanOrEqualTo(entry.model().seconds(more, site))
          .isLessThanOrEqualTo(entry.model().seconds(load, slower));
    }
  }

  @Test
  void shouldStartInTheSameTimeWhenThereIsOneToken() {
    ExchangeModel model = model(ExchangeKernel.NVLINK_TWO_SIDED, ExchangeStep.DISPATCH)
        .with(Map.of(ExchangeCost.START, 10.0, ExchangeCost.HOP, 2.0, ExchangeCost.LINK, 1.0));
    double seconds = model.seconds(new ExchangeLoad(1, 1, 1, 1, 8), new ExchangeSite(1, 8, 1, 1, 1e12, 1e9));
    assertThat(seconds).isCloseTo(16e-6, within(1e-11));
  }

  @Test
  void shouldNameTheLineWhenConstantsAreMalformed() {
    String head = "kernel,step,cost,value,basis\n";
    assertThatThrownBy(() -> ExchangeModels.parse("c.csv", head + "deepep-normal,dispatch,stat,1,fitted\n"))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("c.csv:2: cost is 'stat'");
    assertThatThrownBy(() -> ExchangeModels.parse("c.csv", head + "deepep-normal,dispatch,start,0,fitted\n"))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("value is '0'");
    assertThatThrownBy(() -> MODELS.get(ExchangeKernel.DEEPEP_NORMAL, ExchangeStep.PREPARE))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("deepep-normal has no step prepare");
  }

  private static ExchangeModel model(ExchangeKernel kernel, ExchangeStep step) {
    return MODELS.get(kernel, step).model();
  }
}
