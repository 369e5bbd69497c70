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

/** The contract, by the hierarchy over two instances of four chips. */
class HierarchicalContractTest extends CollectiveContract<NeuronAlgorithmProvider.Settings> {
  private static final int CHIPS = 8;
  private static final Map<Integer, Fabric> CLUSTERS = new LinkedHashMap<>();

  @Override
  protected Provider<NeuronAlgorithmProvider.Settings, CollectiveAlgorithm> provider() {
    return new NeuronAlgorithmProvider();
  }

  @Override
  protected List<NeuronAlgorithmProvider.Settings> settings() {
    return List.of(NeuronAlgorithmProvider.Settings.of(Optional.of(Algorithm.HIERARCHICAL)));
  }

  @Override
  protected boolean serves(CollectiveOp op, int ranks) {
    return op == CollectiveOp.ALL_GATHER || op == CollectiveOp.REDUCE_SCATTER || op == CollectiveOp.ALL_REDUCE;
  }

  @Override
  protected List<Integer> ranks() {
    return List.of(CHIPS, 2 * CHIPS);
  }

  @Override
  protected List<Integer> comparedRanks() {
    return List.of(2 * CHIPS);
  }

  @Override
  protected List<DataSize> comparedSizes() {
    return List.of(DataSize.ofKiB(1), DataSize.ofKiB(1 << 10), DataSize.ofKiB(16 << 10));
  }

  @Override
  protected double agreement(CollectiveOp op, int ranks, Fidelity fidelity) {
    return fidelity == Fidelity.FLOW ? 0.15 : 0.25;
  }

  @Override
  protected Fabric cluster(int ranks) {
    return CLUSTERS.computeIfAbsent(ranks, all -> Machines.instances(2, all / CHIPS, 2, 2));
  }
}
