package dev.heddle.link.nvlink;

import dev.heddle.link.nvlink.NvswitchProvider.Settings;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Switch;
import dev.heddle.testkit.contract.SwitchContract;
import dev.heddle.units.SimTime;
import java.util.List;

class NvswitchTest extends SwitchContract<Settings> {
  @Override
  protected Provider<Settings, Switch> provider() {
    return new NvswitchProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(new Settings(SimTime.ofNanos(100)), new Settings(SimTime.ZERO));
  }
}
