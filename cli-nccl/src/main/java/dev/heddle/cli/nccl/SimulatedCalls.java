package dev.heddle.cli.nccl;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.algorithm.NcclAlgorithmProvider;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.fabric.Fabric;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Workload;
import dev.heddle.standard.CollectiveWorkloadProvider;
import dev.heddle.standard.CollectiveWorkloadProvider.Settings;
import dev.heddle.units.DataSize;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Calls that the cluster's network carries out: broadcasts and reductions one after the other as in nccl-tests, since a rank
 * begins the next before others have ended; of others one. One object serves one test.
 */
final class SimulatedCalls {
  private static final int MOST_PAIRED = 4096;

  private final Fabric fabric;
  private final List<Integer> ranks;
  private final CollectiveAlgorithm nccl;
  private final Fidelity fidelity;
  private final int calls;
  // Of a test, by bytes: rows of other types, reductions and roots take as long.
  private final Map<Long, Double> known = new TreeMap<>();

  SimulatedCalls(MachineOptions.Machine machine, MachineTiming timing, int perProcess, Fidelity fidelity, int calls) {
    fabric = machine.cluster();
    int[] accelerators = fabric.terminals(DeviceKind.ACCELERATOR);
    ranks = Arrays.stream(machine.group().members())
        .map(terminal -> Arrays.binarySearch(accelerators, terminal)).boxed().toList();
    nccl = NcclAlgorithmProvider.of(machine.config(), timing, perProcess);
    this.fidelity = fidelity;
    this.calls = calls;
  }

  /**
   * The time of a hypercube's rounds, one call after another: in round k, ranks whose numbers differ in bit k exchange what
   * they have, 2^k parts.
   *
   * @param ranks a power of two
   * @param part bytes
   */
  double hypercube(int ranks, long part) {
    if (ranks > MOST_PAIRED) {
      throw new InvalidSettingException("", "hypercube_perf at flow or packet fidelity takes at most " + MOST_PAIRED
          + " ranks, not " + ranks + "; leave out --fidelity");
    }
    return known.computeIfAbsent(part, bytes -> {
      double nanos = 0;
      for (int distance = 1; distance < ranks; distance *= 2) {
        long[][] pairs = new long[ranks][ranks];
        for (int rank = 0; rank < ranks; rank++) {
          pairs[rank][rank ^ distance] = bytes * distance;
        }
        nanos += nanos(CollectiveWorkloadProvider.exchanging(Collective.allToAllV(pairs), List.of(this.ranks)));
      }
      return nanos;
    });
  }

  /** The time of a call, of several the mean; the same is run once. */
  double nanos(CollectiveOp op, long bytes) {
    return known.computeIfAbsent(bytes, size -> {
      int repeats = op == CollectiveOp.BROADCAST || op == CollectiveOp.REDUCE ? calls : 1;
      Settings settings = Settings.of(op, DataSize.ofBytes(size)).groups(List.of(ranks)).repeats(repeats);
      return nanos(new CollectiveWorkloadProvider().create(settings)) / repeats;
    });
  }

  private double nanos(Workload workload) {
    return 1e3 * new Simulation("nccl-tests", fabric, workload, SimulationOptions.defaults(), 1)
        .with(nccl).at(fidelity).run().metric("time").orElseThrow().value();
  }
}
