package dev.heddle.link.xgmi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.link.xgmi.XgmiLinkProvider.Settings;
import dev.heddle.spi.Link;
import dev.heddle.spi.Medium;
import dev.heddle.spi.Provider;
import dev.heddle.testkit.contract.LinkContract;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class XgmiLinkTest extends LinkContract<Settings> {
  private static final DataRate CDNA2 = DataRate.parse("25 Gb/s");
  private static final DataRate CDNA3 = DataRate.parse("32 Gb/s");

  @Override
  protected Provider<Settings, Link> provider() {
    return new XgmiLinkProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(
        Settings.of(1, CDNA2), Settings.of(4, CDNA2), Settings.of(1, CDNA3),
        new Settings(
            3, 7, DataRate.parse("999_999_937 b/s"), DataSize.ofBytes(96), DataSize.ZERO, SimTime.ZERO,
            DataSize.ofKiB(1), Optional.of(SimTime.ofNanos(1)), 1, Medium.COHERENT));
  }

  private static Link link(int links, DataRate laneRate) {
    return new XgmiLinkProvider().create(Settings.of(links, laneRate));
  }

  @ParameterizedTest
  @CsvSource({"1, 25, 50", "2, 25, 100", "4, 25, 200", "1, 32, 64", "7, 32, 448"})
  void shouldHaveTheRateThatDataSheetsState(int links, double lane, double gigabytes) {
    assertThat(link(links, DataRate.ofGigabitsPerSecond(lane)).rate().bytesPerNano()).isEqualTo(gigabytes);
  }

  // OSU bandwidth between two dies of LUMI's MI250X, GB/s, by links of the pair: the wire may not be the bottleneck,
  // nor leave more than a twentieth unexplained.
  @ParameterizedTest
  @CsvSource({"1, 39.0", "2, 77.1", "4, 147.4"})
  void shouldCarryWhatPairsWereMeasuredToCarryAndLittleMore(int links, double measured) {
    double carried = (64 << 20) / (link(links, CDNA2).wirePs(64 << 20, 0) / 1e3);
    assertThat(carried).isBetween(0.97 * measured, 1.05 * measured);
  }

  @Test
  void shouldCrossOneLinkOfABundleWithASinglePacket() {
    Link one = link(1, CDNA2);
    Link four = link(4, CDNA2);
    assertThat(four.latencyPs() + four.wirePs(64, 0)).isEqualTo(one.latencyPs() + one.wirePs(64, 0));
    assertThat(four.wirePs(64 * 400, 0)).isEqualTo(one.wirePs(64 * 100, 0));
  }

  @Test
  void shouldJoinPeersOverSeveralVirtualChannels() {
    assertThat(link(1, CDNA3).medium()).isEqualTo(Medium.PEER);
    assertThat(link(1, CDNA3).credits()).hasSize(4);
  }
}
