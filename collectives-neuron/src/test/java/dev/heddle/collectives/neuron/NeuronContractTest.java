package dev.heddle.collectives.neuron;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.fabric.Fabric;
import dev.heddle.sim.Fidelity;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.Provider;
import dev.heddle.testkit.contract.CollectiveContract;
import dev.heddle.units.DataSize;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The contract, by all algorithms on groups of whole chips of tori and meshes. */
class NeuronContractTest extends CollectiveContract<NeuronAlgorithmProvider.Settings> {
  private static final Map<Integer, Fabric> CLUSTERS = new LinkedHashMap<>();

  @Override
  protected Provider<NeuronAlgorithmProvider.Settings, CollectiveAlgorithm> provider() {
    return new NeuronAlgorithmProvider();
  }

  // The choice is tried as a whole; each algorithm's own refusals are in AlgorithmTest.
  @Override
  protected List<NeuronAlgorithmProvider.Settings> settings() {
    return List.of(NeuronAlgorithmProvider.Settings.of(Optional.empty()));
  }

  @Override
  protected boolean serves(CollectiveOp op, int ranks) {
    return op == CollectiveOp.ALL_GATHER || op == CollectiveOp.REDUCE_SCATTER || op == CollectiveOp.ALL_REDUCE
        || op == CollectiveOp.ALL_TO_ALL;
  }

  @Override
  protected List<Integer> ranks() {
    return List.of(1, 3, 8, 16);
  }

  @Override
  protected List<Integer> comparedRanks() {
    return List.of(16);
  }

  @Override
  protected List<DataSize> comparedSizes() {
    return List.of(DataSize.ofKiB(1), DataSize.ofKiB(64 << 10));
  }

  // A closed form models neither the contention between messages of a round nor the sums within a chip.
  @Override
  protected double agreement(CollectiveOp op, int ranks, Fidelity fidelity) {
    return fidelity == Fidelity.FLOW ? 0.15 : 0.4;
  }

  @Override
  protected Fabric cluster(int ranks) {
    return CLUSTERS.computeIfAbsent(ranks,
        any -> ranks < 4 ? Machines.torus(1, 2, 2) : Machines.torus(ranks / 4, 2, 2));
  }

}
