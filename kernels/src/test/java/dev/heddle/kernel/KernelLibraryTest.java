package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.units.RandomStream;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Holds the order in which the library asks its sources, and the basis that it states of each answer. */
class KernelLibraryTest {
  private static final KernelLibrary LIBRARY = KernelLibrary.load(KernelLibraryTest.class.getClassLoader());
  private static final long[] ATTENTION = {1, 32, 8, 4096, 4096, 128, 128};

  private static KernelEstimate gemm(String gpu, NumberFormat format, long... shape) {
    return gemm(LIBRARY, gpu, format, shape);
  }

  private static KernelEstimate gemm(KernelLibrary library, String gpu, NumberFormat format, long... shape) {
    return library.estimate(KernelQuery.of(library.gpus().get(gpu), KernelKind.GEMM, format, shape));
  }

  @Test
  void shouldSayWhatATimeRestsOn() {
    assertThat(gemm("h100", NumberFormat.BF16, 4096, 4096, 4096).basis()).isEqualTo(Basis.MEASURED);
    assertThat(gemm("h100", NumberFormat.BF16, 4000, 4096, 4096).basis()).isEqualTo(Basis.INTERPOLATED);
    assertThat(gemm("h100", NumberFormat.BF16, 400000, 4096, 4096).basis()).isEqualTo(Basis.EXTRAPOLATED);
    assertThat(gemm("h800", NumberFormat.BF16, 4096, 4096, 4096).basis()).isEqualTo(Basis.TRANSFERRED);
    KernelQuery cast =
        KernelQuery.of(LIBRARY.gpus().get("h100"), KernelKind.QUANTIZE, NumberFormat.NVFP4, 4096, 4096);
    assertThat(LIBRARY.estimate(cast).basis()).isEqualTo(Basis.MODELLED);
  }

  @Test
  void shouldNameSourceAndBound() {
    KernelEstimate large = gemm("h100", NumberFormat.BF16, 8192, 8192, 8192);
    assertThat(large.bound()).isEqualTo(Bound.COMPUTE);
    assertThat(large.source()).contains("aiconfigurator");
    assertThat(gemm("h100", NumberFormat.BF16, 1, 8192, 8192).bound()).isEqualTo(Bound.MEMORY);
    assertThat(gemm("h100", NumberFormat.BF16, 8, 64, 64).bound()).isEqualTo(Bound.LATENCY);
  }

  @Test
  void shouldTakeAWindowAsPartOfTheAttentionWithoutIt() {
    for (String gpu : new String[] {"gb200", "gb300", "h100", "l40s"}) {
      GpuSpec spec = LIBRARY.gpus().get(gpu);
      KernelEstimate all = LIBRARY.estimate(
          KernelQuery.of(spec, KernelKind.ATTENTION_FORWARD, NumberFormat.BF16, 1, 32, 8, 8192, 8192, 128, 128));
      KernelEstimate seen = LIBRARY.estimate(KernelQuery.of(
          spec, KernelKind.ATTENTION_WINDOW_FORWARD, NumberFormat.BF16, 1, 32, 8, 8192, 8192, 128, 128, 1024));
      KernelEstimate whole = LIBRARY.estimate(KernelQuery.of(
          spec, KernelKind.ATTENTION_WINDOW_FORWARD, NumberFormat.BF16, 1, 32, 8, 8192, 8192, 128, 128, 8192));
      assertThat(seen.seconds() / all.seconds()).as(gpu).isBetween(0.234, 0.45);
      assertThat(seen.relativeError()).as(gpu).isGreaterThan(all.relativeError());
      assertThat(seen.basis()).as(gpu).isNotEqualTo(Basis.MEASURED).isNotEqualTo(Basis.MODELLED);
      assertThat(whole.seconds()).as(gpu).isEqualTo(all.seconds());
    }
  }

  // cuDNN's attention was measured beside an engine's, which it beats; a window by cuDNN beats FlashAttention-2's.
  @Test
  void shouldTakeTheFasterSoftwareWhereNoneIsNamed() {
    GpuSpec gpu = LIBRARY.gpus().get("h100");
    long[] shape = {4, 32, 8, 8192, 8192, 128, 128};
    KernelEstimate best = LIBRARY.estimate(KernelQuery.of(gpu, KernelKind.ATTENTION_FORWARD, NumberFormat.BF16, shape));
    assertThat(best.source()).contains("cudnn");
    for (String software : new String[] {"trtllm-1.3.0rc20", "flash"}) {
      assertThat(best.seconds()).isLessThan(LIBRARY.estimate(
          new KernelQuery(gpu, KernelKind.ATTENTION_FORWARD, NumberFormat.BF16, software, shape)).seconds());
    }
    KernelEstimate window = LIBRARY.estimate(KernelQuery.of(
        gpu, KernelKind.ATTENTION_WINDOW_FORWARD, NumberFormat.BF16, 1, 64, 8, 8192, 8192, 64, 64, 1024));
    assertThat(window.source()).contains("cudnn");
    assertThat(window.basis()).isEqualTo(Basis.INTERPOLATED);
  }

