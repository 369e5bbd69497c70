package dev.heddle.workload.megatron;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Precision;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.kernel.KernelTimes;
import dev.heddle.workload.megatron.kernel.NormKernel;
import dev.heddle.workload.megatron.kernel.Roofline;
import dev.heddle.workload.megatron.kernel.ScaledKernels;
import java.util.Map;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares kernel times with measured kernels, and with closed forms of tiles, waves and memory. */
class RooflineTest {
  private static final KernelTimes A100 =
      new Roofline(Jobs.a100(), Jobs.small("", "global: 16", "").kernels());
  private static final KernelTimes A100_40 =
      new Roofline(Jobs.a100("1555 GB/s"), Jobs.small("", "global: 16", "").kernels());

  private static Kernel.Gemm gemm(long batch, long m, long n, long k) {
    return new Kernel.Gemm("test", batch, m, n, k, Precision.FP16, 2);
  }

  private static double teraflops(Kernel kernel) {
    return kernel.flops() / A100.seconds(kernel) / 1e12;
  }

  // EleutherAI cookbook, A100 of 40 GB: products of a layer of hidden size 4096, and batched ones.
  @ParameterizedTest
  @CsvSource({
      "1, 8192, 12288, 4096, 241.6", "1, 8192, 4096, 4096, 234.9", "1, 8192, 16384, 4096, 241.1",
      "1, 8192, 4096, 16384, 252.8", "1, 8192, 51200, 4096, 255.4", "128, 1024, 1024, 1024, 227.3",
      "128, 1024, 1024, 2048, 243.3", "64, 2048, 2048, 256, 130.2", "64, 2048, 256, 2048, 219.0"})
  void shouldReachWhatWasMeasured(long batch, long m, long n, long k, double measured) {
    Kernel product = gemm(batch, m, n, k);
    assertThat(product.flops() / A100_40.seconds(product) / 1e12).isCloseTo(measured, Percentage.withPercentage(8));
  }

  @Test
  void shouldTakeWholeWavesOfTiles() {
    double full = A100.seconds(gemm(1, 256 * 12, 128 * 9, 8192));
    double oneMore = A100.seconds(gemm(1, 256 * 12 + 8, 128 * 9, 8192));
    double two = A100.seconds(gemm(1, 256 * 24, 128 * 9, 8192));
    assertThat(oneMore).isGreaterThan(1.2 * full);
    assertThat(two).isCloseTo(2 * full, Percentage.withPercentage(3));
  }

  // TransformerSizing, A100: with heads of 146 elements, scores reach 0.82 of the rate of heads of 144, contexts 0.72.
  @Test
  void shouldBeSlowWhenRowsAreNotAligned() {
    assertThat(teraflops(gemm(64, 2048, 2048, 146)) / teraflops(gemm(64, 2048, 2048, 144))).isBetween(0.7, 0.9);
    assertThat(teraflops(gemm(64, 2048, 146, 2048)) / teraflops(gemm(64, 2048, 144, 2048))).isBetween(0.6, 0.8);
  }

  // BigScience's layers with heads of 108 and 150 elements are slower, consistent with products at 10 to 11 TFLOP/s.
  @ParameterizedTest
  @CsvSource({"64, 108", "12, 150"})
  void shouldStayBelowTheVectorUnitsRateWhenHeadsAreNotAligned(long heads, long size) {
    assertThat(teraflops(new Kernel.HeadProduct(gemm(heads, 2048, 2048, size)))).isBetween(9.0, 19.5);
    assertThat(teraflops(new Kernel.HeadProduct(gemm(heads, 2048, size, 2048)))).isBetween(9.0, 19.5);
  }

  // NVIDIA/apex pull request 1037, A100: 75.1 and 53.5 us forward, 176.2 and 86.6 us backward.
  @Test
  void shouldNormaliseAsMuchFasterAsWasMeasuredWhenRowsStayInRegisters() {
    assertThat(normalising(NormKernel.FUSED, false) / normalising(NormKernel.PERSISTENT, false))
        .isCloseTo(75.1 / 53.5, Percentage.withPercentage(3));
    assertThat(normalising(NormKernel.FUSED, true) / normalising(NormKernel.PERSISTENT, true))
        .isCloseTo(176.2 / 86.6, Percentage.withPercentage(3));
  }

  private static double normalising(NormKernel kernel, boolean backward) {
    return A100.seconds(new Kernel.Norm("norm", kernel, 1 << 17, 8192, true, backward));
  }

  @Test
  void shouldBeBoundByMemoryWhenFactorsAreThin() {
    Kernel thin = gemm(1, 16, 16384, 16384);
    assertThat(A100.seconds(thin)).isGreaterThan(thin.bytes() / 2039e9);
    assertThat(teraflops(thin)).isLessThan(30);
  }

  @Test
  void shouldScaleByTheRateThatBindsTheKernel() {
    Accelerator twice = new Accelerator(
        "twice", Jobs.a100().vendor(), "ampere", 80, 108, DataSize.parse("80 GiB"), DataRate.parse("2039 GB/s"),
        Map.of(Precision.FP16, ComputeRate.parse("624 Tflop/s")));
    KernelTimes scaled = new ScaledKernels(A100, Jobs.a100(), twice, Precision.FP16);
    Kernel product = gemm(1, 8192, 8192, 8192);
    Kernel copy = new Kernel.Memory("copy", 1e9);
    assertThat(scaled.seconds(product)).isCloseTo(A100.seconds(product) / 2, Percentage.withPercentage(1e-9));
    assertThat(scaled.seconds(copy)).isCloseTo(A100.seconds(copy), Percentage.withPercentage(1e-9));
  }

  @Test
  void shouldMultiplyDecayingFactorsAtTheirShareOfThePeak() {
    Kernel.Gemm product = new Kernel.Gemm("scan", 4096, 256, 64, 256, Precision.BF16, 2);
    Kernel scan = new Kernel.SharedFactors(product, 1e6);
    KernelTimes shared = new Roofline(Jobs.a100(), Jobs.job("{model: {preset: llama-7b}, parallel: {},"
        + " batch: {global: 1}, execution: {}, kernels: {preset: kernels-ampere, scans: 0.1}}").kernels());
    assertThat(scan.flops() / shared.seconds(scan)).isCloseTo(31.2e12, Percentage.withPercentage(5));
    assertThat(teraflops(scan)).isGreaterThan(60);
  }
}
