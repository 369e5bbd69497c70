package dev.heddle.testkit.contract;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.sim.Fidelity;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.Provider;
import dev.heddle.standard.collective.BinomialTreeAlgorithmProvider;
import dev.heddle.standard.collective.BinomialTreeAlgorithmProvider.Settings;
import java.util.List;

class BinomialTreeAlgorithmTest extends CollectiveContract<Settings> {
  @Override
  protected Provider<Settings, CollectiveAlgorithm> provider() {
    return new BinomialTreeAlgorithmProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(new Settings());
  }

  @Override
  protected boolean serves(CollectiveOp op, int ranks) {
    return op.rooted();
  }

  // The closed form lets the longest chain and the most sends of a rank fall on the same path.
  @Override
  protected double agreement(CollectiveOp op, int ranks, Fidelity fidelity) {
    return fidelity == Fidelity.ANALYTIC && Integer.bitCount(ranks) > 1 ? 0.1 : 0.05;
  }
}
