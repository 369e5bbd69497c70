package dev.heddle.workload.megatron.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.heddle.kernel.Basis;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Accelerator.Vendor;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Precision;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of attention and of products in training, whose tables are those of the software that runs them. */
class MeasuredTrainingKernelsTest {
  private static final LibraryTimes TIMES = times("boost");

  private static LibraryTimes times(String clock) {
    return times(clock, new Accelerator("H100 SXM", Vendor.NVIDIA, "hopper", 0, 132, DataSize.parse("80 GiB"),
        DataRate.parse("3350 GB/s"), Map.of(Precision.BF16, ComputeRate.parse("989 Tflop/s"), Precision.FP8,
            ComputeRate.parse("1979 Tflop/s"), Precision.FP32, ComputeRate.parse("67 Tflop/s"))));
  }

  private static LibraryTimes times(String clock, Accelerator gpu) {
    try (Registry registry = Registry.discover(MeasuredTrainingKernelsTest.class.getClassLoader(), List.of())) {
      KernelTiming timing = new ScenarioReader(registry).record(
          KernelTiming.class, "kernels", "{preset: kernels-" + gpu.architecture() + ", clock: " + clock + "}");
      return new LibraryTimes(SharedLibrary.get(), gpu, timing, new Roofline(gpu, timing), 0);
    }
  }

  private static Kernel.Attention attention(AttentionKernel kernel, boolean backward) {
    return new Kernel.Attention("attention", kernel, 1, 32, 8, 8192, 8192, 0, 128, 128, true, backward);
  }

  private static double product(String name, long batch, long m, long n, long k) {
    return TIMES.seconds(new Kernel.Gemm(name, batch, m, n, k, Precision.BF16, 2));
  }

  // Rows of the tables: 921.5 and 2770.2 us by cuDNN, 1744.5 and 5231.4 us by FlashAttention-2.
  @Test
  void shouldTakeAttentionFromTheTableOfItsSoftware() {
    assertThat(TIMES.seconds(attention(AttentionKernel.FLASH_3, false))).isCloseTo(921.536e-6, within(0.2e-6));
    assertThat(TIMES.seconds(attention(AttentionKernel.FLASH_3, true))).isCloseTo(2770.24e-6, within(0.5e-6));
    assertThat(TIMES.seconds(attention(AttentionKernel.FLASH_2, false))).isCloseTo(1744.459e-6, within(0.3e-6));
    assertThat(TIMES.estimate(attention(AttentionKernel.FLASH_2, true)).basis()).isEqualTo(Basis.MEASURED);
    assertThat(TIMES.estimate(attention(AttentionKernel.FLASH_1, true)).basis()).isEqualTo(Basis.MODELLED);
  }

  // Rows of the tables: 1052.6 us of a sum and 768.9 us of a gate's activation, at the clock of a job as well.
  @Test
  void shouldTakeElementwiseKernelsFromTheTablesOfTheirFunctions() {
    Kernel sum = new Kernel.Elementwise("residual", ElementFunction.SUM, 32768, 16384);
    Kernel gate = new Kernel.Elementwise("activation", ElementFunction.GATED_ACTIVATION, 32768, 12288);
    assertThat(TIMES.seconds(sum)).isCloseTo(1052.6e-6, within(1e-6));
    assertThat(TIMES.seconds(gate)).isCloseTo(768.9e-6, within(1e-6));
    assertThat(times("sustained").seconds(gate)).isEqualTo(TIMES.seconds(gate));
    assertThat(gate.bytes()).isEqualTo(6.0 * 32768 * 12288);
  }

