package dev.heddle.hpl.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.fabric.Fabric;
import dev.heddle.hpl.CommunicationLayer;
import dev.heddle.hpl.HplProblem;
import dev.heddle.hpl.OriginalHplModel;
import dev.heddle.hpl.PanelBroadcast;
import dev.heddle.hpl.ProcessGrid;
import dev.heddle.hpl.RowSwap;
import dev.heddle.sim.Fidelity;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Accelerator.Vendor;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Precision;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.units.RandomStream;
import dev.heddle.units.SimTime;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HplWorkloadTest {
  private static final Accelerator H100 = new Accelerator(
      "H100", Vendor.NVIDIA, "hopper", 90, 132, DataSize.parse("80 GiB"), DataRate.parse("3350 GB/s"),
      Map.of(Precision.FP64, ComputeRate.parse("34 Tflop/s"), Precision.FP64_MATRIX, ComputeRate.parse("67 Tflop/s")));

  private static HplRun run(int rows, int columns, int depth) {
    return Runs.of(
        8192, 128, new ProcessGrid(rows, columns), depth, PanelBroadcast.RING, RowSwap.SPREAD_ROLL);
  }

  @Test
  void shouldTakeTheOperationsOfHplWhenOneProcessComputesAlone() {
    HplRun alone = Runs.of(20_480, 256, ProcessGrid.SINGLE, 0, PanelBroadcast.RING, RowSwap.SPREAD_ROLL);
    HplProblem problem = new HplProblem(20_480, 256, ProcessGrid.SINGLE);
    double simulated = Runs.seconds(Fabrics.oneNode(1), alone);
    assertThat(simulated).isCloseTo(problem.flops() / 1e12, Percentage.withPercentage(0.1));
    // The panel sum lets each update cover the panel's own rows and columns too: 2 NB N² operations more.
    CommunicationLayer nothing = new CommunicationLayer("none", 0, 0);
    double closed = OriginalHplModel.panelSum(problem, 1e-12, nothing).calculation();
    assertThat(closed - simulated).isCloseTo(2e-12 * 256 * 20_480 * 20_480, Percentage.withPercentage(5));
  }

  @Test
  void shouldShareTheWorkOutWhenProcessesAreMany() {
    double one = Runs.seconds(Fabrics.oneNode(1), run(1, 1, 1));
    double many = Runs.seconds(
        Fabrics.oneNode(16), run(4, 4, 1), HplTerm.PIVOT, HplTerm.BROADCAST, HplTerm.UPDATE);
    assertThat(one / many).isBetween(12.0, 16.0);
  }

  // Counted independently from the definition: the sender, the receiver and the messages of each panel.
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void shouldSendAsManyMessagesAsTheAlgorithmHasWhenRun(int depth) {
    int panels = 64;
    long broadcasts = (long) panels * 4 * 3;
    long pivots = (long) panels * 4 * 2;
    long updates = 0;
    for (int panel = 0; panel < panels; panel++) {
      for (int column = 0; column < 4; column++) {
        // A column with blocks behind the panels ahead updates them at once, and each block within on its own.
        int behind = 0;
        for (int block = panel + 1; block < panels; block++) {
          if (block % 4 == column) {
            if (block <= panel + depth) {
              updates++;
            } else {
              behind++;
            }
          }
        }
        updates += behind > 0 ? 1 : 0;
      }
    }
    double delivered = Runs.simulate(Fabrics.oneNode(16), run(4, 4, depth), Set.of())
        .metric("messages.delivered").orElseThrow().value();
    assertThat(delivered).isEqualTo(broadcasts + pivots + updates * (3 + 4));
  }

  /**
   * NB exchanges of a row each follow each other in a round [MCL-HPL eq. 1]; as many rounds as P has powers of two, and
   * two more for the processes beyond the largest: their rows come in before, and go out after.
   */
  @ParameterizedTest
  @CsvSource({"2, 1", "3, 3", "4, 2", "5, 4", "6, 4", "7, 4", "8, 3"})
  void shouldTakeARoundPerPowerOfTwoWhenPivotsAreExchanged(int rows, int rounds) {
    int panels = 64;
    HplRun run = Runs.of(
        128L * panels, 128, new ProcessGrid(rows, 1), 0, PanelBroadcast.RING, RowSwap.SPREAD_ROLL);
    Fabric fabric = Fabrics.oneNode(rows);
    // Two links of 128 Gb/s and 100 ns, each of which stores a row of 2 NB + 4 words, and a switch between.
    double row = 8 * (2 * 128 + 4) / 16e9;
    double round = 127 * 2 * (100e-9 + row) + 128 * row + fabric.routePs(0, 1) * 1e-12;
    // Messages of rows that do not wait for others' first or last round may be under way beside those rounds.
    double beside = Integer.bitCount(rows) == 1 ? 0 : 2 * 128 * row;
    assertThat(Runs.seconds(fabric, run, HplTerm.CALCULATION, HplTerm.UPDATE) / panels)
        .isBetween(0.98 * (rounds * round - beside), 1.02 * rounds * round);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void shouldNotTakeLongerWhenLookingAhead(long seed) {
    RandomStream random = RandomStream.of(seed, "hpl", "look-ahead");
    ProcessGrid grid = new ProcessGrid(1 + random.nextInt(3), 2 + random.nextInt(4));
    int blockSize = 64 * (1 + random.nextInt(3));
    long order = 4000 + random.nextInt(4000);
    double[] seconds = new double[3];
    for (int depth = 0; depth < 3; depth++) {
      HplRun one = Runs.of(order, blockSize, grid, depth, PanelBroadcast.RING_MODIFIED, RowSwap.SPREAD_ROLL);
      seconds[depth] = Runs.seconds(Fabrics.oneNode(grid.processes()), one);
    }
    assertThat(seconds[1]).as("seed %d, %s", seed, grid).isLessThan(seconds[0]);
    assertThat(seconds[2]).as("seed %d, %s", seed, grid).isLessThan(seconds[0]);
  }

  @ParameterizedTest
  @EnumSource(HplTerm.class)
  void shouldBeFasterWhenOneTermIsFree(HplTerm term) {
    HplRun run = run(4, 4, 0);
    assertThat(Runs.seconds(Fabrics.oneNode(16), run, term)).isLessThan(Runs.seconds(Fabrics.oneNode(16), run));
  }

  @ParameterizedTest
  @EnumSource(PanelBroadcast.class)
  void shouldTakeAboutAsLongAtEveryFidelityWhenNetworkIsAStar(PanelBroadcast broadcast) {
    HplRun run = Runs.of(3072, 128, new ProcessGrid(2, 4), 1, broadcast, RowSwap.SPREAD_ROLL)
        .with(Runs.kernels("200 Gflop/s"));
    double packet = Runs.seconds(Fabrics.oneNode(8), run, Fidelity.PACKET);
    double flow = Runs.seconds(Fabrics.oneNode(8), run, Fidelity.FLOW);
    assertThat(flow).isCloseTo(packet, Percentage.withPercentage(5));
    assertThat(Runs.seconds(Fabrics.oneNode(8), run, Fidelity.ANALYTIC)).isLessThanOrEqualTo(flow * 1.000001)
        .isCloseTo(flow, Percentage.withPercentage(15));
  }

  @Test
  void shouldMoveLessWhenRowsAreSpreadThanExchanged() {
    HplRun exchanged = Runs.of(
        8192, 128, new ProcessGrid(8, 2), 0, PanelBroadcast.RING, RowSwap.BINARY_EXCHANGE);
    assertThat(Runs.seconds(Fabrics.oneNode(16), exchanged, HplTerm.CALCULATION))
        .isGreaterThan(1.3 * Runs.seconds(Fabrics.oneNode(16), run(8, 2, 0), HplTerm.CALCULATION));
  }

  @Test
  void shouldKeepRowsWithinNodesWhenTheirPartOfTheGridIsARow() {
    HplRun filled = run(4, 4, 1);
    HplRun square = filled.with(new ProcessGrid(2, 2));
    assertThat(new HplWorkload(filled).plan(Fabrics.oneNode(16)).ranks()).startsWith(0, 1, 2, 3, 4, 5, 6, 7);
    // Nodes of 4 accelerators and a NIC: terminals 0 to 3, 5 to 8, and so on.
    assertThat(new HplWorkload(square).plan(Fabrics.nodesOnStars(4, 4)).ranks())
        .containsExactly(0, 1, 5, 6, 2, 3, 7, 8, 10, 11, 15, 16, 12, 13, 17, 18);
  }

  @Test
  void shouldSayWhatIsAllowedWhenGridOrMemoryDoNotFit() {
    HplWorkload wrong = new HplWorkload(run(4, 2, 1));
    assertThatThrownBy(() -> wrong.plan(Fabrics.oneNode(16)).ranks()).isInstanceOf(InvalidSettingException.class)
        .hasMessage("P x Q is 4 x 2 = 8, but there are 16 ranks; P x Q must be their number, such as 4 x 4");
    HplRun filled = run(4, 4, 1);
    HplRun three = filled.with(new ProcessGrid(1, 3));
    assertThatThrownBy(() -> new HplWorkload(three).plan(Fabrics.nodesOnStars(4, 4)).ranks())
        .hasMessageContaining("must hold a node's 4 accelerators and divide P x Q, 4 x 4");
    KernelSettings unknown = new KernelSettings(Optional.empty(), Fraction.of(1), 128, SimTime.ZERO, SimTime.ZERO);
    assertThatThrownBy(() -> new HplWorkload(filled.with(unknown)).plan(Fabrics.oneNode(16)).ranks())
        .hasMessageContaining("does not say how fast its accelerators are");
  }

  @Test
  void shouldTakeTheMatrixUnitsPeakWhenTheAcceleratorHasThem() {
    KernelSettings settings = new KernelSettings(
        Optional.empty(), Fraction.of(0.9), 128, SimTime.parse("5 us"), SimTime.ZERO);
    Kernels kernels = Kernels.of(settings, Optional.of(H100));
    assertThat(kernels.sustainedFlops()).isCloseTo(0.9 * 67e12, Percentage.withPercentage(1e-9));
    // A large product is near the sustained rate, a narrow one limited by memory, a small one by its few compute units.
    assertThat(2.0 * 60_000 * 60_000 * 1024 / kernels.product(60_000, 60_000, 1024) * 1e12)
        .isBetween(0.97 * 0.9 * 67e12, 0.9 * 67e12);
    assertThat(kernels.product(60_000, 60_000, 8)).isGreaterThan((long) (1e12 * 16.0 * 60_000 * 60_000 / 3.35e12));
    assertThat(kernels.product(128, 128, 1024)).isGreaterThan(132L * (long) (1e12 * 2 * 128 * 128 * 1024 / 67e12));
    assertThat(kernels.product(0, 128, 128)).isZero();
  }

  /**
   * 1000 rows at 1 Gflop/s with 1 us a kernel, and 1 TB/s. Eight columns down to two: a product of 1000 x 4 x 4, two of
   * 1000 x 2 x 2, eight columns of 16 kB. Seven down to one: products of 3 (9 pairs), 2 x 2 and 4 x 1, seven columns of
   * 8 kB.
   */
  @ParameterizedTest
  @CsvSource({"8, 2, 59128", "7, 1, 56056", "2, 2, 2032", "1, 1, 1008"})
  void shouldHalveAPanelDownToItsStopWhenItIsFactorised(int columns, int stop, long nanoseconds) {
    KernelSettings settings = new KernelSettings(
        Optional.empty(), Fraction.of(1), 1, SimTime.parse("1 us"), SimTime.ZERO);
    Kernels kernels = Kernels.of(settings, ComputeRate.parse("1 Gflop/s"), DataRate.parse("1 TB/s"));
    assertThat(kernels.factorise(1000, columns, stop)).isEqualTo(1000 * nanoseconds);
    assertThat(kernels.factorise(0, columns, stop)).isZero();
    assertThat(kernels.solve(10, 100)).as("k² n operations").isEqualTo(101_000_000);
    assertThat(kernels.solve(0, 100)).isZero();
    assertThat(kernels.product(10, 0, 5)).isZero();
  }
}
