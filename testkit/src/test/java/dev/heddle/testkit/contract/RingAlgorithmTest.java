package dev.heddle.testkit.contract;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.Provider;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.standard.collective.RingAlgorithmProvider.Settings;
import java.util.EnumSet;
import java.util.List;

class RingAlgorithmTest extends CollectiveContract<Settings> {
  @Override
  protected Provider<Settings, CollectiveAlgorithm> provider() {
    return new RingAlgorithmProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(new Settings(1, 1), new Settings(3, 8));
  }

  @Override
  protected boolean serves(CollectiveOp op, int ranks) {
    return EnumSet.range(CollectiveOp.ALL_REDUCE, CollectiveOp.REDUCE).contains(op);
  }
}
