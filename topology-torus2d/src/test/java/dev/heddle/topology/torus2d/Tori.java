package dev.heddle.topology.torus2d;

import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.tier.Topology;
import dev.heddle.topology.torus2d.TorusTopologyProvider.Settings;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Tori to test with. */
final class Tori {
  private Tori() {}

  /** A link of 10 GB/s with virtual channels, and a buffer for each of them. */
  static Link link(int virtualChannels, Optional<DataSize> buffer) {
    return new GenericLinkProvider().create(new GenericLinkProvider.Settings(
        DataRate.parse("10 GB/s"), SimTime.parse("100 ns"), DataSize.ofKiB(4), DataSize.ZERO, buffer,
        Optional.empty(), virtualChannels));
  }

  /** A chip of cores with a memory of 40 GB/s and DMA engines that are no bottleneck. */
  static Chip chip(int cores, int lnc) {
    return new Chip(
        cores, lnc, DataRate.parse("40 GB/s"), SimTime.parse("50 ns"), 16, DataRate.parse("100 GB/s"),
        SimTime.parse("20 ns"), Optional.empty(), Optional.empty(), Fabrics.virtualOutputSwitch());
  }

  /** A torus of chips of one core each. */
  static Settings of(Integer... size) {
    return Settings.of(List.of(size), link(8, Optional.of(DataSize.ofKiB(16))), chip(1, 1));
  }

  /** A node whose accelerators a topology joins. */
  static Fabric fabric(Topology topology, int accelerators) {
    return Fabric.of(List.of(new Tier(
        "node", 1, Map.of(DeviceKind.ACCELERATOR, accelerators), Optional.empty(), topology)));
  }
}
