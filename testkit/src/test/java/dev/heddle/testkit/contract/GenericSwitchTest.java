package dev.heddle.testkit.contract;

import dev.heddle.spi.Provider;
import dev.heddle.spi.Switch;
import dev.heddle.standard.link.GenericSwitchProvider;
import dev.heddle.standard.link.GenericSwitchProvider.Settings;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.List;

class GenericSwitchTest extends SwitchContract<Settings> {
  @Override
  protected Provider<Settings, Switch> provider() {
    return new GenericSwitchProvider();
  }

  @Override
  protected List<Settings> settings() {
    List<Settings> all = new ArrayList<>();
    for (Switch.Switching switching : Switch.Switching.values()) {
      for (Switch.Buffering buffering : Switch.Buffering.values()) {
        for (Switch.Arbitration arbitration : Switch.Arbitration.values()) {
          all.add(new Settings(
              SimTime.parse("100 ns"), switching, buffering, arbitration, DataSize.ofKiB(64), DataSize.ofKiB(64)));
        }
      }
    }
    all.add(Settings.of(SimTime.ZERO, Switch.Buffering.INPUT));
    return all;
  }
}
