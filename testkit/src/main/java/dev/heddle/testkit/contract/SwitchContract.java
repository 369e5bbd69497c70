package dev.heddle.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.spi.Switch;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The rules of {@link Switch}.
 *
 * @param <S> the settings record
 */
public abstract class SwitchContract<S extends Record> extends ProviderContract<S, Switch> {
  @Test
  void switch1ShouldAnswerAlikeAtEveryCall() {
    for (S settings : settings()) {
      Switch device = product(settings);
      List<Object> first = answers(device);
      assertThat(answers(device)).as("%s", settings).isEqualTo(first);
      assertThat(answers(product(settings))).as("%s, made again", settings).isEqualTo(first);
    }
  }

  private static List<Object> answers(Switch device) {
    return List.of(
        device.latencyPs(), device.switching(), device.buffering(), device.arbitration(), device.inputBufferBytes(),
        device.outputBufferBytes());
  }

  @Test
  void switch2ShouldHaveLatencyOfAtLeastZero() {
    for (S settings : settings()) {
      assertThat(product(settings).latencyPs()).as("%s", settings).isNotNegative();
    }
  }

  @Test
  void switch3ShouldHaveBuffersOfAtLeastZero() {
    for (S settings : settings()) {
      assertThat(product(settings).inputBufferBytes()).as("input buffer, %s", settings).isNotNegative();
      assertThat(product(settings).outputBufferBytes()).as("output buffer, %s", settings).isNotNegative();
    }
  }
}
