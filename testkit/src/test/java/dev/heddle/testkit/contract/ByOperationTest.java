package dev.heddle.testkit.contract;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.Provider;
import dev.heddle.standard.collective.ByOperationProvider;
import dev.heddle.standard.collective.ByOperationProvider.Settings;
import dev.heddle.standard.collective.DirectAlgorithmProvider;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;

class ByOperationTest extends CollectiveContract<Settings> {
  @Override
  protected Provider<Settings, CollectiveAlgorithm> provider() {
    return new ByOperationProvider();
  }

  @Override
  protected List<Settings> settings() {
    CollectiveAlgorithm direct = new DirectAlgorithmProvider().create(new DirectAlgorithmProvider.Settings(2));
    return List.of(
        new Settings(
            Map.of(CollectiveOp.ALL_TO_ALL, direct, CollectiveOp.ALL_TO_ALL_V, direct, CollectiveOp.ALL_GATHER, direct),
            RingAlgorithmProvider.single()));
  }

  @Override
  protected boolean serves(CollectiveOp op, int ranks) {
    return !EnumSet.of(CollectiveOp.SEND_RECV, CollectiveOp.GATHER, CollectiveOp.SCATTER).contains(op);
  }
}
