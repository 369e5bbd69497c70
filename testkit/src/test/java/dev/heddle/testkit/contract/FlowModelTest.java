package dev.heddle.testkit.contract;

import dev.heddle.network.NetworkModel;
import dev.heddle.network.flow.FlowModelProvider;
import dev.heddle.network.flow.FlowModelProvider.Settings;
import dev.heddle.spi.Provider;
import java.util.List;

class FlowModelTest extends NetworkModelContract<Settings> {
  @Override
  protected Provider<Settings, NetworkModel> provider() {
    return new FlowModelProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(new Settings());
  }
}
