package dev.heddle.hpl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.units.DataSize;
import dev.heddle.units.RandomStream;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds the closed forms against sums over panels, against each other, and against figures of the paper's text. */
class HplModelTest {
  private static final double GAMMA = 1 / 7.45e12;
  private static final CommunicationLayer NETWORK = new CommunicationLayer("network", 1e-6, 0.3e-9);

  // [MCL-HPL §4.1, Table 5]: P100 of 4 stacks of 1024 bits, 732.2 GB/s, 3584 lanes at 1.328 GHz, 1029 cycles.
  private static final EquivalentAccelerator P100 =
      new EquivalentAccelerator(64, 732.2e9 / 8 / 64, 3584, 1.328e9, 1);

  private static LayerExtent whole(CommunicationLayer layer) {
    return new LayerExtent(layer, ProcessGrid.SINGLE);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void shouldReduceToThePanelSumWhenLayeredModelHasOneLayer(long seed) {
    RandomStream random = RandomStream.of(seed, "hpl", "one layer");
    int nb = 1 + random.nextInt(500);
    HplProblem problem = new HplProblem(
        nb + (long) random.nextInt(200_000), nb,
        new ProcessGrid(1 + random.nextInt(64), 1 + random.nextInt(64)));
    HplTime sum = OriginalHplModel.panelSum(problem, GAMMA, NETWORK);
    HplTime layered = LayeredHplModel.time(problem, GAMMA, List.of(whole(NETWORK)));
    assertThat(layered.calculation()).as("seed %d, %s", seed, problem)
        .isCloseTo(sum.calculation(), Percentage.withPercentage(1e-6));
    // Equation 27's four words of header per column are all that equation 1 lacks.
    double rounds = Math.log(problem.grid().rows()) / Math.log(2);
    double headers = 4 * NETWORK.beta() * problem.paddedOrder() * rounds;
    assertThat(layered.communication() - headers).as("seed %d, %s", seed, problem)
        .isCloseTo(sum.communication(), Percentage.withPercentage(1e-6));
    assertThat(layered.layers().get(0).broadcast())
        .isCloseTo(sum.layers().get(0).broadcast(), Percentage.withPercentage(1e-6));
  }

  // Term by term as printed: T = gamma 2N³/3PQ + alpha N((NB + 1) log P + P)/NB + beta N²(3P + Q)/2PQ.
  @ParameterizedTest
  @ValueSource(longs = {21, 22, 23, 24})
  void shouldBeEquationThreeWhenFormIsClosed(long seed) {
    RandomStream random = RandomStream.of(seed, "hpl", "equation 3");
    double nb = 2 + random.nextInt(500);
    double n = nb + random.nextInt(200_000);
    double p = 2 + random.nextInt(64);
    double q = 2 + random.nextInt(64);
    HplProblem problem = new HplProblem((long) n, (int) nb, new ProcessGrid((int) p, (int) q));
    double log = Math.log(p) / Math.log(2);

    HplTime time = OriginalHplModel.closedForm(problem, GAMMA, NETWORK);

    assertThat(time.calculation()).as("seed %d", seed)
        .isCloseTo(GAMMA * 2 * n * n * n / (3 * p * q), Percentage.withPercentage(1e-9));
    assertThat(time.communication()).as("seed %d", seed).isCloseTo(
        NETWORK.alpha() * n * ((nb + 1) * log + p) / nb + NETWORK.beta() * n * n * (3 * p + q) / (2 * p * q),
        Percentage.withPercentage(1e-9));
    assertThat(OriginalHplModel.closedForm(problem, GAMMA, new CommunicationLayer("latency", 1e-6, 0))
        .communication()).isCloseTo(1e-6 * n * ((nb + 1) * log + p) / nb, Percentage.withPercentage(1e-9));
  }

  @Test
  void shouldApproachTheOriginalClosedFormWhenOrderGrows() {
    double before = Double.POSITIVE_INFINITY;
    for (long order = 100_000; order <= 100_000_000; order *= 10) {
      HplProblem problem = new HplProblem(order, 100, new ProcessGrid(8, 4));
      double original = OriginalHplModel.closedForm(problem, GAMMA, NETWORK).seconds();
      double layered = LayeredHplModel.time(problem, GAMMA, List.of(whole(NETWORK))).seconds();
      double difference = Math.abs(layered / original - 1);
      assertThat(difference).isLessThan(before / 5);
      before = difference;
    }
    assertThat(before).isLessThan(1e-4);
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14})
  void shouldAddUpToOneLayerWhenLinearTermsOfEqualLayersAreSplit(long seed) {
    RandomStream random = RandomStream.of(seed, "hpl", "split");
    CommunicationLayer latency = new CommunicationLayer("latency", 1e-6 * (1 + random.nextInt(50)), 0);
    HplProblem problem = new HplProblem(200_000 + random.nextInt(1_000_000), 256, new ProcessGrid(16, 8));
    HplTime one = LayeredHplModel.time(problem, GAMMA, List.of(whole(latency)));
    HplTime four = LayeredHplModel.time(problem, GAMMA, List.of(
        new LayerExtent(latency, problem.grid()), new LayerExtent(latency, new ProcessGrid(4, 4)),
        new LayerExtent(latency, new ProcessGrid(2, 2)), whole(latency)));
    assertThat(four.layers()).hasSize(4);
    assertThat(four.communication()).as("seed %d", seed)
        .isCloseTo(one.communication(), Percentage.withPercentage(1e-9));
    assertThat(four.calculation()).isEqualTo(one.calculation());
  }

