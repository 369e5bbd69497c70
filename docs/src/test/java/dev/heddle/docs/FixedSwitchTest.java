package dev.heddle.docs;

import dev.heddle.spi.Provider;
import dev.heddle.spi.Switch;
import dev.heddle.testkit.contract.SwitchContract;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.List;

class FixedSwitchTest extends SwitchContract<FixedSwitchProvider.Settings> {
  @Override
  protected Provider<FixedSwitchProvider.Settings, Switch> provider() {
    return new FixedSwitchProvider();
  }

  @Override
  protected List<FixedSwitchProvider.Settings> settings() {
    return List.of(new FixedSwitchProvider.Settings(SimTime.parse("300 ns"), DataSize.parse("64 KiB")));
  }
}
