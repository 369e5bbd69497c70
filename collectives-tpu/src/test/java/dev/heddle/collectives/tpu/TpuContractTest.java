package dev.heddle.collectives.tpu;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.fabric.Fabric;
import dev.heddle.sim.Fidelity;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.Provider;
import dev.heddle.testkit.contract.CollectiveContract;
import dev.heddle.units.DataSize;
import java.util.List;

/** The contract on a torus of 4 x 4 x 2 chips: rings, boxes, and groups that are no box. */
class TpuContractTest extends CollectiveContract<TpuAlgorithmProvider.Settings> {
  private static final Fabric SLICE = Slices.fabric(Slices.torus("45 GB/s", 2, 4, 4));

  @Override
  protected Provider<TpuAlgorithmProvider.Settings, CollectiveAlgorithm> provider() {
    return new TpuAlgorithmProvider();
  }

  @Override
  protected List<TpuAlgorithmProvider.Settings> settings() {
    return List.of(TpuAlgorithmProvider.Settings.defaults(), TpuAlgorithmProvider.Settings.networkOnly());
  }

  @Override
  protected boolean serves(CollectiveOp op, int ranks) {
    return op == CollectiveOp.ALL_GATHER || op == CollectiveOp.REDUCE_SCATTER || op == CollectiveOp.ALL_REDUCE
        || op == CollectiveOp.ALL_TO_ALL;
  }

  @Override
  protected List<Integer> ranks() {
    return List.of(1, 2, 3, 4, 5, 8, 16, 32);
  }

  @Override
  protected List<Integer> comparedRanks() {
    return List.of(2, 4, 8, 16, 32);
  }

  @Override
  protected List<DataSize> comparedSizes() {
    return List.of(DataSize.ofKiB(1), DataSize.ofKiB(16 << 10));
  }

  // In pipelines the whole latency adds to the load of the busiest link; a closed form does not
  // model the contention of messages from all to all.
  @Override
  protected double agreement(CollectiveOp op, int ranks, Fidelity fidelity) {
    return op == CollectiveOp.ALL_TO_ALL ? 0.25 : 0.2;
  }

  @Override
  protected Fabric cluster(int ranks) {
    return SLICE;
  }
}
