package dev.heddle.collectives.tpu;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.topology.torus3d.Torus3dTopologyProvider;
import dev.heddle.topology.torus3d.Torus3dTopologyProvider.Settings;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Slices with links of 45 or 90 GB/s, the rates for planning of TPU v4 and v5e, and of later ones. */
final class Slices {
  private Slices() {}

  /** A torus. */
  static Settings torus(String rate, Integer... size) {
    return Settings.of(
        List.of(size), new GenericLinkProvider().create(
            new GenericLinkProvider.Settings(
                DataRate.parse(rate), SimTime.parse("100 ns"), DataSize.ofKiB(4), DataSize.ZERO,
                Optional.of(DataSize.ofKiB(64)), Optional.empty(), 2)),
        Fabrics.virtualOutputSwitch());
  }

  /** A mesh. */
  static Settings mesh(String rate, Integer... size) {
    return torus(rate, size).wrapping(List.of(false));
  }

  /** The machine of some settings. */
  static Fabric fabric(Settings settings) {
    int chips = settings.size().stream().reduce(1, (a, b) -> a * b);
    return Fabric.of(List.of(new Tier(
        "slice", 1, Map.of(DeviceKind.ACCELERATOR, chips), Optional.empty(),
        new Torus3dTopologyProvider().create(settings))));
  }

  /** The time of a collective of the first ranks in microseconds. */
  static double us(
      Fabric fabric, TpuAlgorithmProvider.Settings settings, CollectiveWorkloadProvider.Settings collective,
      Fidelity fidelity) {
    CollectiveOp op = collective.op();
    return new Simulation(
        "slice", fabric, new CollectiveWorkloadProvider().create(collective),
        SimulationOptions.defaults().burst(DataSize.ofKiB(16)), 1)
        .at(fidelity).with(new TpuAlgorithmProvider().create(settings)).run()
        .metric("collective." + op.key() + ".time").orElseThrow().value();
  }

  /** A collective of all ranks. */
  static CollectiveWorkloadProvider.Settings of(CollectiveOp op, long bytes) {
    return CollectiveWorkloadProvider.Settings.of(op, DataSize.ofBytes(bytes));
  }
}
