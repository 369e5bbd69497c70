package dev.heddle.cli.nccl;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.algorithm.NcclAlgorithmProvider;
import dev.heddle.collectives.nccl.algorithm.RcclAlgorithmProvider;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.NetworkModel;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Workload;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider.Settings;
import dev.heddle.units.DataSize;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Calls that a network model executes: several broadcasts or reductions one after the other, as in nccl-tests, since a
 * rank begins the next call before others end; one call of other operations. Network models whose collectives end on
 * all ranks at once execute the first call and one that follows equal ones, each alone. One object serves one test.
 */
final class SimulatedCalls {
  private static final int MOST_PAIRED = 4096;
  private static final int NO_DISTANCE = 0;
  // Network models whose collectives are coupled flows, which end on all ranks at once.
  private static final Set<String> FLUID = Set.of("flow", "analytic");

  private final Fabric fabric;
  private final List<Integer> ranks;
  private final CollectiveAlgorithm library;
  private final CollectiveAlgorithm repeated;
  private final NetworkModel fidelity;
  private final int calls;
  // The cache is valid for one test: its rows of other types, reductions and roots take as long.
  private final Map<Call, Double> known = new LinkedHashMap<>();

  // The distance is that of the exchanging ranks; {@link #NO_DISTANCE} for other operations.
  private record Call(int distance, long bytes) {}

  SimulatedCalls(Machine machine, MachineTiming timing, int perProcess, NetworkModel fidelity,
      int calls) {
    fabric = machine.cluster();
    int[] accelerators = fabric.terminals(DeviceKind.ACCELERATOR);
    ranks = Arrays.stream(machine.group().members())
        .map(terminal -> Arrays.binarySearch(accelerators, terminal)).boxed().toList();
    library = ClosedForm.ofAmd(machine)
        ? RcclAlgorithmProvider.of(machine.config(), timing)
        : NcclAlgorithmProvider.of(machine.config(), timing, perProcess);
    repeated = ClosedForm.ofAmd(machine)
        ? RcclAlgorithmProvider.repeated(machine.config(), timing)
        : NcclAlgorithmProvider.repeated(machine.config(), timing, perProcess);
    this.fidelity = fidelity;
    this.calls = calls;
  }

  /** The id of the network model. */
  String fidelity() {
    return fidelity.id();
  }

  /**
   * The time of an exchange of messages among all pairs of ranks whose numbers differ in one bit.
   *
   * @param distance the bit
   * @param bytes each way
   */
  double exchange(int distance, long bytes) {
    int count = ranks.size();
    if (count > MOST_PAIRED) {
      throw new InvalidSettingException("", "hypercube_perf at fidelity " + fidelity() + " takes at most " + MOST_PAIRED
          + " ranks, not " + count + "; write --fidelity closed-form");
    }
    return known.computeIfAbsent(new Call(distance, bytes), call -> {
      long[][] pairs = new long[count][count];
      for (int rank = 0; rank < count; rank++) {
        pairs[rank][rank ^ distance] = bytes;
      }
      return nanos(CollectiveWorkloadProvider.allToAllV(Collective.allToAllV(pairs), List.of(ranks)), library);
    });
  }

  /** The time of a call, the mean of several; equal calls are run once. */
  double nanos(CollectiveOp op, long bytes) {
    return known.computeIfAbsent(new Call(NO_DISTANCE, bytes), call -> {
      if (!chained(op)) {
        return nanos(op, bytes, 1, library);
      }
      return FLUID.contains(fidelity())
          ? (nanos(op, bytes, 1, library) + (calls - 1) * nanos(op, bytes, 1, repeated)) / calls
          : nanos(op, bytes, calls, library) / calls;
    });
  }

  /** Whether calls of an operation in a row overlap, at whatever fidelity. */
  static boolean chained(CollectiveOp op) {
    return op == CollectiveOp.BROADCAST || op == CollectiveOp.REDUCE;
  }

  private double nanos(CollectiveOp op, long bytes, int repeats, CollectiveAlgorithm by) {
    Settings settings = Settings.of(op, DataSize.ofBytes(bytes)).groups(List.of(ranks)).repeats(repeats);
    return nanos(new CollectiveWorkloadProvider().create(settings), by);
  }

  private double nanos(Workload workload, CollectiveAlgorithm by) {
    return 1e3 * new Simulation("nccl-tests", fabric, workload, SimulationOptions.defaults(), 1)
        .with(by).at(fidelity).run().metric("time").orElseThrow().value();
  }
}
