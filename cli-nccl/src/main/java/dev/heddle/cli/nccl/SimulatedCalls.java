package dev.heddle.cli.nccl;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.algorithm.NcclAlgorithmProvider;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.fabric.Fabric;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.standard.CollectiveWorkloadProvider;
import dev.heddle.standard.CollectiveWorkloadProvider.Settings;
import dev.heddle.units.DataSize;
import java.util.Arrays;
import java.util.List;

/** Calls that the cluster's network carries out, each alone. */
final class SimulatedCalls {
  private final Fabric fabric;
  private final List<Integer> ranks;
  private final CollectiveAlgorithm nccl;
  private final Fidelity fidelity;
  private long lastBytes = -1;
  private double lastNanos;

  SimulatedCalls(MachineOptions.Machine machine, MachineTiming timing, int perProcess, Fidelity fidelity) {
    fabric = machine.cluster();
    int[] accelerators = fabric.terminals(DeviceKind.ACCELERATOR);
    ranks = Arrays.stream(machine.group().members())
        .map(terminal -> Arrays.binarySearch(accelerators, terminal)).boxed().toList();
    nccl = NcclAlgorithmProvider.of(machine.config(), timing, perProcess);
    this.fidelity = fidelity;
  }

  /** The time of a call; the same call is run once. */
  double nanos(CollectiveOp op, long bytes) {
    if (bytes != lastBytes) {
      Settings settings = Settings.of(op, DataSize.ofBytes(bytes)).groups(List.of(ranks));
      lastNanos = 1e3 * new Simulation(
          "nccl-tests", fabric, new CollectiveWorkloadProvider().create(settings), SimulationOptions.defaults(), 1)
          .with(nccl).at(fidelity).run()
          .metric("collective." + op.key() + ".time").orElseThrow().value();
      lastBytes = bytes;
    }
    return lastNanos;
  }
}
