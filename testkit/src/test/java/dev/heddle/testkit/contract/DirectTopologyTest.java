package dev.heddle.testkit.contract;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Terminal;
import dev.heddle.standard.topology.DirectTopologyProvider;
import dev.heddle.standard.topology.DirectTopologyProvider.Settings;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.tier.Topology;
import java.util.List;

class DirectTopologyTest extends TopologyContract<Settings> {
  @Override
  protected Provider<Settings, Topology> provider() {
    return new DirectTopologyProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(new Settings(Fabrics.link("100 Gb/s")));
  }

  @Override
  protected List<List<Terminal>> connectable(Settings settings) {
    return List.of(Fabrics.terminals(DeviceKind.NIC, 1), Fabrics.terminals(DeviceKind.NIC, 2),
        Fabrics.terminals(DeviceKind.NIC, 9));
  }
}
