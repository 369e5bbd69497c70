package dev.heddle.transport.roce;

import static dev.heddle.testkit.fixture.Records.with;

import dev.heddle.spi.Provider;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.testkit.contract.TransportContract;
import dev.heddle.transport.roce.SrdTransportProvider.Settings;
import java.util.List;

class SrdTransportTest extends TransportContract<Settings> {
  @Override
  protected Provider<Settings, TransportProtocol> provider() {
    return new SrdTransportProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(Settings.defaults(), with(Settings.defaults(), "paths", 1));
  }
}
