package dev.heddle.link.ethernet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.link.ethernet.EthernetLinkProvider.Settings;
import dev.heddle.spi.Link;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Setting;
import dev.heddle.testkit.contract.LinkContract;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.List;
import org.junit.jupiter.api.Test;

class EthernetLinkTest extends LinkContract<Settings> {
  @Override
  protected Provider<Settings, Link> provider() {
    return new EthernetLinkProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(
        new Settings(
            DataRate.parse("400 Gb/s"), SimTime.parse("500 ns"), DataSize.ofKiB(4), DataSize.ofBytes(82),
            Fraction.of(0)),
        new Settings(
            DataRate.parse("100 Gb/s"), SimTime.ZERO, DataSize.ofBytes(9000), DataSize.ZERO, Fraction.of(0.01)));
  }

  @Test
  void shouldBoundLossWhenScenarioStatesIt() {
    // With all packets lost a run never ends.
    assertThat(Settings.class.getRecordComponents())
        .filteredOn(component -> component.getName().equals("loss"))
        .extracting(component -> component.getAnnotation(Setting.class).max()).containsExactly("99 %");
  }
}
