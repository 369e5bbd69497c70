package dev.heddle.docs;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Terminal;
import dev.heddle.testkit.contract.TopologyContract;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.tier.Topology;
import java.util.List;

class ChainTopologyTest extends TopologyContract<ChainTopologyProvider.Settings> {
  @Override
  protected Provider<ChainTopologyProvider.Settings, Topology> provider() {
    return new ChainTopologyProvider();
  }

  @Override
  protected List<ChainTopologyProvider.Settings> settings() {
    return List.of(new ChainTopologyProvider.Settings(Fabrics.link("100 Gb/s"), Fabrics.virtualOutputSwitch()));
  }

  @Override
  protected List<List<Terminal>> connectable(ChainTopologyProvider.Settings settings) {
    return List.of(Fabrics.terminals(DeviceKind.ACCELERATOR, 2), Fabrics.terminals(DeviceKind.ACCELERATOR, 7));
  }

  @Override
  protected List<List<Terminal>> refused(ChainTopologyProvider.Settings settings) {
    return List.of(Fabrics.terminals(DeviceKind.ACCELERATOR, 1025));
  }
}
