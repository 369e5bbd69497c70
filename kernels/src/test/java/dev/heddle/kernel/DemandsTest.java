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

  // Queries and results move twice, keys and values three times: half of it has to fit a cache of one part, all of it
  // one of two.
  @Test
  void shouldHoldWhatMovesTwiceOnce() {
    double moved = 16 * 4096.0 * 128 * (8 * 32 + 12 * 8);
    double[] sizes = {16, 32, 8, 4096, 4096, 128, 128};
    GpuSpec whole = GPUS.get("l40s").withCache(moved / 2);
    assertThat(Demands.of(whole, KernelKind.ATTENTION_FORWARD, NumberFormat.BF16, "", sizes).memory())
        .isCloseTo(moved / whole.copyRate() / 2, within(1e-9));
    GpuSpec parted = GPUS.get("h100").withCache(moved / 2);
    assertThat(Demands.of(parted, KernelKind.ATTENTION_FORWARD, NumberFormat.BF16, "", sizes).memory())
        .isCloseTo(moved / parted.copyRate() * 16 / 17, within(1e-9));
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

  // One token of 2 choices among 8 experts, each on a rank of its own: the first rank has the first choice, with equal
  // loads and with a power law, and reads its expert's weights.
  @Test
  void shouldMeasureARankThatHasAnExpertToDo() {
    double weights = 3 * 4096.0 * 14336 * 2 / (0.86 * 2039e9);
    for (int skew : new int[] {0, 120}) {
      assertThat(demand("a100", KernelKind.EXPERTS, NumberFormat.BF16, "", 1, 4096, 14336, 2, 8, 1, 8, skew).memory())
          .as("skew %d", skew).isCloseTo(weights, within(1e-3 * weights));
    }
  }

  // The busiest of 8 ranks has more than an eighth of the products, and no more than all; equal loads are an eighth.
  @Test
  void shouldCountTheRowsOfTheBusiestRank() {
    double all = demand("a100", KernelKind.EXPERTS, NumberFormat.BF16, "", 4096, 4096, 1536, 8, 128, 1, 1, 120)
        .work()[0];
    double busiest = demand("a100", KernelKind.EXPERTS, NumberFormat.BF16, "", 4096, 4096, 1536, 8, 128, 1, 8, 120)
        .work()[0];
    assertThat(busiest / all).isBetween(1.2 / 8, 0.6);
    double equal = demand("a100", KernelKind.EXPERTS, NumberFormat.BF16, "", 4096, 4096, 1536, 8, 128, 1, 1, 0)
        .work()[0];
    assertThat(demand("a100", KernelKind.EXPERTS, NumberFormat.BF16, "", 4096, 4096, 1536, 8, 128, 1, 8, 0).work()[0])
        .isCloseTo(equal / 8, within(1e-9));
  }

  // 8 groups of 8 rows, each a tile of 128 rows by 16 of columns, fill the 132 multiprocessors of H100 once; AMD's
  // tiles have 256 rows and columns, of which 8 x 8 fill the 304 of MI300X once.
  @Test
  void shouldCountWholeTilesOfGroups() {
    double tile = 2 * 128.0 * 128 * 4096;
    GpuSpec h100 = GPUS.get("h100");
    assertThat(demand("h100", KernelKind.GROUPED_GEMM, NumberFormat.BF16, "", 8, 64, 2048, 4096, 0).work()[0])
        .isCloseTo(132 * tile / h100.reached(NumberFormat.BF16), within(1e-12));
    GpuSpec mi300x = GPUS.get("mi300x");
    assertThat(demand("mi300x", KernelKind.GROUPED_GEMM, NumberFormat.BF16, "", 8, 64, 2048, 4096, 0).work()[0])
        .isCloseTo(304 * 4 * tile / mi300x.reached(NumberFormat.BF16), within(1e-12));
  }

  // Gradients of weights are all written: 8 x 4096 x 4096 elements of 2 bytes, and rows read on both sides.
  @Test
  void shouldWriteTheGradientsOfAllGroups() {
    double bytes = 2 * (8 * 4096.0 * 4096 + 65536.0 * 8192);
    assertThat(
        demand("h100", KernelKind.GROUPED_GEMM_GRADIENT, NumberFormat.BF16, "", 8, 65536, 4096, 4096, 0).memory())
        .isCloseTo(bytes / (0.86 * 3350e9), within(2e-6));
  }

  // PyTorch gathers, scales and sums a token's 8 rows one after the other, and takes the loss in 32 bits.
  @Test
  void shouldMoveWhatOperatorsMove() {
    double elements = 65536 * 8192.0;
    double rate = 0.86 * 3350e9;
    assertThat(demand("h100", KernelKind.UNPERMUTE, NumberFormat.BF16, "", 65536, 8192, 8).memory())
        .isCloseTo(82 * elements / rate, within(1e-6));
    assertThat(demand("h100", KernelKind.CROSS_ENTROPY_FORWARD, NumberFormat.BF16, "", 65536, 8192).memory())
        .isCloseTo(22 * elements / rate, within(1e-6));
    assertThat(demand("h100", KernelKind.CROSS_ENTROPY_BACKWARD, NumberFormat.BF16, "", 65536, 8192).memory())
        .isCloseTo(26 * elements / rate, within(1e-6));
    assertThat(demand("h100", KernelKind.RMS_NORM_BACKWARD, NumberFormat.BF16, "", 65536, 8192).memory())
        .isCloseTo(10 * elements / rate, within(1e-6));
  }

  // Up to 3,072 tokens go one after the other; more are sorted and shared.
  @Test
  void shouldSumGradientsOfLookUpsOneAfterTheOtherUpToALimit() {
    double[] few = demand("h100", KernelKind.EMBEDDING_BACKWARD, NumberFormat.BF16, "", 3072, 8192, 32000).work();
    double[] many = demand("h100", KernelKind.EMBEDDING_BACKWARD, NumberFormat.BF16, "", 3073, 8192, 32000).work();
    assertThat(few[2]).isCloseTo(3072 * 2 / 1.98e9, within(1e-12));
    assertThat(few[3]).isZero();
    assertThat(many[2]).isZero();
    assertThat(many[3]).isPositive();
  }

  // 65,536 tokens of 2,048 channels are 268 MB, which a convolution moves twice and keeps once: an L40S whose cache
  // holds three times that reads 1 of 3^8 + 1 parts of it, at 15/16 of 864 GB/s.
  @Test
  void shouldKeepWhatIsWrittenInPlaceOnce() {
    double[] sizes = {32, 2048, 2048, 32};
    GpuSpec gpu = GPUS.get("l40s").withCache(3 * 65536.0 * 2048 * 2);
    double moved = 2 * 65536.0 * 2048 * 2 / (0.86 * 15 / 16 * 864e9);
    assertThat(Demands.of(gpu, KernelKind.GATED_DELTA_NET, NumberFormat.BF16, "x-conv1d-fn", sizes).memory())
        .isCloseTo(moved / 6562, within(1e-12));
    assertThat(Demands.of(gpu.withCache(1), KernelKind.GATED_DELTA_NET, NumberFormat.BF16, "x-conv1d-fn", sizes)
        .memory()).isCloseTo(moved, within(1e-9));
  }

  // 32 heads of values and 16 of keys, of 128 elements: 33 bytes of each of the former, 10 of the latter.
  @Test
  void shouldMoveTheTensorsOfChunks() {
    double bytes = 64 * 4096.0 * 128 * (33 * 32 + 10 * 16);
    assertThat(demand("h100", KernelKind.GATED_DELTA_NET, NumberFormat.BF16, "x-chunk-rule", 64, 4096, 4096, 32)
        .memory()).isCloseTo(bytes / (0.86 * 3350e9), within(1e-6));
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
