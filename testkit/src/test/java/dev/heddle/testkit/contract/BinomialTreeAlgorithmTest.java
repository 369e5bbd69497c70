package dev.heddle.testkit.contract;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.Provider;
import dev.heddle.standard.BinomialTreeAlgorithmProvider;
import dev.heddle.standard.BinomialTreeAlgorithmProvider.Settings;
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
}
