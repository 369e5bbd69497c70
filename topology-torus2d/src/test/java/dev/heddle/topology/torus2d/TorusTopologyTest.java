package dev.heddle.topology.torus2d;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Terminal;
import dev.heddle.testkit.contract.TopologyContract;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.tier.Topology;
import dev.heddle.topology.torus2d.TorusTopologyProvider.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class TorusTopologyTest extends TopologyContract<Settings> {
  @Override
  protected Provider<Settings, Topology> provider() {
    return new TorusTopologyProvider();
  }

  @Override
  protected List<Settings> settings() {
    List<Settings> all = new ArrayList<>();
    for (Routing routing : Routing.values()) {
      all.add(Tori.of(4, 4).routed(routing));
      all.add(Tori.of(2, 5).routed(routing));
      all.add(Tori.of(2, 2).doubled().routed(routing));
      all.add(Tori.of(3, 4).mesh().routed(routing));
      all.add(Tori.of(2, 3, 4).routed(routing));
    }
    all.add(Settings.of(List.of(2, 4), Tori.link(2, Optional.empty()), Tori.chip(8, 2)));
    all.add(Settings.of(List.of(2, 2), Tori.link(2, Optional.empty()), Tori.chip(4, 1)));
    return all;
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(
        Tori.of(4), Tori.of(2, 2, 2, 2),
        Settings.of(List.of(4, 4), Tori.link(1, Optional.empty()), Tori.chip(1, 1)),
        Tori.of(16, 16).routed(Routing.ADAPTIVE),
        Tori.of(16, 16).routed(Routing.SHORTEST_PATH),
        Settings.of(List.of(4, 4), Tori.link(2, Optional.empty()), Tori.chip(3, 2)),
        new Settings(
            List.of(4, 4, 4), true, TorusTopologyProvider.Pairs.MERGED,
            List.of(Tori.link(2, Optional.empty()), Tori.link(2, Optional.empty())), Tori.chip(1, 1),
            Routing.DIMENSION_ORDER, Optional.empty(), Optional.empty()));
  }

  @Override
  protected List<List<Terminal>> connectable(Settings settings) {
    return List.of(Fabrics.terminals(DeviceKind.ACCELERATOR, ranks(settings)));
  }

  @Override
  protected List<List<Terminal>> refused(Settings settings) {
    return List.of(
        Fabrics.terminals(DeviceKind.ACCELERATOR, ranks(settings) + 1),
        Fabrics.terminals(DeviceKind.ACCELERATOR, 1));
  }

  private static int ranks(Settings settings) {
    return settings.size().stream().reduce(settings.chip().ranks(), (a, b) -> a * b);
  }
}
