package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests of the choice of accelerators that a time is carried over from. */
class TransferTest {
  private static final KernelLibrary LIBRARY = KernelLibrary.load(TransferTest.class.getClassLoader());

  private static KernelEstimate estimate(String gpu, KernelKind kind, NumberFormat format, long... shape) {
    return LIBRARY.estimate(KernelQuery.of(LIBRARY.gpus().get(gpu), kind, format, shape));
  }

  @Test
  void shouldTakeTheGenerationAlone() {
    assertThat(estimate("h800", KernelKind.GEMM, NumberFormat.BF16, 4096, 4096, 4096).source())
        .startsWith("h100-sxm gemm").doesNotContain("; and ");
    assertThat(estimate("gb300", KernelKind.GEMM, NumberFormat.BF16, 4096, 4096, 4096).source())
        .startsWith("gb200 gemm").doesNotContain("; and ");
  }

  @Test
  void shouldTakeSoftwareWithTheSameKernel() {
    long[] forward = {1, 32, 8, 4096, 4096, 128, 128};
    assertThat(estimate("rtx-pro-6000", KernelKind.ATTENTION_FORWARD, NumberFormat.BF16, forward).source())
        .contains("l40s", "a100-sxm").doesNotContain("b200").doesNotContain("h100");
    assertThat(estimate("rtx-pro-6000", KernelKind.ATTENTION_DECODE, NumberFormat.BF16, 8, 32, 8, 4096, 128, 128)
        .source()).contains("l40s", "a100-sxm", "h100-sxm").doesNotContain("b200");
  }

  private static String source(String without, KernelKind kind, NumberFormat format, String variant, long... shape) {
    return LIBRARY.without(id -> id.gpu().equals(without))
        .estimate(new KernelQuery(LIBRARY.gpus().get(without), kind, format, variant, shape)).source();
  }

  // Where matrix units wait for the threads a cache of 8 bits is read by the kernel of 16 bits; Hopper has its own.
  @Test
  void shouldTakeTheSameKernelInAnotherFormatBeforeAnotherKernel() {
    assertThat(
        source("l40s", KernelKind.ATTENTION_FORWARD, NumberFormat.BF16_CACHE8, "trtllm-1.3.0rc20", 1, 32, 8, 4096,
            4096, 128, 128))
        .startsWith("a100-sxm attention-forward bf16 trtllm").doesNotContain("h100");
    assertThat(source("h100-sxm", KernelKind.ATTENTION_FORWARD, NumberFormat.BF16_CACHE8, "trtllm-1.3.0rc20", 1, 32, 8,
        4096, 4096, 128, 128)).startsWith("b200 attention-forward bf16-cache8").doesNotContain("a100");
  }

  // Experts of Ampere and Ada are the same kernels, which no newer generation runs.
  @Test
  void shouldTakeExpertsOfTheSameMatrixUnits() {
    long[] layer = {256, 4096, 14336, 2, 8, 1, 1, 101};
    assertThat(source("a100-sxm", KernelKind.EXPERTS, NumberFormat.BF16, "trtllm-1.0.0-moe-torch-flow", layer))
        .startsWith("l40s experts bf16").doesNotContain("h100").doesNotContain("b200");
  }

  @Test
  void shouldTakeTheKindItselfBeforeAKindredOne() {
    assertThat(source("h100-sxm", KernelKind.ATTENTION_WINDOW_FORWARD, NumberFormat.BF16, "flash", 1, 32, 8, 4096, 4096,
        128, 128, 512)).startsWith("h200 attention-window-forward bf16 flash");
  }

  // AITER's table of MI300X ends at four rows; hipBLASLt's has thousands.
  @Test
  void shouldTakeAnotherLibraryWhereTheNamedOneEndsBeforeTheShape() {
    assertThat(source("mi355x", KernelKind.GEMM, NumberFormat.BF16, "aiter", 8192, 8192, 8192))
        .startsWith("mi300x gemm bf16 hipblaslt");
    assertThat(source("mi355x", KernelKind.GEMM, NumberFormat.BF16, "aiter", 2, 8192, 8192))
        .startsWith("mi300x gemm bf16 aiter");
  }

