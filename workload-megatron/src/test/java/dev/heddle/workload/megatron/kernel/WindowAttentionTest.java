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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds attention with a window, and that of ranks that share a sequence, to the library's time without either. */
class WindowAttentionTest {
  private static final int TOKENS = 8192;

  private static Kernel.Attention attention(long keys, long window, boolean backward) {
    return new Kernel.Attention(
        "attention", AttentionKernel.FLASH_3, 2, 64, 8, TOKENS, keys, window, 64, 64, true, backward);
  }

  private static LibraryTimes times(KernelLibrary library) {
    try (Registry registry = Registry.discover(WindowAttentionTest.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      Accelerator gpu = new Accelerator("GB200", Vendor.NVIDIA, "any", 0, 152, DataSize.parse("186 GiB"),
          DataRate.parse("8 TB/s"), Map.of(Precision.BF16, ComputeRate.parse("2500 Tflop/s")));
      KernelTiming timing = reader.record(KernelTiming.class, "test", "{preset: kernels-blackwell, clock: boost}");
      return new LibraryTimes(library, gpu, timing, new Roofline(gpu, timing), 0);
    }
  }

  // 64 tiles of 128 queries: a mask has 64 * 65 / 2 tiles of pairs, each further step 64 * 32.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldHaveNoHalvesOfTilesInStepsWithoutAMaskWhenRanksShareASequence(boolean backward) {
    LibraryTimes times = times(SharedLibrary.get());
    double first = times.seconds(attention(TOKENS, 0, backward));
    assertThat(times.seconds(attention(4L * TOKENS, 0, backward)) / first).isCloseTo(1 + 3 * 64 / 65.0, within(1e-9));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldTakeTilesAndTrafficOfAWindow(boolean backward) {
    KernelLibrary library = SharedLibrary.get();
    LibraryTimes times = times(library);
    double share = library.windowShare(KernelQuery.of(library.gpus().find("gb200").orElseThrow(),
        backward ? KernelKind.ATTENTION_WINDOW_BACKWARD : KernelKind.ATTENTION_WINDOW_FORWARD, NumberFormat.BF16, 2, 64,
        8, TOKENS, TOKENS, 64, 64, 128));
    double all = times.seconds(attention(TOKENS, 0, backward));
    // Of 2,080 tiles of 128 x 128 a window of 128 tokens reaches 127; keys are counted so.
    double seen = times.seconds(attention(Math.round(TOKENS * 127 / 2080.0), 128, backward));
    assertThat(seen / all).isCloseTo(share, within(1e-9)).isBetween(127 / 2080.0, 0.25);
  }
}
