package dev.heddle.verification;

import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.fabric.Fabric;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import java.util.List;
import java.util.Map;

/** Machines of presets, and collectives alone on them. */
final class PresetMachines {
  private PresetMachines() {}

  /** A machine of a number of nodes. */
  static Fabric fabric(String preset, int nodes) {
    try (Registry registry = registry()) {
      String text = "{name: machine, cluster: {preset: " + preset + "}, workload: {type: collective, size: 1 MiB}}";
      return new ScenarioReader(registry)
          .parse("machine", text, Map.of("cluster.tiers[1].size", Integer.toString(nodes)))
          .points().get(0).scenario().fabric();
    }
  }

  /** The timing that a text states as in a scenario. */
  static MachineTiming timing(String text) {
    try (Registry registry = registry()) {
      return new ScenarioReader(registry).record(MachineTiming.class, "timing", text);
    }
  }

  /** The time of a collective by an algorithm, microseconds. */
  static double micros(Fabric fabric, CollectiveAlgorithm algorithm, CollectiveWorkloadProvider.Settings collective,
      Fidelity fidelity) {
    return new Simulation(
        "alone", fabric, new CollectiveWorkloadProvider().create(collective), SimulationOptions.defaults(), 1)
        .with(algorithm).at(fidelity).run()
        .metric("collective." + collective.op().key() + ".time").orElseThrow().value();
  }

  private static Registry registry() {
    return Registry.discover(PresetMachines.class.getClassLoader(), List.of());
  }
}
