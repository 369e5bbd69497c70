package dev.heddle.hpl.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.hpl.HplProblem;
import dev.heddle.hpl.HplSystem;
import dev.heddle.hpl.LayerReach;
import dev.heddle.hpl.LayerSettings;
import dev.heddle.hpl.ProcessGrid;
import dev.heddle.hpl.RateSharing;
import dev.heddle.hpl.run.KernelSettings;
import dev.heddle.hpl.run.Kernels;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Accelerator.Vendor;
import dev.heddle.spi.Precision;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HplTunerTest {
  private static final Accelerator A100 = new Accelerator(
      "A100", Vendor.NVIDIA, "ampere", 80, 108, DataSize.parse("40 GiB"), DataRate.parse("1555 GB/s"),
      Map.of(Precision.FP64_MATRIX, ComputeRate.parse("19.5 Tflop/s")));
  private static final Kernels KERNELS = Kernels.of(
      new KernelSettings(Optional.empty(), Fraction.of(0.87), 128, SimTime.parse("5 us"), SimTime.ZERO),
      Optional.of(A100));

  private static HplSystem system(int nodes, int perNode) {
    LayerSettings network = new LayerSettings(
        "network", LayerReach.SYSTEM, SimTime.parse("2 us"), DataRate.parse("25 GB/s"), RateSharing.NONE, 1);
    LayerSettings memory = new LayerSettings(
        "memory", LayerReach.DEVICE, SimTime.parse("1 us"), DataRate.parse("1555 GB/s"), RateSharing.NONE, 1);
    return new HplSystem(
        nodes, perNode, ComputeRate.parse("17 Tflop/s"), 384, network, List.of(memory, network));
  }

  @Test
  void shouldFindNothingBetterWhenEverySmallChoiceIsTried() {
    DataSize memory = DataSize.parse("36 GiB");
    HplSystem system = system(2, 4);
    HplTuner.Choice best = new HplTuner(system, KERNELS, memory).best(1).get(0);
    best.problem().requireMemory(memory);
    for (int rows : new int[] {1, 2, 4, 8}) {
      for (int blockSize = 64; blockSize <= 2048; blockSize *= 2) {
        ProcessGrid grid = new ProcessGrid(rows, 8 / rows);
        for (long order = best.problem().order() / 4; order <= best.problem().order(); order += 8192) {
          HplProblem other = new HplProblem(order, blockSize, grid);
          ComputeRate rate = new ComputeRate(Math.round(
              KERNELS.productFlops(3 * order / 4 / rows, 3 * order / 4 * rows / 8, blockSize)));
          assertThat(system.with(rate, blockSize).layered(other).flopsPerSecond()).as("%s", other)
              .isLessThanOrEqualTo(best.time().flopsPerSecond() * 1.0001);
        }
      }
    }
  }

  @Test
  void shouldFillTheMemoryWhenTuned() {
    DataSize memory = DataSize.parse("36 GiB");
    for (HplTuner.Choice choice : new HplTuner(system(16, 8), KERNELS, memory).best(10)) {
      assertThat(choice.problem().grid().processes()).isEqualTo(128);
      assertThat((double) choice.problem().bytesPerProcess().bytes()).isBetween(0.9 * memory.bytes(),
          1.0 * memory.bytes());
      assertThat(choice.problem().order() % choice.problem().blockSize()).isZero();
    }
  }

  // The beta term of the closed form is N² (3P + Q) / 2PQ, which is least for Q = 3P; pivots favour slightly fewer
  // rows.
  @Test
  void shouldChooseWideGridsWhenTheNetworkDecides() {
    for (int nodes : new int[] {8, 32, 128, 512}) {
      ProcessGrid grid = new HplTuner(system(nodes, 6), KERNELS, DataSize.parse("36 GiB")).best(1).get(0)
          .problem().grid();
      assertThat((double) grid.columns() / grid.rows()).as("grid %s of %d nodes", grid, nodes).isBetween(2.0, 5.5);
    }
  }

  @Test
  void shouldOfferALineWhenProcessesArePrime() {
    assertThat(new HplTuner(system(7, 1), KERNELS, DataSize.parse("36 GiB")).best(5))
        .extracting(choice -> choice.problem().grid().processes()).containsOnly(7);
    assertThatThrownBy(() -> new HplTuner(system(7, 1), KERNELS, DataSize.parse("1 KiB")).best(5))
        .hasMessageContaining("no matrix fits into 1 KiB of each of 7 devices");
  }
}
