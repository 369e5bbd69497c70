package dev.heddle.testkit.contract;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.Provider;
import dev.heddle.standard.collective.DirectAlgorithmProvider;
import dev.heddle.standard.collective.DirectAlgorithmProvider.Settings;
import java.util.EnumSet;
import java.util.List;

class DirectAlgorithmTest extends CollectiveContract<Settings> {
  @Override
  protected Provider<Settings, CollectiveAlgorithm> provider() {
    return new DirectAlgorithmProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(new Settings(1), new Settings(3));
  }

  @Override
  protected boolean serves(CollectiveOp op, int ranks) {
    return EnumSet.of(
        CollectiveOp.ALL_GATHER, CollectiveOp.ALL_TO_ALL, CollectiveOp.ALL_TO_ALL_V, CollectiveOp.SEND_RECV)
        .contains(op);
  }
}
