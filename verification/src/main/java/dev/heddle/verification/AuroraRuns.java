package dev.heddle.verification;

import com.google.common.primitives.Ints;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.oneccl.HostPath;
import dev.heddle.collectives.oneccl.OneCclAlgorithmProvider;
import dev.heddle.collectives.oneccl.ScaleOut;
import dev.heddle.fabric.Fabric;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.units.DataSize;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs of an all_reduce on a machine of tiled GPUs, with the placement of ranks of ALCF's tables. */
final class AuroraRuns {
  private static final int NODE_TIER = 0;

  private final ScenarioReader reader;
  private final String preset;

  /**
   * Prepares runs.
   *
   * @param registry of modules
   * @param preset id of the machine's
   */
  AuroraRuns(Registry registry, String preset) {
    reader = new ScenarioReader(registry);
    this.preset = preset;
  }

  /**
   * One simulated all_reduce.
   *
   * @param nodes that take part
   * @param perNode ranks of each
   * @param size Z
   * @param scaleOut algorithm between nodes
   * @param host role of the host
   */
  record Run(int nodes, int perNode, DataSize size, ScaleOut scaleOut, HostPath host) {}

  /** Milliseconds of one all_reduce at flow fidelity, with changes of the node's topology by key. */
  double millis(Run run, Map<String, String> changes) {
    return millis(run, changes, Fidelity.FLOW, SimulationOptions.defaults());
  }

  /** Milliseconds of one all_reduce. */
  double millis(Run run, Map<String, String> changes, Fidelity fidelity, SimulationOptions options) {
    Map<String, String> overrides = new LinkedHashMap<>();
    overrides.put("cluster.tiers[1].size", Integer.toString(Math.max(2, run.nodes())));
    overrides.put("cluster.tiers[1].topology.groups", "1");
    changes.forEach((key, value) -> overrides
        .put(key.startsWith("cluster.") ? key : "cluster.tiers[" + NODE_TIER + "].topology." + key, value));
    Fabric fabric = reader.cluster(preset, preset, overrides);
    CollectiveWorkloadProvider.Settings settings =
        CollectiveWorkloadProvider.Settings.of(CollectiveOp.ALL_REDUCE, run.size())
            .groups(List.of(ranks(fabric, run)));
    return new Simulation("all_reduce", fabric, new CollectiveWorkloadProvider().create(settings), options, 1)
        .with(new OneCclAlgorithmProvider().create(new OneCclAlgorithmProvider.Settings(2, run.scaleOut(), run.host())))
        .at(fidelity).run().metric("collective.all_reduce.time").orElseThrow().value() / 1e3;
  }

  // The first tiles of each node; two within one node sit on two GPUs.
  private static List<Integer> ranks(Fabric fabric, Run run) {
    int[] accelerators = fabric.terminals(DeviceKind.ACCELERATOR);
    int perNode = accelerators.length / fabric.nodes();
    int apart = run.nodes() == 1 && run.perNode() == 2 ? 2 : 1;
    List<Integer> ranks = new ArrayList<>();
    for (int node = 0; node < run.nodes(); node++) {
      for (int tile = 0; tile < run.perNode(); tile++) {
        ranks.add(node * perNode + tile * apart);
      }
    }
    return Ints.asList(Ints.toArray(ranks));
  }
}
