package dev.heddle.transport.roce;

import dev.heddle.spi.Provider;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.spi.TransportProtocol.LossRecovery;
import dev.heddle.testkit.contract.TransportContract;
import dev.heddle.transport.roce.RoceTransportProvider.Congestion;
import dev.heddle.transport.roce.RoceTransportProvider.Settings;
import java.util.ArrayList;
import java.util.List;

class RoceTransportTest extends TransportContract<Settings> {
  @Override
  protected Provider<Settings, TransportProtocol> provider() {
    return new RoceTransportProvider();
  }

  @Override
  protected List<Settings> settings() {
    List<Settings> all = new ArrayList<>();
    for (Congestion congestion : Congestion.values()) {
      for (LossRecovery recovery : LossRecovery.values()) {
        all.add(Settings.of(congestion, recovery));
      }
    }
    return all;
  }
}