  @Test
  void shouldTakeABareProductAsALayerLessItsCast() {
    KernelEstimate bare = gemm("b200", NumberFormat.FP8, 4096, 4096, 4096);
    KernelEstimate layer = LIBRARY.estimate(
        KernelQuery.of(LIBRARY.gpus().get("b200"), KernelKind.LINEAR, NumberFormat.FP8, 4096, 4096, 4096));
    assertThat(bare.seconds()).isLessThan(layer.seconds()).isGreaterThan(2 * Math.pow(4096, 3) / 4500e12);
    assertThat(bare.relativeError()).isGreaterThan(layer.relativeError());
  }

  // Two tables of one rate, measured with casts of different work: what is left without them is the same product.
  @Test
  void shouldLeaveTheSameProductWhateverTheCast() {
    for (String gpu : new String[] {"b200", "gb200"}) {
      for (long[] shape : new long[][] {{16384, 2048, 2048}, {32768, 4096, 4096}, {4096, 4096, 4096},
          {8192, 8192, 8192}, {32768, 1536, 2048}}) {
        double tensor = gemm(gpu, NumberFormat.FP8, shape).seconds();
        assertThat(gemm(gpu, NumberFormat.FP8_BLOCK, shape).seconds() / tensor).isBetween(0.8, 1.1);
      }
    }
  }

  @Test
  void shouldTakeGradientsOfLatentAttentionFromTheMeasuredForwardPass() {
    GpuSpec gpu = LIBRARY.gpus().get("b200");
    KernelEstimate forward =
        LIBRARY.estimate(KernelQuery.of(gpu, KernelKind.LATENT_PREFILL, NumberFormat.BF16, 2, 64, 8192));
    KernelEstimate backward =
        LIBRARY.estimate(KernelQuery.of(gpu, KernelKind.LATENT_BACKWARD, NumberFormat.BF16, 2, 64, 8192));
    // Five products where there are two, (3 x 192 + 2 x 128) over (192 + 128) of the operations, and sums of gradients
    // in the cache; cuDNN takes 3.2 to 4.0 times as long [cudnn-frontend, sdpa_benchmark_training, GB200].
    assertThat(backward.seconds() / forward.seconds()).isBetween(2.6, 4.0);
    assertThat(backward.relativeError()).isGreaterThan(forward.relativeError());
    assertThat(backward.basis()).isNotEqualTo(Basis.MODELLED).isNotEqualTo(Basis.MEASURED);
  }

  @Test
  void shouldGrowMoreDoubtfulFromMeasuredToModelled() {
    double measured = gemm("h100", NumberFormat.BF16, 4096, 4096, 4096).relativeError();
    double between = gemm("h100", NumberFormat.BF16, 3700, 4500, 3900).relativeError();
    double carried = gemm("mi250x-gcd", NumberFormat.BF16, 4096, 4096, 4096).relativeError();
    assertThat(measured).isLessThan(between);
    assertThat(between).isLessThan(carried);
  }

  // Rows of the tables: Primus-Turbo's 223.6 us of MI300X; attention by AITER, whose sums in 32 bits take longer.
  @Test
  void shouldKnowMeasuredKernelsOfAmd() {
    KernelEstimate product = gemm("mi300x", NumberFormat.BF16, 4096, 4096, 4096);
    assertThat(product.basis()).isEqualTo(Basis.MEASURED);
    assertThat(product.seconds()).isCloseTo(223.594e-6, within(0.1e-6));
    for (String gpu : List.of("mi300x", "mi355x")) {
      double sixteen = attention(gpu, KernelKind.ATTENTION_BACKWARD, "aiter-a16");
      double thirtyTwo = attention(gpu, KernelKind.ATTENTION_BACKWARD, "aiter-a32");
      assertThat(thirtyTwo / sixteen).as(gpu).isBetween(1.05, 1.6);
      assertThat(sixteen / attention(gpu, KernelKind.ATTENTION_FORWARD, "aiter")).as(gpu).isBetween(2.5, 3.5);
    }
  }

  private static double attention(String gpu, KernelKind kind, String software) {
    return LIBRARY.estimate(new KernelQuery(LIBRARY.gpus().get(gpu), kind, NumberFormat.BF16, software,
        new long[] {1, 32, 8, 8192, 8192, 128, 128})).seconds();
  }

