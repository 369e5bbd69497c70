package dev.heddle.testkit.contract;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Medium;
import dev.heddle.spi.Provider;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.standard.link.GenericLinkProvider.Settings;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GenericLinkTest extends LinkContract<Settings> {
  @Override
  protected Provider<Settings, Link> provider() {
    return new GenericLinkProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(
        Settings.of(DataRate.parse("128 Gb/s"), SimTime.ZERO),
        Settings.of(DataRate.parse("10 kb/s"), SimTime.parse("1 s")),
        new Settings(
            DataRate.parse("400 Gb/s"), SimTime.parse("6 ns"), DataSize.ofBytes(4032), DataSize.ofBytes(64),
            Optional.of(DataSize.ofKiB(64)), Optional.of(SimTime.parse("20 ns")), 8).medium(Medium.SOCKET)
            .loss(Fraction.of(0.01)),
        new Settings(
            DataRate.parse("999_999_999_937 b/s"), SimTime.parse("1 ns"), DataSize.ofBytes(1), DataSize.ofBytes(7),
            Optional.empty(), Optional.empty(), 2),
        new Settings(
            DataRate.parse("9000 Tb/s"), SimTime.ZERO, DataSize.parse("1 GiB"), DataSize.ZERO,
            Optional.empty(), Optional.empty(), 1));
  }

  @Test
  void shouldRefuseABufferThatHoldsNothing() {
    Settings settings = new Settings(
        DataRate.parse("128 Gb/s"), SimTime.ZERO, DataSize.ofKiB(4), DataSize.ZERO, Optional.of(DataSize.ZERO),
        Optional.empty(), 1);
    assertThatThrownBy(() -> provider().create(settings)).isInstanceOf(InvalidSettingException.class)
        .hasMessage("0 B hold no packet; without it, the buffer is unlimited");
  }
}
