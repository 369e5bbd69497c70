package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the roofline against published rates, which set none of its figures. */
class KernelRooflineTest {
  // FlashAttention-3, figures 5 and 6 and abstract: no mask, 16-bit floats, 16,384 tokens, heads of 2,048 together.
  @ParameterizedTest
  @CsvSource({"ATTENTION_FULL_FORWARD, 64, 497, 3", "ATTENTION_FULL_FORWARD, 128, 648, 3",
      "ATTENTION_FULL_FORWARD, 256, 740, 8", "ATTENTION_FULL_BACKWARD, 64, 474, 6",
      "ATTENTION_FULL_BACKWARD, 128, 561, 20"})
  void shouldReachThePublishedRatesOfAttentionWithHeadsOfSeveralSizes(
      KernelKind kind, int head, double teraflops, double percent) {
    KernelRoofline roofline = new KernelRoofline(GpuCatalog.bundled().get("h100"), kind, NumberFormat.FP16);
    double heads = 2048.0 / head;
    double[] sizes = {1, heads, heads, 16384, 16384, head, head};
    assertThat(kind.flops(sizes) / roofline.seconds(sizes) / 1e12).isCloseTo(teraflops, withinPercentage(percent));
  }
}