  // 0.341 ms for 8,192 x 13,312 on a B200 [profile of Llama 3.1 405B in NVFP4], where memory alone would take less; a
  // profile of Qwen3 235B in 16 bits there, which sets nothing, has 0.21 ms for experts' 32,768 x 1,536, whose kernel
  // also weights them. H100's memory takes as long as its instructions.
  @Test
  void shouldTakeInstructionsOfAGatesGradientsWhereTheyOutlastItsMemory() {
    LibraryTimes fast = times("boost", new Accelerator("B200", Vendor.NVIDIA, "blackwell", 0, 148,
        DataSize.parse("180 GiB"), DataRate.parse("8000 GB/s"), Map.of(Precision.BF16,
            ComputeRate.parse("2250 Tflop/s"))));
    assertThat(fast.seconds(gradients(8192, 13312))).isCloseTo(341e-6, withinPercentage(1));
    assertThat(fast.seconds(gradients(32768, 1536))).isCloseTo(210e-6, withinPercentage(30));
    assertThat(TIMES.seconds(gradients(16384, 16384))).isCloseTo(947.86e-6, withinPercentage(1));
  }

  private static Kernel gradients(long rows, long columns) {
    return new Kernel.Elementwise("activation", ElementFunction.GATED_ACTIVATION_GRADIENT, rows, columns);
  }

  // Rows of the tables: 3501.4 us of a loss, 158.4 us of a norm's gradients, both by PyTorch.
  @Test
  void shouldTakeLossesAndNormsOfPyTorchFromTheirTablesAndNoOthers() {
    assertThat(TIMES.seconds(new Kernel.Loss("loss", 8192, 51200, false, 14))).isCloseTo(3501.42e-6, within(1e-6));
    Kernel own = new Kernel.Norm("norm", NormKernel.FUSED, 8192, 4096, false, true);
    assertThat(TIMES.seconds(own)).isCloseTo(158.36e-6, within(0.1e-6));
    Kernel others = new Kernel.Norm("norm", NormKernel.PERSISTENT, 8192, 4096, false, true);
    assertThat(TIMES.estimate(others).basis()).isEqualTo(Basis.MODELLED);
  }

  // 309.6 us for 32,768 rows of 2,688 in a profile; by a kernel of their own 8,192 of 8,192 take 1 / 2.2 of the time
  // forward and 1 / 1.3 of that of gradients [NVIDIA/TransformerEngine, pull request 747].
  @Test
  void shouldNormaliseOneRowAfterTheOtherWhereNoKernelIsTunedForTheSize() {
    assertThat(TIMES.seconds(norm(NormKernel.PERSISTENT, 32768, 2688, false, false))).isCloseTo(312e-6, within(5e-6));
    assertThat(norm(NormKernel.PERSISTENT, 32768, 2688, false, false).general()).isTrue();
    for (Kernel.Norm tuned : List.of(norm(NormKernel.PERSISTENT, 8192, 8192, false, false),
        norm(NormKernel.PERSISTENT, 8192, 2688, true, false), norm(NormKernel.CUDNN, 8192, 2688, false, false),
        norm(NormKernel.PERSISTENT, 8192, 128, false, false))) {
      assertThat(tuned.general()).as("%s", tuned).isFalse();
      assertThat(TIMES.seconds(tuned)).isCloseTo(3e-6 + tuned.bytes() / (0.81 * 3350e9), within(1e-9));
    }
    for (boolean backward : new boolean[] {false, true}) {
      double own = TIMES.seconds(norm(NormKernel.PERSISTENT, 8192, 8192, false, backward));
      double general = TIMES.seconds(norm(NormKernel.PERSISTENT, 8192, 8191, false, backward));
      assertThat(general / own).isBetween(1.25, 2.2);
    }
  }

  private static Kernel.Norm norm(NormKernel kernel, long rows, int size, boolean centred, boolean backward) {
    return new Kernel.Norm("norm", kernel, rows, size, centred, backward);
  }

  // Its kernels of 25 and 73 ms keep the rate of those of 3 ms at 700 W.
  @Test
  void shouldLetFlashAttention2KeepItsClockUntilTheLimitIsLow() {
    for (boolean backward : new boolean[] {false, true}) {
      Kernel.Attention attention = attention(AttentionKernel.FLASH_2, backward);
      Kernel.Attention other = attention(AttentionKernel.FLASH_3, backward);
      double boost = TIMES.seconds(attention);
      assertThat(times("sustained").seconds(attention)).isCloseTo(boost, within(0.01 * boost));
      LibraryTimes limited = times("sustained, power-limit: 500");
      assertThat(limited.seconds(attention) / boost).isGreaterThan(1.05)
          .isLessThan(limited.seconds(other) / TIMES.seconds(other));
    }
  }

