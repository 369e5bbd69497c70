package dev.heddle.link.infiniband;

import dev.heddle.link.infiniband.InfinibandSwitchProvider.Settings;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Switch;
import dev.heddle.testkit.contract.SwitchContract;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.List;

class InfinibandSwitchTest extends SwitchContract<Settings> {
  @Override
  protected Provider<Settings, Switch> provider() {
    return new InfinibandSwitchProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(
        new Settings(
            SimTime.parse("90 ns"), Switch.Switching.CUT_THROUGH, Switch.Buffering.VIRTUAL_OUTPUT,
            Switch.Arbitration.ROUND_ROBIN, DataSize.ZERO, DataSize.ZERO),
        new Settings(
            SimTime.parse("130 ns"), Switch.Switching.STORE_AND_FORWARD, Switch.Buffering.INPUT,
            Switch.Arbitration.AGE, DataSize.ofKiB(32), DataSize.ZERO),
        new Settings(
            SimTime.parse("150 ns"), Switch.Switching.CUT_THROUGH, Switch.Buffering.OUTPUT,
            Switch.Arbitration.FIXED_PRIORITY, DataSize.ofKiB(32), DataSize.ofKiB(32)));
  }
}
