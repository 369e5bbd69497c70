package dev.heddle.workload.megatron.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.kernel.KernelKind;
import dev.heddle.kernel.KernelLibrary;
import dev.heddle.kernel.KernelQuery;
import dev.heddle.kernel.NumberFormat;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Accelerator.Vendor;
import dev.heddle.spi.Precision;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Holds latent attention of jobs to the kernels that were measured with its heads. */
class LatentAttentionTest {
  private static Kernel.Attention attention(int keySize, int valueSize, boolean backward) {
    return new Kernel.Attention(
        "attention", AttentionKernel.FLASH_3, 1, 128, 128, 4096, 4096, 0, keySize, valueSize, true, backward);
  }

  private static LibraryTimes times(String accelerator) {
    try (Registry registry = Registry.discover(LatentAttentionTest.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      Accelerator gpu = new Accelerator(accelerator, Vendor.NVIDIA, "any", 0, 132, DataSize.parse("80 GiB"),
          DataRate.parse("3350 GB/s"), Map.of(Precision.BF16, ComputeRate.parse("989 Tflop/s")));
      KernelTiming timing = reader.record(KernelTiming.class, "test", "{preset: kernels-hopper, clock: boost}");
      return new LibraryTimes(SharedLibrary.get(), gpu, timing, new Roofline(gpu, timing), 0);
    }
  }

  @ParameterizedTest
  @CsvSource({"H100 SXM, h100", "GB200, gb200"})
  void shouldTakeTheMeasuredTimeOfItsOwnKernel(String accelerator, String gpu) {
    KernelLibrary library = SharedLibrary.get();
    double measured = library.estimate(new KernelQuery(library.gpus().find(gpu).orElseThrow(),
        KernelKind.LATENT_PREFILL, NumberFormat.BF16, "cudnn", new long[] {1, 128, 4096})).seconds();
    assertThat(times(accelerator).seconds(attention(192, 128, false))).isCloseTo(measured, within(1e-12));
  }

  @Test
  void shouldMultiplyThreeTimesWithKeysAndTwiceWithValuesForGradients() {
    assertThat(attention(128, 128, true).flops() / attention(128, 128, false).flops()).isEqualTo(2.5);
    assertThat(attention(192, 128, true).flops() / attention(192, 128, false).flops()).isEqualTo(2.6);
  }
}
