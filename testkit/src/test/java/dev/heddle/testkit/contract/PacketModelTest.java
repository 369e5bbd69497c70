package dev.heddle.testkit.contract;

import dev.heddle.network.NetworkModel;
import dev.heddle.network.packet.PacketModelProvider;
import dev.heddle.network.packet.PacketModelProvider.Settings;
import dev.heddle.spi.Provider;
import java.util.List;

class PacketModelTest extends NetworkModelContract<Settings> {
  @Override
  protected Provider<Settings, NetworkModel> provider() {
    return new PacketModelProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(new Settings());
  }
}
