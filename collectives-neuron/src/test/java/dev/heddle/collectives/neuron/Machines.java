package dev.heddle.collectives.neuron;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.standard.link.GenericSwitchProvider;
import dev.heddle.testkit.fixture.CollectiveRequest;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.topology.torus2d.Chip;
import dev.heddle.topology.torus2d.Routing;
import dev.heddle.topology.torus2d.TorusTopologyProvider;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Tori of chips like Trainium2's. */
final class Machines {
  private Machines() {}

  /** A chip of cores, two to a rank. */
  static Chip chip(int ranks) {
    return new Chip(
        2 * ranks, 2, DataRate.parse("2900 GB/s"), SimTime.parse("150 ns"), 16, DataRate.parse("23 GB/s"),
        SimTime.parse("20 ns"), Optional.empty(), Optional.of(DataSize.ofKiB(128)),
        new GenericSwitchProvider().create(
            GenericSwitchProvider.Settings.of(SimTime.parse("50 ns"), Switch.Buffering.VIRTUAL_OUTPUT)));
  }

  /** A torus of chips of so many ranks. */
  static Fabric torus(int ranksPerChip, Integer... size) {
    return fabric(ranksPerChip, TorusTopologyProvider.Settings.of(List.of(size), link(), chip(ranksPerChip)));
  }

  /** A mesh of chips of so many ranks. */
  static Fabric mesh(int ranksPerChip, Integer... size) {
    return fabric(ranksPerChip, TorusTopologyProvider.Settings.of(List.of(size), link(), chip(ranksPerChip)).mesh());
  }

  /** Tori of chips of so many ranks, of which a NIC on every chip reaches the others. */
  static Fabric instances(int nodes, int ranksPerChip, Integer... size) {
    int chips = List.of(size).stream().reduce(1, (a, b) -> a * b);
    Map<DeviceKind, Integer> terminals = new LinkedHashMap<>();
    terminals.put(DeviceKind.ACCELERATOR, chips * ranksPerChip);
    terminals.put(DeviceKind.NIC, chips);
    TorusTopologyProvider.Settings torus = new TorusTopologyProvider.Settings(
        List.of(size), true, TorusTopologyProvider.Pairs.MERGED, List.of(link()), chip(ranksPerChip),
        Routing.DIMENSION_ORDER, Optional.of(Fabrics.link("252 Gb/s")), Optional.empty());
    return Fabric.of(List.of(
        Tier.inner("node", terminals, Fabrics.virtualOutputSwitch(), new TorusTopologyProvider().create(torus)),
        Tier.outer("cluster", nodes, Fabrics.star(Fabrics.link("200 Gb/s")))));
  }

  private static Link link() {
    return new GenericLinkProvider().create(new GenericLinkProvider.Settings(
        DataRate.parse("128 GB/s"), SimTime.parse("100 ns"), DataSize.ofKiB(4), DataSize.ZERO,
        Optional.of(DataSize.ofKiB(64)),
        Optional.empty(), 8));
  }

  private static Fabric fabric(int ranksPerChip, TorusTopologyProvider.Settings settings) {
    int chips = settings.size().stream().reduce(1, (a, b) -> a * b);
    return Fabric.of(List.of(new Tier(
        "node", 1, Map.of(DeviceKind.ACCELERATOR, chips * ranksPerChip), Optional.empty(),
        new TorusTopologyProvider().create(settings))));
  }

  /** One of the algorithms. */
  static CollectiveAlgorithm algorithm(Algorithm algorithm) {
    return new NeuronAlgorithmProvider().create(NeuronAlgorithmProvider.Settings.of(Optional.of(algorithm)));
  }

  /** A collective of the first ranks. */
  static CollectiveRequest request(Fabric fabric, CollectiveOp op, int ranks, long bytes) {
    return new CollectiveRequest(Collective.of(op, ranks, bytes), Group.ofFirst(ranks), fabric);
  }

  /** A collective of given ranks. */
  static CollectiveRequest request(Fabric fabric, CollectiveOp op, long bytes, int... ranks) {
    return new CollectiveRequest(Collective.of(op, ranks.length, bytes), Group.of(ranks), fabric);
  }
}
