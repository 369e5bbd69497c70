package dev.heddle.workload.megatron.parallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.spi.Accelerator.Vendor;
import dev.heddle.spi.Processor;
import dev.heddle.spi.Processor.InstructionSet;
import java.util.Optional;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the time of a kernel on a host with the measured times of its source. */
class HostTimeTest {
  // [Transformer Engine, issue 2053]: a module's pass on GB200 and GH200; PyTorch's linear layer on both and on a Xeon.
  @ParameterizedTest
  @CsvSource({"neoverse-v2, 95.1", "sapphire-rapids, 36.4", "emerald-rapids, 36.4", "milan, 40.5"})
  void shouldTakeTheMeasuredTimeOfAProcessorOrTheMiddleOfWhatIsPublished(String architecture, double micros) {
    Processor host = new Processor("host", Vendor.NVIDIA, InstructionSet.OTHER, architecture, 72);
    assertThat(1e6 * HostTime.on(Optional.of(host)).seconds()).isCloseTo(micros, Percentage.withPercentage(0.01));
  }

  @Test
  void shouldBeBetweenBothMeasurementsOfAModule() {
    double grace = 1e6
        * HostTime.on(Optional.of(new Processor("Grace", Vendor.NVIDIA, InstructionSet.ARM, "neoverse-v2", 72)))
            .seconds();
    assertThat(grace).isBetween(90.53, 99.66);
    assertThat(grace / (1e6 * HostTime.UNMEASURED.seconds() / 15)).isCloseTo((33.17 + 37.08) / 2,
        Percentage.withPercentage(1));
    assertThat(HostTime.on(Optional.empty())).isEqualTo(HostTime.UNMEASURED);
  }
}
