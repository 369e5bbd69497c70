package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.units.RandomStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Tests of the resources that kernels ask for, against counts by hand. */
class DemandsTest {
  private static final GpuCatalog GPUS = GpuCatalog.bundled();

  private static Demand demand(String gpu, KernelKind kind, NumberFormat format, String variant, double... sizes) {
    return Demands.of(GPUS.get(gpu), kind, format, variant, sizes);
  }

  // 3 x 16384^2 elements of 2 bytes at 0.86 of 2039 GB/s; 512^2 fit the cache even in five copies.
  @Test
  void shouldMoveWhatTheCacheDoesNotHold() {
    double bytes = 3 * 16384.0 * 16384 * 2;
    assertThat(demand("a100", KernelKind.GEMM, NumberFormat.BF16, "", 16384, 16384, 16384).memory())
        .isCloseTo(bytes / (0.86 * 2039e9), within(1e-6));
    assertThat(demand("a100", KernelKind.GEMM, NumberFormat.BF16, "", 512, 512, 512).memory()).isLessThan(1e-9);
  }

  // 108 tiles of 128 fill A100 once; one more takes another wave of all multiprocessors.
  @Test
  void shouldCountWaves() {
    double one = demand("a100", KernelKind.GEMM, NumberFormat.BF16, "", 128 * 108, 128, 4096).work()[1];
    double two = demand("a100", KernelKind.GEMM, NumberFormat.BF16, "", 128 * 109, 128, 4096).work()[1];
    assertThat(two).isCloseTo(2 * one, within(1e-12));
  }

  // 32 heads of 4096: tiles of 128 below and on the diagonal are 32 x 33 / 2; each pair takes an exponential, of which
  // a multiprocessor of H100 has 16 a clock, and 4 x 128 operations.
  @Test
  void shouldCountTilesBelowTheDiagonal() {
    double pairs = 32 * 32 * 33 / 2.0 * 128 * 128;
    GpuSpec h100 = GPUS.get("h100");
    double each = 512 / h100.reached(NumberFormat.BF16) + 1 / (16 * 132 * 1830e6);
    assertThat(demand("h100", KernelKind.ATTENTION_FORWARD, NumberFormat.BF16, "", 1, 32, 8, 4096, 4096, 128, 128)
        .work()[2]).isCloseTo(pairs * each, within(1e-9));
    double full = demand("h100", KernelKind.ATTENTION_FULL_FORWARD, NumberFormat.BF16, "", 1, 32, 8, 4096, 4096, 128,
        128).work()[2];
    assertThat(full / (pairs * each)).isCloseTo(32 / 16.5, within(1e-9));
  }

  // 64 choices among 128 experts: balanced ones take 64 experts' weights, those of a power law fewer.
  @Test
  void shouldReadTheWeightsOfActiveExperts() {
    double balanced =
        demand("a100", KernelKind.EXPERTS, NumberFormat.BF16, "", 8, 4096, 1536, 8, 128, 1, 1, 0).memory();
    assertThat(balanced).isCloseTo(64 * 3 * 4096.0 * 1536 * 2 / (0.86 * 2039e9), within(1e-5));
    double uneven =
        demand("a100", KernelKind.EXPERTS, NumberFormat.BF16, "", 8, 4096, 1536, 8, 128, 1, 1, 120).memory();
    assertThat(uneven / balanced).isBetween(0.4, 0.9);
  }

  @Test
  void shouldTellKernelsOfALayerApart() {
    double[] sizes = {4, 4096, 4096, 64, 128};
    double convolution = demand("h100", KernelKind.MAMBA2, NumberFormat.BF16, "x-causal-conv1d-fn", sizes).memory();
    double update = demand("h100", KernelKind.MAMBA2, NumberFormat.BF16, "x-causal-conv1d-update", sizes).memory();
    assertThat(update).isLessThan(convolution / 100);
    assertThat(demand("h100", KernelKind.MAMBA2, NumberFormat.BF16, "another", sizes).coefficients()).isPositive();
  }

  @Test
  void shouldBePositiveAndFiniteOnAllAccelerators() {
    RandomStream random = RandomStream.of(11, "demands", "of all kinds");
    for (KernelKind kind : KernelKind.values()) {
      for (GpuSpec gpu : GPUS.gpus()) {
        double[] sizes = new double[kind.sizes().size()];
        for (int i = 0; i < sizes.length; i++) {
          sizes[i] = kind.mayBeZero(i) ? 100 : 1 << random.nextInt(9);
        }
        Demand demand = Demands.of(gpu, kind, NumberFormat.BF16, "", sizes);
        assertThat(demand.start()).as("%s on %s", kind, gpu).isBetween(0.5e-6, 2e-6);
        assertThat(demand.memory()).isNotNegative().isFinite();
        assertThat(Arrays.stream(demand.work()).allMatch(each -> each >= 0 && each < 1e6)).as("%s on %s", kind, gpu)
            .isTrue();
      }
    }
  }
}
