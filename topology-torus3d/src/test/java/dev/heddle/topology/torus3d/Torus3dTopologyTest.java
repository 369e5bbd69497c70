package dev.heddle.topology.torus3d;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Terminal;
import dev.heddle.testkit.contract.TopologyContract;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.tier.Topology;
import dev.heddle.topology.torus3d.Torus3dTopologyProvider.Settings;
import java.util.ArrayList;
import java.util.List;

class Torus3dTopologyTest extends TopologyContract<Settings> {
  private static final Settings WITH_HOSTS =
      Slices.of(4, 4, 2).hosts(List.of(2, 2, 1), Fabrics.link("16 GB/s"), Fabrics.link("25 GB/s"));

  @Override
  protected Provider<Settings, Topology> provider() {
    return new Torus3dTopologyProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(
        Slices.of(4, 4, 4), Slices.of(5, 3), Slices.of(8), Slices.of(2, 2, 2),
        Slices.of(2, 4, 4).wrapping(List.of(false)),
        Slices.of(4, 8).wrapping(List.of(false, true)), Slices.of(4, 4, 8).twisted(), Slices.of(8, 4, 4).twisted(),
        Slices.of(4, 8, 8).twisted(), Slices.of(3, 3, 6).twisted(), Slices.of(6, 3, 6).twisted(), WITH_HOSTS);
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(
        Slices.of(), Slices.of(2, 2, 2, 2), Slices.of(1, 1), Slices.of(4, 4, 4).twisted(),
        Slices.of(4, 4, 12).twisted(),
        Slices.of(2, 2, 4).twisted(), Slices.of(4, 4, 8).wrapping(List.of(true, true, false)).twisted(),
        Slices.of(4, 4).wrapping(List.of(true, true, true)),
        Settings.of(List.of(4, 4, 4), Slices.link(1), Fabrics.virtualOutputSwitch()),
        Slices.of(4, 4).hosts(List.of(3, 1), Slices.link(1), Slices.link(1)),
        Slices.of(4, 4).hosts(List.of(2, 2, 1), Slices.link(1), Slices.link(1)));
  }

  @Override
  protected List<List<Terminal>> connectable(Settings settings) {
    List<Terminal> chips = Fabrics.terminals(DeviceKind.ACCELERATOR, Slices.chips(settings));
    if (settings.hostSize().isEmpty()) {
      return List.of(chips);
    }
    List<Terminal> all = new ArrayList<>(chips);
    all.addAll(Fabrics.terminals(DeviceKind.CPU, chips.size() / 4));
    List<Terminal> withNics = new ArrayList<>(all);
    withNics.addAll(Fabrics.terminals(DeviceKind.NIC, chips.size() / 2));
    return List.of(chips, all, withNics);
  }

  @Override
  protected List<List<Terminal>> refused(Settings settings) {
    int chips = Slices.chips(settings);
    List<Terminal> withNic = new ArrayList<>(Fabrics.terminals(DeviceKind.ACCELERATOR, chips));
    withNic.addAll(Fabrics.terminals(DeviceKind.NIC, 1));
    return List.of(Fabrics.terminals(DeviceKind.ACCELERATOR, chips + 1),
        Fabrics.terminals(DeviceKind.ACCELERATOR, 1), withNic);
  }
}