  @Test
  void shouldDoubtDistantAcceleratorsMore() {
    long[] shape = {2048, 4096, 4096};
    double near = estimate("h800", KernelKind.GEMM, NumberFormat.BF16, shape).relativeError();
    double other = estimate("rtx-pro-6000", KernelKind.GEMM, NumberFormat.BF16, shape).relativeError();
    double foreign = estimate("trn2", KernelKind.GEMM, NumberFormat.BF16, shape).relativeError();
    assertThat(near).isLessThan(other);
    assertThat(other).isLessThan(foreign);
  }

  // Products in 16 bits are known of both vendors, experts of NVIDIA's accelerators alone.
  @Test
  void shouldTakeOtherVendorsOnlyWhereItsOwnHasNone() {
    assertThat(estimate("mi250x-gcd", KernelKind.GEMM, NumberFormat.BF16, 4096, 4096, 4096).source())
        .contains("mi300x gemm", "mi355x gemm").doesNotContain("h100").doesNotContain("a100");
    assertThat(estimate("rtx-pro-6000", KernelKind.GEMM, NumberFormat.BF16, 4096, 4096, 4096).source())
        .doesNotContain("mi300x").doesNotContain("mi355x");
    assertThat(estimate("mi300x", KernelKind.EXPERTS, NumberFormat.BF16, 64, 4096, 14336, 2, 8, 1, 1, 0).basis())
        .isEqualTo(Basis.TRANSFERRED);
    assertThat(estimate("mi325x", KernelKind.GEMM, NumberFormat.BF16, 4096, 4096, 4096).source())
        .startsWith("mi300x gemm").doesNotContain("; and ");
  }

  // A format that one accelerator has alone still tells of those with the rate; one that is alike tells last.
  @Test
  void shouldCarryGradientsAndOtherFormatsOver() {
    long[] shape = {2, 32, 8, 4096, 4096, 128, 128};
    KernelEstimate forward = estimate("h800", KernelKind.ATTENTION_FORWARD, NumberFormat.BF16, shape);
    KernelEstimate backward = estimate("h800", KernelKind.ATTENTION_BACKWARD, NumberFormat.BF16, shape);
    assertThat(backward.basis()).isEqualTo(Basis.TRANSFERRED);
    assertThat(backward.seconds() / forward.seconds()).isBetween(1.8, 3.4);
    assertThat(estimate("rtx-pro-6000", KernelKind.LINEAR, NumberFormat.NVFP4, 4096, 4096, 4096).source())
        .contains("b200 linear nvfp4");
  }

  @Test
  void shouldCarryTheSoftwareThatIsNamedOverBeforeOtherSoftwareOfTheAccelerator() {
    GpuSpec gpu = LIBRARY.gpus().get("gb200");
    long[] shape = {1, 64, 8, 8192, 8192, 128, 128};
    KernelEstimate named =
        LIBRARY.estimate(new KernelQuery(gpu, KernelKind.ATTENTION_FORWARD, NumberFormat.BF16, "cudnn", shape));
    assertThat(named.basis()).isEqualTo(Basis.TRANSFERRED);
    assertThat(named.source()).startsWith("h200 attention-forward bf16 cudnn").doesNotContain("trtllm");
    assertThat(named.seconds())
        .isLessThan(LIBRARY.estimate(KernelQuery.of(gpu, KernelKind.ATTENTION_FORWARD, NumberFormat.BF16, shape))
            .seconds());
    // A version that nobody measured is that of the same software; a name that nobody knows asks for the best known.
    assertThat(LIBRARY.estimate(
        new KernelQuery(gpu, KernelKind.ATTENTION_FORWARD, NumberFormat.BF16, "trtllm-9.9", shape)).source())
        .startsWith("gb200 attention-forward bf16 trtllm");
    assertThat(LIBRARY.estimate(
        new KernelQuery(gpu, KernelKind.ATTENTION_FORWARD, NumberFormat.BF16, "nobody", shape)).source())
        .startsWith("gb200 attention-forward");
  }
}
