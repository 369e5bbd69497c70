package dev.heddle.testkit.contract;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Terminal;
import dev.heddle.standard.topology.StarTopologyProvider;
import dev.heddle.standard.topology.StarTopologyProvider.Settings;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.tier.Topology;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StarTopologyTest extends TopologyContract<Settings> {
  @Override
  protected Provider<Settings, Topology> provider() {
    return new StarTopologyProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(
        new Settings(Fabrics.link("100 Gb/s"), Map.of(), Fabrics.virtualOutputSwitch()),
        new Settings(
            Fabrics.link("100 Gb/s"), Map.of("nic", Fabrics.link("400 Gb/s")), Fabrics.virtualOutputSwitch()));
  }

  @Override
  protected List<List<Terminal>> connectable(Settings settings) {
    List<Terminal> mixed =
        Stream.concat(
            Fabrics.terminals(DeviceKind.ACCELERATOR, 8).stream(), Fabrics.terminals(DeviceKind.NIC, 2).stream())
            .toList();
    return settings.links().isEmpty()
        ? List.of(mixed, Fabrics.terminals(DeviceKind.CPU, 1), Fabrics.terminals(DeviceKind.CPU, 100))
        : List.of(mixed);
  }

  @Test
  void shouldSayHowManyWhenTerminalsAreTooMany() {
    Topology star = provider().create(settings().get(0));
    List<Terminal> many = Fabrics.terminals(DeviceKind.ACCELERATOR, 46_341);
    assertThatThrownBy(() -> star.plan(many)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("46341 terminals are more than one switch has here; at most 46340");
  }
}
