package dev.heddle.link.xelink;

import dev.heddle.link.xelink.MdfiProvider.Settings;
import dev.heddle.spi.Link;
import dev.heddle.spi.Provider;
import dev.heddle.testkit.contract.LinkContract;
import dev.heddle.units.DataRate;
import java.util.List;
import java.util.Optional;

class MdfiTest extends LinkContract<Settings> {
  @Override
  protected Provider<Settings, Link> provider() {
    return new MdfiProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(
        Settings.of(DataRate.parse("220 GB/s"), Optional.empty()),
        Settings.of(DataRate.parse("196 GB/s"), Optional.of(DataRate.parse("269 GB/s"))));
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(Settings.of(DataRate.parse("196 GB/s"), Optional.of(DataRate.parse("100 GB/s"))));
  }
}