  @Test
  void shouldComputeByHandWhenProblemIsTiny() {
    // N = 4, NB = 2, P = Q = 2, gamma = beta = 1, alpha = 10: panels at 4 and 2.
    HplProblem problem = new HplProblem(4, 2, new ProcessGrid(2, 2));
    CommunicationLayer unit = new CommunicationLayer("unit", 10, 1);
    HplTime time = LayeredHplModel.time(problem, 1, List.of(whole(unit)));
    // Factorising: 4 (2/2 - 2/3) + 4 (0 - 2/3); updating: 4·4/2 + 2·16·2/4 and 2·4/2 + 2·4·2/4.
    assertThat(time.calculation()).isCloseTo(4.0 / 3 - 8.0 / 3 + 8 + 16 + 4 + 4, within(1e-12));
    assertThat(time.layers().get(0).pivot()).isEqualTo(4 * (10 + 8));
    assertThat(time.layers().get(0).broadcast()).isEqualTo(10 + 2 + 10);
    assertThat(time.layers().get(0).update()).isEqualTo((20 + 12) + (20 + 6));
    assertThat(time.flops()).isCloseTo(2 * 64 / 3.0 + 24, within(1e-12));
    assertThat(time.flopsPerSecond()).isCloseTo(time.flops() / (time.calculation() + 72 + 22 + 58), within(1e-12));
  }

  @Test
  void shouldMatchThePrintedRatesWhenP100IsSeenAsOneCore() {
    assertThat(8 * P100.wordsPerSecondPerCore()).isCloseTo(204e6, Percentage.withPercentage(0.5));
    assertThat(8 * P100.equivalentWordsPerSecond()).isCloseTo(13e9, Percentage.withPercentage(1));
    assertThat(P100.peakFlops()).isCloseTo(4759.6e9, Percentage.withPercentage(0.01));
  }

  @Test
  void shouldMatchThePrintedPerformanceWhenP100HasTheSumOfItsMemoryRates() {
    HplProblem problem = new HplProblem(44_000, 768, ProcessGrid.SINGLE);
    CommunicationLayer memory = P100.simpleMemory("HBM2", 1029);
    HplTime time = LayeredHplModel.time(problem, 1 / P100.peakFlops(), List.of(whole(memory)));
    assertThat(time.flopsPerSecond()).isCloseTo(4347e9, Percentage.withPercentage(0.01));
    assertThat(time.differencePct(3882e9)).isCloseTo(
        100 * (time.flopsPerSecond() / 3882e9 - 1), within(1e-9));
  }

  @Test
  void shouldPadToWholeBlocksWhenBoundariesAreDrawn() {
    HplProblem problem = new HplProblem(1001, 100, new ProcessGrid(4, 3));
    assertThat(problem.paddedOrder()).isEqualTo(1100);
    assertThat(problem.boundary(4)).isEqualTo(300);
    assertThat(problem.boundary(3)).isEqualTo(400);
    assertThat(problem.boundary(1)).isEqualTo(1100);
    assertThat(problem.bytesPerProcess()).isEqualTo(DataSize.ofBytes(8 * 300 * 400));
  }

  @Test
  void shouldFindTheSquarestGridWhenProcessesAreFactorised() {
    assertThat(ProcessGrid.tall(27_648)).isEqualTo(new ProcessGrid(192, 144));
    assertThat(ProcessGrid.wide(4608)).isEqualTo(new ProcessGrid(64, 72));
    assertThat(ProcessGrid.tall(7)).isEqualTo(new ProcessGrid(7, 1));
    assertThat(ProcessGrid.tall(1)).isEqualTo(ProcessGrid.SINGLE);
  }

  @Test
  void shouldSayWhatIsAllowedWhenInputIsBad() {
    assertThatThrownBy(() -> new HplProblem(1000, 0, ProcessGrid.SINGLE)).isInstanceOf(InvalidSettingException.class)
        .hasMessage("NB is 0; it must be 1 to N (1000), usually 128 to 1024");
    assertThatThrownBy(() -> new HplProblem(0, 1, ProcessGrid.SINGLE)).hasMessageContaining("N is 0");
    assertThatThrownBy(() -> new ProcessGrid(0, 4)).hasMessageContaining("0 x 4");
    assertThatThrownBy(() -> new ProcessGrid(4, 4).requireProcesses(12))
        .hasMessage("P x Q is 4 x 4 = 16, but there are 12 ranks; P x Q must be their number, such as 3 x 4");
    assertThatThrownBy(() -> new CommunicationLayer("x", -1, 0)).hasMessageContaining("alpha of x is -1.0 s");
    assertThatThrownBy(() -> new EquivalentAccelerator(0, 1, 1, 1, 1)).hasMessageContaining("must be positive");
    HplProblem problem = new HplProblem(100_000, 100, new ProcessGrid(2, 2));
    assertThatThrownBy(() -> LayeredHplModel.time(problem, 1, List.of(new LayerExtent(NETWORK, problem.grid()))))
        .hasMessageContaining("outermost");
    assertThatThrownBy(() -> LayeredHplModel.time(problem, 1, List.of())).hasMessageContaining("outermost");
  }

  @Test
  void shouldNameAnOrderThatFitsWhenMemoryIsTooSmall() {
    HplProblem large = new HplProblem(200_000, 100, new ProcessGrid(2, 2));
    DataSize memory = DataSize.ofKiB(16L << 20);
    assertThatThrownBy(() -> large.requireMemory(memory)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("an N that fits is 92600");
    new HplProblem(92_600, 100, new ProcessGrid(2, 2)).requireMemory(memory);
  }
}
