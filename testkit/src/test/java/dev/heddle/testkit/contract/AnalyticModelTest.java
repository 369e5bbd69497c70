package dev.heddle.testkit.contract;

import dev.heddle.network.NetworkModel;
import dev.heddle.network.analytic.AnalyticModelProvider;
import dev.heddle.network.analytic.AnalyticModelProvider.Settings;
import dev.heddle.spi.Provider;
import java.util.List;

class AnalyticModelTest extends NetworkModelContract<Settings> {
  @Override
  protected Provider<Settings, NetworkModel> provider() {
    return new AnalyticModelProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(new Settings());
  }

  @Override
  protected boolean contends() {
    return false;
  }
}
