package dev.heddle.docs;

// sample: test
import dev.heddle.spi.Link;
import dev.heddle.spi.Provider;
import dev.heddle.testkit.contract.LinkContract;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;
import java.util.List;

class IdealLinkTest extends LinkContract<IdealLinkProvider.Settings> {
  @Override
  protected Provider<IdealLinkProvider.Settings, Link> provider() {
    return new IdealLinkProvider();
  }

  @Override
  protected List<IdealLinkProvider.Settings> settings() {
    return List.of(
        new IdealLinkProvider.Settings(DataRate.parse("100 Gb/s"), SimTime.ZERO),
        new IdealLinkProvider.Settings(DataRate.parse("7 GB/s"), SimTime.parse("500 ns")));
  }
}
// end
