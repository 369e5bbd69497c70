package dev.heddle.topology.fattree;

import static dev.heddle.testkit.fixture.Records.with;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Terminal;
import dev.heddle.testkit.contract.TopologyContract;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.tier.Topology;
import dev.heddle.topology.fattree.FatTreeTopologyProvider.Placement;
import dev.heddle.topology.fattree.FatTreeTopologyProvider.Routing;
import dev.heddle.topology.fattree.FatTreeTopologyProvider.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class FatTreeTopologyTest extends TopologyContract<Settings> {

  @Override
  protected Provider<Settings, Topology> provider() {
    return new FatTreeTopologyProvider();
  }

  @Override
  protected List<Settings> settings() {
    List<Settings> all = new ArrayList<>();
    for (Routing routing : Routing.values()) {
      for (Placement placement : Placement.values()) {
        all.add(with(FatTrees.DEFAULTS, "routing", routing, "placement", placement));
        all.add(with(FatTrees.radix(2, 6, 2), "routing", routing, "placement", placement));
        all.add(with(FatTrees.radix(3, 4, 1), "routing", routing, "placement", placement));
        for (int planes : new int[] {1, 2}) {
          all.add(with(FatTrees.radix(3, 8, 1), "routing", routing, "placement", placement, "ports", Optional.of(2),
              "planes", Optional.of(planes)));
        }
        all.add(with(FatTrees.shape(List.of(4, 5), List.of(2, 2), List.of(1, 3)), "routing", routing, "placement",
            placement));
      }
    }
    all.add(FatTrees.radix(1, 24, 1));
    all.add(with(FatTrees.radix(3, 4, 1), "reduction", Optional.of(Fabrics.link("400 Gb/s"))));
    return all;
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(
        FatTrees.radix(0, 8, 1),
        FatTrees.radix(9, 8, 1),
        FatTrees.radix(2, 7, 1),
        FatTrees.radix(3, 8, 2),
        FatTrees.radix(8, 1024, 1),
        FatTrees.shape(List.of(4, 0), List.of(), List.of()),
        FatTrees.shape(List.of(4, 4), List.of(1), List.of()),
        FatTrees.shape(List.of(4, 4), List.of(), List.of(1, 3)),
        FatTrees.shape(List.of(), List.of(1, 2), List.of()),
        FatTrees.shape(List.of(60_000, 60_000), List.of(), List.of()),
        with(FatTrees.radix(2, 8, 1), "ports", Optional.of(2), "planes", Optional.of(4)),
        with(FatTrees.radix(1, 8, 1), "ports", Optional.of(2), "planes", Optional.of(1)),
        with(FatTrees.radix(2, 8, 1), "ports", Optional.of(0)),
        with(FatTrees.radix(2, 6, 1), "ports", Optional.of(4), "planes", Optional.of(1)),
        with(FatTrees.shape(List.of(4, 4), List.of(2, 4), List.of()), "ports", Optional.of(3)),
        new Settings(
            Optional.empty(), List.of(), Fabrics.virtualOutputSwitch(), List.of(), Optional.empty(), Optional.empty(),
            1, List.of(), List.of(), List.of(), Optional.empty(), Optional.empty(), Placement.PACKED, Routing.D_MOD_K,
            Optional.empty()),
        new Settings(
            Optional.empty(), List.of(Fabrics.link("1 Gb/s")), Fabrics.virtualOutputSwitch(), List.of(),
            Optional.empty(), Optional.empty(), 1, List.of(), List.of(), List.of(), Optional.empty(), Optional.empty(),
            Placement.PACKED,
            Routing.D_MOD_K, Optional.empty()),
        new Settings(
            Optional.of(Fabrics.link("1 Gb/s")), List.of(), Fabrics.virtualOutputSwitch(), List.of(),
            Optional.of(2), Optional.of(8), 1, List.of(4, 4), List.of(), List.of(), Optional.empty(), Optional.empty(),
            Placement.PACKED,
            Routing.D_MOD_K, Optional.empty()));
  }

  @Override
  protected List<List<Terminal>> connectable(Settings settings) {
    return List.of(nodes(1), nodes(2), nodes(7), nodes(12), nodes(16));
  }

  @Override
  protected List<List<Terminal>> refused(Settings settings) {
    if (settings.radix().isEmpty() && settings.down().isEmpty()) {
      return List.of();
    }
    return settings.ports().isPresent() ? List.of(nodes(1000)) : List.of(nodes(25), nodes(1000));
  }

  private static List<Terminal> nodes(int count) {
    return Fabrics.terminals(DeviceKind.NIC, count);
  }
}