  @Test
  void shouldSlowAttentionDownAtTheLimitOfPowerAsProducts() {
    LibraryTimes lasting = times("sustained");
    Kernel.Attention attention = attention(AttentionKernel.FLASH_3, false);
    Kernel.Gemm product = new Kernel.Gemm("product", 1, 8192, 8192, 8192, Precision.BF16, 2);
    double slower = lasting.seconds(attention) / TIMES.seconds(attention);
    // Measured: 1.143 on H100, 1.197 on H200.
    assertThat(slower).isBetween(1.12, 1.2);
    assertThat(lasting.seconds(product) / TIMES.seconds(product)).isCloseTo(slower, within(0.02));
  }

  // A product that fills the multiprocessors draws all that the limit leaves; its clock goes with the cube root of what
  // is above the power of an idle accelerator, 130 W.
  @Test
  void shouldSlowProductsByTheCubeRootAndNotCopiesWhenPowerIsLimited() {
    Kernel.Gemm product = new Kernel.Gemm("product", 1, 8192, 8192, 8192, Precision.BF16, 2);
    Kernel.Memory copy = new Kernel.Memory("copy", 1e9);
    LibraryTimes full = times("sustained");
    double idle = full.power(List.of(product)).orElseThrow().waiting();
    for (int watts : new int[] {350, 500, 600}) {
      LibraryTimes limited = times("sustained, power-limit: " + watts);
      assertThat(limited.seconds(product) / full.seconds(product)).as("%s W", watts)
          .isCloseTo(Math.cbrt((700 - idle) / (watts - idle)), within(1e-6));
      assertThat(limited.seconds(copy)).as("%s W", watts).isEqualTo(full.seconds(copy));
      assertThat(limited.power(List.of(product)).orElseThrow().computing()).as("%s W", watts)
          .isCloseTo(watts, within(1e-6));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {40, 701, 99_999})
  void shouldRefuseALimitBelowTheIdlePowerOrAboveTheDataSheets(int watts) {
    assertThatThrownBy(() -> times("sustained, power-limit: " + watts)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("of an idle H100 SXM and at most the 700 W of its data sheet, but is " + watts);
  }

  @Test
  void shouldTakeTheDataSheetsLimitAsNone() {
    Kernel.Gemm product = new Kernel.Gemm("product", 1, 8192, 8192, 8192, Precision.BF16, 2);
    assertThat(times("sustained, power-limit: 700").seconds(product)).isEqualTo(times("sustained").seconds(product));
  }

  @Test
  void shouldTakeLongerForManySmallExpertsThanForOneProductWithTheirRows() {
    assertThat(product("expert-up", 128, 64, 1536, 2048)).isGreaterThan(3 * product("up", 1, 8192, 1536, 2048));
    assertThat(product("expert-up", 4, 8192, 4096, 7168))
        .isBetween(product("up", 1, 32768, 4096, 7168), 1.3 * product("up", 1, 32768, 4096, 7168));
    assertThat(product("expert-up-weights", 128, 1536, 2048, 64))
        .isGreaterThan(3 * product("up-weights", 1, 1536, 2048, 8192));
  }

  // Each 128 elements of the inner size leave a partial sum of every result; vector units add 33.5 T of them a second.
  @ParameterizedTest
  @CsvSource({"up, FP8, 0", "up-inputs, FP8, 1", "up-weights, FP8, 1", "up-inputs, BF16, 0", "up-weights, BF16, 0"})
  void shouldAddPartialSumsOfGradientsInEightBits(String name, Precision precision, int times) {
    Kernel.Gemm product = new Kernel.Gemm(name, 1, 8192, 4096, 8192, precision, 2);
    double fast = TIMES.seconds(new Kernel.Gemm("up", 1, 8192, 4096, 8192, precision, 2));
    double additions = 8192.0 * 4096 * 8192 / 128;
    assertThat(TIMES.seconds(product) - fast).isCloseTo(times * additions / 33.5e12, within(1e-12));
    if (times > 0) {
      assertThat(TIMES.seconds(product) / fast).isBetween(1.1, 1.25);
      assertThat(TIMES.estimate(product).relativeError()).isGreaterThan(0.1);
    }
  }

  private static LibraryTimes amd(String name, String architecture, String clock) {
    return times(clock, new Accelerator(name, Vendor.AMD, architecture, 0, 304, DataSize.parse("192 GiB"),
        DataRate.parse("5300 GB/s"), Map.of(Precision.BF16, ComputeRate.parse("1307 Tflop/s"), Precision.FP8,
            ComputeRate.parse("2615 Tflop/s"))));
  }

  // Rows of the tables by AITER; gradients with sums in 32 bits on MI300X, in 16 bits on MI355X. Relatives take them by
  // the data sheets, and CDNA 2, for which the kernels are not written, none.
  @Test
  void shouldTakeAttentionOfAmdFromAitersTables() {
    LibraryTimes third = amd("MI300X", "cdna3", "sustained");
    assertThat(third.estimate(attention(AttentionKernel.FUSED, false)).source())
        .startsWith("mi300x attention-forward bf16 aiter");
    assertThat(third.estimate(attention(AttentionKernel.FLASH_2, true)).source())
        .startsWith("mi300x attention-backward bf16 aiter-a32");
    assertThat(amd("MI355X", "cdna4", "sustained").estimate(attention(AttentionKernel.FLASH_2, true)).source())
        .startsWith("mi355x attention-backward bf16 aiter-a16");
    assertThat(amd("MI325X", "cdna3", "sustained").estimate(attention(AttentionKernel.FLASH_2, true)).source())
        .startsWith("mi300x attention-backward bf16 aiter-a32");
    assertThat(amd("MI250X GCD", "cdna2", "sustained").estimate(attention(AttentionKernel.FLASH_2, true)).basis())
        .isEqualTo(Basis.MODELLED);
  }

  // Tables of AMD's accelerators are means of runs in a row; those of NVIDIA's rest before each.
  @Test
  void shouldNotLengthenTimesThatAreOfTheClockThatLasts() {
    Kernel product = new Kernel.Gemm("product", 1, 8192, 8192, 8192, Precision.BF16, 2);
    LibraryTimes lasting = amd("MI300X", "cdna3", "sustained");
    assertThat(lasting.seconds(product)).isEqualTo(amd("MI300X", "cdna3", "boost").seconds(product));
    double limited = amd("MI300X", "cdna3", "sustained, power-limit: 500").seconds(product);
    assertThat(limited / lasting.seconds(product)).isCloseTo(Math.cbrt((750 - 140) / (500.0 - 140)), within(1e-6));
    Kernel inputs = new Kernel.Gemm("product-inputs", 1, 8192, 8192, 8192, Precision.BF16, 2);
    assertThat(lasting.seconds(inputs) / lasting.seconds(product)).isCloseTo(1.056, within(1e-9));
    LibraryTimes fourth = amd("MI355X", "cdna4", "sustained");
    assertThat(fourth.seconds(inputs)).isEqualTo(fourth.seconds(product));
  }

  @ParameterizedTest
  @CsvSource({"NVIDIA, ampere, FLASH_2", "NVIDIA, ada, FLASH_2", "NVIDIA, hopper, FLASH_3",
      "NVIDIA, blackwell, FLASH_3", "AMD, cdna3, FLASH_2"})
  void shouldTakeTheKernelThatTransformerEnginePrefersWhenFused(
      Vendor vendor, String architecture, AttentionKernel kernel) {
    Accelerator accelerator = new Accelerator("any", vendor, architecture, 0, 132, DataSize.parse("80 GiB"),
        DataRate.parse("3350 GB/s"), Map.of());
    assertThat(AttentionKernel.FUSED.on(accelerator)).isEqualTo(kernel);
    assertThat(AttentionKernel.FLASH_1.on(accelerator)).isEqualTo(AttentionKernel.FLASH_1);
    assertThat(TIMES.seconds(attention(AttentionKernel.FUSED, true)))
        .isEqualTo(TIMES.seconds(attention(AttentionKernel.FLASH_3, true)));
  }
}
