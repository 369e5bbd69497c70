package dev.heddle.topology.torus3d;

import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.tier.Topology;
import dev.heddle.topology.torus3d.Torus3dTopologyProvider.Settings;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Slices to test with. */
final class Slices {
  private Slices() {}

  /** A link of 45 GB/s with virtual channels of 8 KiB. */
  static Link link(int virtualChannels) {
    return new GenericLinkProvider().create(new GenericLinkProvider.Settings(
        DataRate.parse("45 GB/s"), SimTime.parse("100 ns"), DataSize.ofKiB(4), DataSize.ZERO,
        Optional.of(DataSize.ofKiB(8)), Optional.empty(), virtualChannels));
  }

  /** A torus of chips. */
  static Settings of(Integer... size) {
    return Settings.of(List.of(size), link(2), Fabrics.virtualOutputSwitch());
  }

  /** The chips of some settings. */
  static int chips(Settings settings) {
    return settings.size().stream().reduce(1, (a, b) -> a * b);
  }

  /** A node of the chips of some settings. */
  static Fabric fabric(Settings settings) {
    return fabric(new Torus3dTopologyProvider().create(settings), chips(settings));
  }

  /** A node whose accelerators a topology joins. */
  static Fabric fabric(Topology topology, int accelerators) {
    return Fabric.of(List.of(new Tier(
        "slice", 1, Map.of(DeviceKind.ACCELERATOR, accelerators), Optional.empty(), topology)));
  }
}