  @Test
  void shouldCarryTimesOverByTheResourceThatBinds() {
    KernelLibrary others = LIBRARY.without(id -> id.gpu().equals("h200") || id.variant().equals("library"));
    double wide = gemm(others, "h200", NumberFormat.BF16, 1, 16384, 16384).seconds()
        / gemm(others, "h100", NumberFormat.BF16, 1, 16384, 16384).seconds();
    double large = gemm(others, "h200", NumberFormat.BF16, 8192, 8192, 8192).seconds()
        / gemm(others, "h100", NumberFormat.BF16, 8192, 8192, 8192).seconds();
    assertThat(wide).isBetween(3350.0 / 4800 * 0.95, 0.85);
    assertThat(large).isBetween(0.95, 1.0);
  }

  // No kernel multiplies faster than the sheet's peak, whatever its time rests on.
  @Test
  void shouldAnswerForEveryKernelFormatAndAccelerator() {
    RandomStream random = RandomStream.of(22, "kernels", "all");
    for (KernelKind kind : KernelKind.values()) {
      for (NumberFormat format : NumberFormat.values()) {
        for (GpuSpec gpu : LIBRARY.gpus().gpus()) {
          long[] shape = new long[kind.sizes().size()];
          for (int i = 0; i < shape.length; i++) {
            shape[i] = kind.mayBeZero(i) ? 0 : 1L << random.nextInt(14);
          }
          KernelQuery query = KernelQuery.of(gpu, kind, format, shape);
          KernelEstimate estimate = LIBRARY.estimate(query);
          assertThat(estimate.seconds()).as(query.toString()).isPositive().isLessThan(1e9)
              .isGreaterThanOrEqualTo(0.999 * kind.flops(query.sizes()) / gpu.fastest(format));
          assertThat(estimate.relativeError()).as(query.toString()).isBetween(0.0, 10.0);
          assertThat(estimate.source()).as(query.toString()).isNotEmpty();
        }
      }
    }
  }

  @Test
  void shouldSuggestTheNearestName() {
    assertThatThrownBy(() -> LIBRARY.gpus().get("b2oo")).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("did you mean 'b200'");
    assertThatThrownBy(() -> NumberFormat.of("pf8")).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("did you mean 'fp8'");
    assertThatThrownBy(() -> KernelKind.of("gem")).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("did you mean 'gemm'");
    assertThatThrownBy(() -> gemm("h100", NumberFormat.BF16, 4, 4)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("m x n x k");
  }

  @Test
  void shouldHoldItsFirstTablesBeforeOthers() {
    KernelTable mine = Grids.products(Grids::simple);
    KernelLibrary library = KernelLibrary.load(
        getClass().getClassLoader(), GpuCatalog.bundled(), java.util.List.of(KernelTables.of(java.util.List.of(mine))));
    assertThat(library.tables().get(0)).isEqualTo(mine.id());
    KernelEstimate estimate = library.estimate(new KernelQuery(
        Grids.H100, KernelKind.GEMM, NumberFormat.BF16, "made-up", new long[] {1024, 1024, 1024}));
    assertThat(estimate.seconds()).isEqualTo(Grids.simple(new long[] {1024, 1024, 1024}));
  }

  private static KernelTable attention(String gpu, KernelKind kind, double seconds) {
    return KernelTable.of(LIBRARY.gpus().get(gpu),
        new TableId(LIBRARY.gpus().get(gpu).id(), kind, NumberFormat.BF16, "made-up"),
        new Provenance("made up", "none", "", ""), ATTENTION, new double[] {seconds});
  }

  // A100 comes first in the catalogue; H100 is of H200's generation.
  @Test
  void shouldTakeTheRatioOfPassesOfTheNearestAcceleratorThatMeasuredBoth() {
    KernelLibrary library = KernelLibrary.of(LIBRARY.gpus(), List.of(KernelTables.of(List.of(
        attention("h200", KernelKind.ATTENTION_FORWARD, 1e-3), attention("a100", KernelKind.ATTENTION_FORWARD, 1e-3),
        attention("a100", KernelKind.ATTENTION_BACKWARD, 4e-3), attention("h100", KernelKind.ATTENTION_FORWARD, 1e-3),
        attention("h100", KernelKind.ATTENTION_BACKWARD, 3e-3)))));
    KernelEstimate gradients = library.estimate(KernelQuery.of(
        LIBRARY.gpus().get("h200"), KernelKind.ATTENTION_BACKWARD, NumberFormat.BF16, ATTENTION));
    assertThat(gradients.seconds()).isCloseTo(3e-3, within(1e-9));
    assertThat(gradients.source()).contains("H100");
  }
}
