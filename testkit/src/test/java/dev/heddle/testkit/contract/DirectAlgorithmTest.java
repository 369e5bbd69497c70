package dev.heddle.testkit.contract;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.Provider;
import dev.heddle.standard.DirectAlgorithmProvider;
import dev.heddle.standard.DirectAlgorithmProvider.Settings;
import java.util.List;
import java.util.EnumSet;

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
