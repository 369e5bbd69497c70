package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the roofline against published rates, which set none of its figures. */
class KernelRooflineTest {
  // FlashAttention-3, figures 5 and 6 and abstract: no mask, 16-bit floats, 16,384 tokens, heads of 2,048 together.
  @ParameterizedTest
  @CsvSource({"ATTENTION_FULL_FORWARD, 64, 497, 3", "ATTENTION_FULL_FORWARD, 128, 648, 3",
      "ATTENTION_FULL_FORWARD, 256, 740, 8", "ATTENTION_FULL_BACKWARD, 64, 474, 6",
      "ATTENTION_FULL_BACKWARD, 128, 561, 6"})
  void shouldReachThePublishedRatesOfAttentionWithHeadsOfSeveralSizes(
      KernelKind kind, int head, double teraflops, double percent) {
    KernelRoofline roofline = new KernelRoofline(GpuCatalog.bundled().get("h100"), kind, NumberFormat.FP16);
    double heads = 2048.0 / head;
    double[] sizes = {1, heads, heads, 16384, 16384, head, head};
    assertThat(kind.flops(sizes) / roofline.seconds(sizes) / 1e12).isCloseTo(teraflops, withinPercentage(percent));
  }

  // cuDNN 9.19, causal masks of 32,768 tokens, 64 heads of 128 [cudnn-frontend, sdpa_benchmark_training]: 29.863 of
  // 10.226 ms, 28.390 of 8.734 ms and 75.688 of 25.566 ms.
  @ParameterizedTest
  @CsvSource({"gb200, 2.920, 5", "gb300, 3.251, 8", "h200, 2.960, 6"})
  void shouldTakeThePublishedTimesOfGradientsOverTheForwardPass(String gpu, double ratio, double percent) {
    double[] sizes = {1, 64, 8, 32768, 32768, 128, 128};
    GpuSpec spec = GpuCatalog.bundled().get(gpu);
    double forward = new KernelRoofline(spec, KernelKind.ATTENTION_FORWARD, NumberFormat.BF16).seconds(sizes);
    double backward = new KernelRoofline(spec, KernelKind.ATTENTION_BACKWARD, NumberFormat.BF16).seconds(sizes);
    assertThat(backward / forward).isCloseTo(ratio, withinPercentage(percent));
  }

  // Gradients of 16 heads of 64, 16,384 tokens, of 4,623, 6,448 and 5,011 us without a window: three kernels, one kind
  // of GPU with GDDR [cudnn-frontend, pull request 505].
  @ParameterizedTest
  @CsvSource({"512, 562.6, 4623.0", "512, 791.8, 6447.7", "512, 586.3, 5011.0", "1024, 817.1, 4623.0",
      "1024, 1169.2, 6447.7", "1024, 867.5, 5011.0"})
  void shouldTakeThePublishedPartOfTheTimeWithAWindow(int window, double seen, double all) {
    KernelRoofline roofline = new KernelRoofline(
        GpuCatalog.bundled().get("rtx-pro-6000"), KernelKind.ATTENTION_WINDOW_BACKWARD, NumberFormat.BF16);
    double share = roofline.seconds(new double[] {1, 16, 16, 16384, 16384, 64, 64, window})
        / roofline.seconds(new double[] {1, 16, 16, 16384, 16384, 64, 64, 16384});
    assertThat(share).isCloseTo(seen / all, withinPercentage(15));
  }

  @Test
  void shouldTakeNoLessTimeForAWiderWindow() {
    for (String gpu : new String[] {"a100", "h100", "gb200"}) {
      KernelRoofline roofline = new KernelRoofline(
          GpuCatalog.bundled().get(gpu), KernelKind.ATTENTION_WINDOW_FORWARD, NumberFormat.BF16);
      double before = 0;
      for (int window = 1; window <= 8192; window += 61) {
        double seconds = roofline.seconds(new double[] {2, 8, 2, 4000, 8192, 64, 64, window});
        assertThat(seconds).as("%s, window %d", gpu, window).isGreaterThanOrEqualTo(before * (1 - 1e-12));
        before = seconds;
      }
    }
  }
}
