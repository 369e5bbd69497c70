package dev.heddle.docs;

// sample: test
import dev.heddle.spi.Provider;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.testkit.contract.TransportContract;
import dev.heddle.units.SimTime;
import java.util.List;

class AimdTransportTest extends TransportContract<AimdTransportProvider.Settings> {
  @Override
  protected Provider<AimdTransportProvider.Settings, TransportProtocol> provider() {
    return new AimdTransportProvider();
  }

  @Override
  protected List<AimdTransportProvider.Settings> settings() {
    return List.of(new AimdTransportProvider.Settings(0.5, SimTime.parse("1 ms")));
  }
}
// end
