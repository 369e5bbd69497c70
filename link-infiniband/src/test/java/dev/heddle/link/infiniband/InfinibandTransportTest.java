package dev.heddle.link.infiniband;

import static dev.heddle.testkit.fixture.Records.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.link.infiniband.InfinibandTransportProvider.Settings;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.spi.Provider;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.testkit.contract.TransportContract;
import java.util.List;
import org.junit.jupiter.api.Test;

class InfinibandTransportTest extends TransportContract<Settings> {
  private static final long LINE = 100_000_000_000L;
  private static final ConnectionPath PATH = new ConnectionPath(LINE, 14_000_000, 4160, 4096, 64, 6);

  @Override
  protected Provider<Settings, TransportProtocol> provider() {
    return new InfinibandTransportProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(
        Settings.defaults(), with(Settings.defaults(), "cctiIncrease", 4, "shift", 2),
        with(Settings.defaults(), "cctiMin", 3));
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(with(Settings.defaults(), "cctiMin", 128));
  }

  /** At index i a packet follows another after its own time and i times that over 2^shift. */
  @Test
  void shouldDelayPacketsAsTheTableSays() {
    for (int shift = 0; shift < 4; shift++) {
      CctControl control = new CctControl(PATH, with(Settings.defaults(), "shift", shift));
      for (int index = 0; index <= 127; index++) {
        double packets = 1 + index / Math.pow(2, shift);
        assertThat((double) LINE / control.rateBitsPerSecond()).isCloseTo(packets, within(1e-6 * packets));
        control.onNotification(0);
      }
      assertThat(control.index()).as("limit").isEqualTo(127);
    }
  }

  /** From index k the line rate is back after k timers, which notifications do not start anew. */
  @Test
  void shouldRecoverInOneTimerPerStep() {
    long timer = Settings.defaults().cctiTimer().ps();
    CctControl control = new CctControl(PATH, Settings.defaults());
    for (int index = 0; index < 20; index++) {
      control.onNotification(index);
    }
    assertThat(control.timerPs()).isEqualTo(timer);
    int steps = 0;
    while (control.timerPs() != Long.MAX_VALUE) {
      control.onTimer(control.timerPs());
      steps++;
      assertThat(control.index()).isEqualTo(20 - steps);
    }
    assertThat(steps).isEqualTo(20);
    assertThat(control.rateBitsPerSecond()).isEqualTo(LINE);
    control.onNotification(30 * timer);
    assertThat(control.timerPs()).isEqualTo(31 * timer);
  }

  /** The index does not fall below its least value, and begins there. */
  @Test
  void shouldKeepLeastIndex() {
    CctControl control = new CctControl(PATH, with(Settings.defaults(), "cctiMin", 3));
    assertThat(control.rateBitsPerSecond()).isEqualTo(LINE / 4);
    control.onNotification(0);
    control.onTimer(control.timerPs());
    assertThat(control.index()).isEqualTo(3);
    assertThat(control.timerPs()).isEqualTo(Long.MAX_VALUE);
  }
}
