package dev.heddle.testkit.contract;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.sim.Fidelity;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.Provider;
import dev.heddle.standard.collective.RecursiveDoublingAlgorithmProvider;
import dev.heddle.standard.collective.RecursiveDoublingAlgorithmProvider.Settings;
import java.util.List;

class RecursiveDoublingAlgorithmTest extends CollectiveContract<Settings> {
  @Override
  protected Provider<Settings, CollectiveAlgorithm> provider() {
    return new RecursiveDoublingAlgorithmProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(new Settings());
  }

  @Override
  protected boolean serves(CollectiveOp op, int ranks) {
    return op == CollectiveOp.ALL_REDUCE || op == CollectiveOp.ALL_GATHER && Integer.bitCount(ranks) == 1;
  }

  // Ranks beyond the power of two hand over while others exchange already: the closed form lets them wait for each
  // other.
  @Override
  protected double agreement(CollectiveOp op, int ranks, Fidelity fidelity) {
    return fidelity == Fidelity.ANALYTIC && Integer.bitCount(ranks) > 1 ? 0.3 : 0.05;
  }
}
