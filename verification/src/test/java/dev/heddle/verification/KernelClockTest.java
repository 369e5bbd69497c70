package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.kernel.GpuSpec;
import dev.heddle.kernel.KernelLibrary;
import dev.heddle.kernel.NumberFormat;
import dev.heddle.kernel.SustainedClock;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Precision;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.kernel.KernelTiming;
import dev.heddle.workload.megatron.kernel.LibraryTimes;
import dev.heddle.workload.megatron.kernel.Roofline;
import dev.heddle.workload.megatron.kernel.SharedLibrary;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of kernel times at the boost clock of short runs, against those at the clock of a job. */
class KernelClockTest {
  @Test
  void shouldDifferByTheClockOfPowerWhenARunIsShort() {
    try (Registry registry = Registry.discover(KernelClockTest.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      Accelerator h100 = reader.record(Accelerator.class, "h100", "{preset: h100-sxm}");
      KernelLibrary library = SharedLibrary.get();
      GpuSpec gpu = library.gpus().find(h100.name()).orElseThrow();
      Kernel.Gemm square = new Kernel.Gemm("square", 1, 8192, 8192, 8192, Precision.BF16, 2);
      double boost = seconds(reader, library, h100, "boost", square);
      double sustained = seconds(reader, library, h100, "sustained", square);
      double clock = SustainedClock.of(gpu).clock(NumberFormat.BF16, 1, square.bytes() / boost);
      assertThat(clock).isLessThan(0.95);
      assertThat(boost / sustained).isCloseTo(clock, within(1e-9));
    }
  }

  private static double seconds(
      ScenarioReader reader, KernelLibrary library, Accelerator accelerator, String clock, Kernel kernel) {
    KernelTiming timing =
        reader.record(KernelTiming.class, "kernels", "{preset: kernels-hopper, clock: " + clock + "}");
    return new LibraryTimes(library, accelerator, timing, new Roofline(accelerator, timing), 0).seconds(kernel);
  }
}
