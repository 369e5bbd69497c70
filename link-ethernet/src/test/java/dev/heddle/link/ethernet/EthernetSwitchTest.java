package dev.heddle.link.ethernet;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Splitter;
import dev.heddle.link.ethernet.EthernetSwitchProvider.Ecn;
import dev.heddle.link.ethernet.EthernetSwitchProvider.Pfc;
import dev.heddle.link.ethernet.EthernetSwitchProvider.Settings;
import dev.heddle.link.ethernet.EthernetSwitchProvider.TrafficClass;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Switch;
import dev.heddle.testkit.contract.SwitchContract;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EthernetSwitchTest extends SwitchContract<Settings> {
  private static final Optional<DataSize> BUFFER = Optional.of(DataSize.ofKiB(4096));

  @Override
  protected Provider<Settings, Switch> provider() {
    return new EthernetSwitchProvider();
  }

  private static Settings with(
      Optional<DataSize> queue, Optional<DataSize> buffer, Optional<Ecn> ecn, boolean trimming, Optional<Pfc> pfc) {
    return new Settings(
        SimTime.parse("300 ns"), Switch.Switching.STORE_AND_FORWARD, queue, buffer, Fraction.of(1), ecn, trimming, pfc,
        List.of(), Optional.empty());
  }

  private static Settings classes(List<TrafficClass> classes, int headroomKib, List<Integer> pausing) {
    return new Settings(
        SimTime.ZERO, Switch.Switching.STORE_AND_FORWARD, Optional.empty(), BUFFER, Fraction.of(1), Optional.empty(),
        false, Optional.of(
            new Pfc(Optional.empty(), Fraction.of(0.125), DataSize.ZERO, DataSize.ofKiB(headroomKib), pausing)),
        classes, Optional.empty());
  }

  private static Settings stated(Optional<DataSize> queue, Optional<Ecn> ecn) {
    return new Settings(
        SimTime.ZERO, Switch.Switching.STORE_AND_FORWARD, queue, Optional.empty(), Fraction.of(1), ecn, true,
        Optional.empty(), List.of(), Optional.of(DataRate.parse("100 Gb/s")));
  }

  @Test
  void shouldRefuseStatedRateWithoutThreshold() {
    assertThatThrownBy(() -> new EthernetSwitchProvider().create(stated(Optional.empty(), Optional.empty())))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("100 Gb/s is stated for no threshold; give queue or ecn");
  }

  private static Ecn ecn(int minKib, int maxKib) {
    return new Ecn(DataSize.ofKiB(minKib), DataSize.ofKiB(maxKib), Fraction.of(0.2), true);
  }

  private static Pfc pfc(Optional<DataSize> threshold, int headroomKib) {
    return new Pfc(threshold, Fraction.of(0.125), DataSize.ofKiB(3), DataSize.ofKiB(headroomKib), List.of());
  }

  @Override
  protected List<Settings> settings() {
    return List.of(
        with(Optional.empty(), Optional.empty(), Optional.empty(), false, Optional.empty()),
        with(Optional.of(DataSize.ofKiB(150)), Optional.empty(), Optional.of(ecn(30, 120)), true, Optional.empty()),
        with(Optional.empty(), BUFFER, Optional.of(ecn(100, 400)), false, Optional.of(pfc(Optional.empty(), 100))),
        stated(Optional.of(DataSize.ofKiB(150)), Optional.of(ecn(30, 120))),
        classes(List.of(new TrafficClass(3, false), new TrafficClass(1, true)), 100, List.of(1)));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      1,1   | 2    | 100  | class 2 is to pause, but the switch has 2 classes, 0 to 1
      ''    | 1    | 100  | class 1 is to pause, but the switch has one class, 0; name more in classes
      1,1   | 0,1  | 3072 | headroom 3 MiB of 2 classes at a single port exceeds the buffer of 4 MiB
      1     | 0    | 100  | 1 traffic class; allowed are 2 to 8, or none
      1,1,1,1,1,1,1,1,1 | 0 | 100 | 9 traffic classes; allowed are 2 to 8, or none
      -4,1  | 0    | 100  | class 0 is strict and has a weight of 4
      """)
  void shouldNameContradictionOfClasses(String weights, String pausing, int headroomKib, String message) {
    List<TrafficClass> classes = numbers(weights).stream()
        .map(weight -> new TrafficClass(Math.abs(weight), weight < 0)).toList();
    assertThatThrownBy(() -> new EthernetSwitchProvider().create(classes(classes, headroomKib, numbers(pausing))))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining(message);
  }

  private static List<Integer> numbers(String text) {
    return Splitter.on(',').omitEmptyStrings().splitToStream(text).map(Integer::valueOf).toList();
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
