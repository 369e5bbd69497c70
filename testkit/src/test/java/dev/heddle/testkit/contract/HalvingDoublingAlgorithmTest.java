package dev.heddle.testkit.contract;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.sim.Fidelity;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.Provider;
import dev.heddle.standard.collective.HalvingDoublingAlgorithmProvider;
import dev.heddle.standard.collective.HalvingDoublingAlgorithmProvider.Settings;
import java.util.List;

class HalvingDoublingAlgorithmTest extends CollectiveContract<Settings> {
  @Override
  protected Provider<Settings, CollectiveAlgorithm> provider() {
    return new HalvingDoublingAlgorithmProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(new Settings());
  }

  @Override
  protected boolean serves(CollectiveOp op, int ranks) {
    boolean halves = op == CollectiveOp.ALL_GATHER || op == CollectiveOp.REDUCE_SCATTER;
    return op == CollectiveOp.ALL_REDUCE || halves && Integer.bitCount(ranks) == 1;
  }

  // Ranks beyond the power of two hand over while others exchange already: the closed form lets them wait for each
  // other.
  @Override
  protected double agreement(CollectiveOp op, int ranks, Fidelity fidelity) {
    return fidelity == Fidelity.ANALYTIC && Integer.bitCount(ranks) > 1 ? 0.3 : 0.05;
  }
}
