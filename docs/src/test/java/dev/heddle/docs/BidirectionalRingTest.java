package dev.heddle.docs;

// sample: test
import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.Provider;
import dev.heddle.testkit.contract.CollectiveContract;
import java.util.List;

class BidirectionalRingTest extends CollectiveContract<BidirectionalRingProvider.Settings> {
  @Override
  protected Provider<BidirectionalRingProvider.Settings, CollectiveAlgorithm> provider() {
    return new BidirectionalRingProvider();
  }

  @Override
  protected List<BidirectionalRingProvider.Settings> settings() {
    return List.of(new BidirectionalRingProvider.Settings());
  }

  @Override
  protected boolean serves(CollectiveOp op, int ranks) {
    return op == CollectiveOp.ALL_GATHER;
  }
}
// end
