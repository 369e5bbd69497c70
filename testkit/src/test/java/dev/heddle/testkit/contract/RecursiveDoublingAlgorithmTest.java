package dev.heddle.testkit.contract;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.Provider;
import dev.heddle.standard.RecursiveDoublingAlgorithmProvider;
import dev.heddle.standard.RecursiveDoublingAlgorithmProvider.Settings;
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
}
