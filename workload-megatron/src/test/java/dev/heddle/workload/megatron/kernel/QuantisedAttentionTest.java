package dev.heddle.workload.megatron.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantisedAttentionTest {
  private static KernelTiming timing(String yaml) {
    try (Registry registry = Registry.discover(QuantisedAttentionTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).record(KernelTiming.class, "test", yaml);
    }
  }

  private static Kernel.QuantisedAttention attention(int keySize, int valueSize, boolean backward) {
    return new Kernel.QuantisedAttention(new Kernel.Attention("attention", AttentionKernel.FLASH_3, 2, 16, 16, 4096,
        4096, keySize, valueSize, true, backward), LinearFormat.MXFP8);
  }

  // Heads of 96 lie in the middle of 64 and 128; those of 32 and 256 are outside.
  @ParameterizedTest
  @CsvSource({"64, 0.9, 1.2", "96, 0.8, 1.1", "128, 0.7, 1.0", "32, 0.9, 1.2", "256, 0.7, 1.0"})
  void shouldTakeTimesBetweenAndBesideTheStatedSizesOfHeads(int size, double forward, double backward) {
    KernelTiming timing = timing("{preset: kernels-blackwell, quantised-attention: ["
        + "{format: mxfp8, size: 128, forward: 0.7, backward: 1},"
        + " {format: mxfp8, size: 64, forward: 0.9, backward: 1.2}]}");
    assertThat(timing.relativeTime(attention(size, size, false))).isCloseTo(forward, within(1e-12));
    assertThat(timing.relativeTime(attention(size, size, true))).isCloseTo(backward, within(1e-12));
  }

  @Test
  void shouldRefuseAttentionInEightBitsWithoutItsTimes() {
    KernelTiming timing = timing("{preset: kernels-hopper}");
    Kernel kernel = attention(128, 128, false);
    assertThatThrownBy(() -> timing.relativeTime((Kernel.QuantisedAttention) kernel))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("mxfp8")
        .hasMessageContaining("kernels-blackwell");
  }
}
