package dev.heddle.link.ethernet;

import dev.heddle.link.ethernet.EthernetSwitchProvider.Ecn;
import dev.heddle.link.ethernet.EthernetSwitchProvider.Pfc;
import dev.heddle.link.ethernet.EthernetSwitchProvider.Settings;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Switch;
import dev.heddle.testkit.contract.SwitchContract;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Optional;

class EthernetSwitchTest extends SwitchContract<Settings> {
  private static final Optional<DataSize> BUFFER = Optional.of(DataSize.ofKiB(4096));

  @Override
  protected Provider<Settings, Switch> provider() {
    return new EthernetSwitchProvider();
  }

  private static Settings with(
      Optional<DataSize> queue, Optional<DataSize> buffer, Optional<Ecn> ecn, boolean trimming, Optional<Pfc> pfc) {
    return new Settings(
        SimTime.parse("300 ns"), Switch.Switching.STORE_AND_FORWARD, queue, buffer, Fraction.of(1), ecn, trimming, pfc);
  }

  private static Ecn ecn(int minKib, int maxKib) {
    return new Ecn(DataSize.ofKiB(minKib), DataSize.ofKiB(maxKib), Fraction.of(0.2), true);
  }

  private static Pfc pfc(Optional<DataSize> threshold, int headroomKib) {
    return new Pfc(threshold, Fraction.of(0.125), DataSize.ofKiB(3), DataSize.ofKiB(headroomKib));
  }

  @Override
  protected List<Settings> settings() {
    return List.of(
        with(Optional.empty(), Optional.empty(), Optional.empty(), false, Optional.empty()),
        with(Optional.of(DataSize.ofKiB(150)), Optional.empty(), Optional.of(ecn(30, 120)), true, Optional.empty()),
        with(Optional.empty(), BUFFER, Optional.of(ecn(100, 400)), false, Optional.of(pfc(Optional.empty(), 100))));
  }

  @Override
  protected List<Settings> refusedSettings() {
    Optional<Pfc> paused = Optional.of(pfc(Optional.empty(), 100));
    return List.of(
        with(Optional.empty(), BUFFER, Optional.of(ecn(400, 100)), false, Optional.empty()),
        with(Optional.of(DataSize.ofKiB(50)), BUFFER, Optional.of(ecn(100, 400)), false, Optional.empty()),
        with(Optional.empty(), BUFFER, Optional.empty(), false, Optional.of(pfc(Optional.empty(), 0))),
        with(Optional.empty(), Optional.empty(), Optional.empty(), false, paused),
        with(Optional.empty(), BUFFER, Optional.empty(), true, paused),
        with(Optional.empty(), BUFFER, Optional.empty(), false,
            Optional.of(pfc(Optional.of(DataSize.ofKiB(8192)), 9))));
  }
}
