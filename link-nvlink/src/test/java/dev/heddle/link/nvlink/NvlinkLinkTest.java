package dev.heddle.link.nvlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.link.nvlink.NvlinkLinkProvider.Settings;
import dev.heddle.spi.Credits;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Switch;
import dev.heddle.testkit.contract.LinkContract;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NvlinkLinkTest extends LinkContract<Settings> {
  @Override
  protected Provider<Settings, Link> provider() {
    return new NvlinkLinkProvider();
  }

  @Override
  protected List<Settings> settings() {
    List<Settings> all = new ArrayList<>();
    for (int generation = 1; generation <= 5; generation++) {
      all.add(Settings.of(generation, 1));
      all.add(Settings.of(generation, 18));
    }
    return all;
  }

  private static Link link(int generation, int links) {
    return new NvlinkLinkProvider().create(Settings.of(generation, links));
  }

  @ParameterizedTest
  @CsvSource({"1, 4, 80", "2, 6, 150", "3, 12, 300", "4, 18, 450", "5, 18, 900"})
  void shouldReachTheRatedTotalOfEachGeneration(int generation, int links, double gigabytes) {
    assertThat(link(generation, links).rate().bytesPerNano()).isEqualTo(gigabytes);
  }

  @ParameterizedTest
  @CsvSource({"32, 0.66667", "64, 0.8", "128, 0.88889", "256, 0.941176"})
  void shouldHaveThePublishedEfficiencyOfAPayload(int payload, double efficiency) {
    Link link = link(2, 1);
    assertThat((double) payload / link.wireBytes(payload, 0)).isCloseTo(efficiency, within(1e-5));
  }

  @Test
  void shouldMoveWhatAPairOfV100WasMeasuredToMove() {
    // Two links of 25.78 GB/s: 48.48 GB/s measured in one direction, 16/17 of the raw 51.56.
    Link link = link(2, 2);
    double gigabytes = (1 << 20) / (link.wirePs(1 << 20, 0) / 1e3) * 51.56 / 50;
    assertThat(gigabytes).isCloseTo(48.48, within(0.1));
  }

  @Test
  void shouldCountTheFlitsOfEachKindOfPacket() {
    Link link = link(4, 1);
    assertThat(link.wireBytes(0, 1)).as("a read request is its header").isEqualTo(16);
    assertThat(link.wireBytes(20, 0)).as("header, two data flits").isEqualTo(48);
    assertThat(link.wireBytes(257, 2)).as("two packets").isEqualTo(272 + 32);
    Link extended =
        new NvlinkLinkProvider()
            .create(
                new Settings(
                    4, 1, Optional.empty(), DataSize.ofBytes(256), true, SimTime.ZERO,
                    Optional.of(DataSize.ofKiB(64)), Optional.empty()));
    assertThat(extended.wireBytes(16, 0)).as("header, address extension, data").isEqualTo(48);
  }

  @Test
  void shouldCrossOneLinkOfABundleWithASinglePacket() {
    Link one = link(4, 1);
    Link many = link(4, 18);
    assertThat(many.latencyPs() + many.wirePs(256, 0)).isEqualTo(one.latencyPs() + one.wirePs(256, 0));
    assertThat(one.latencyPs()).isEqualTo(SimTime.ofNanos(150).ps());
  }

  @Test
  void shouldCarryPacketAfterPacketAtTheRateOfAllLinks() {
    // 4 KiB are 16 packets of 272 B; 18 links carry 450 B/ns, whether packets travel one by one or in bursts.
    assertThat(link(4, 18).wirePs(4096, 0)).isEqualTo((16 * 272 * 1000 + 449) / 450);
    assertThat(link(4, 18).wirePs(256, 0)).isEqualTo((272 * 1000 + 449) / 450);
  }

  @ParameterizedTest
  @CsvSource({"1, 4", "2, 6", "3, 12", "4, 18", "5, 18"})
  void shouldCoverTheRateForARoundTripThroughASwitchByItsDefaultBuffer(int generation, int links) {
    Link link = link(generation, links);
    Credits credits = link.credits().get(0);
    Switch between = new NvswitchProvider().create(new NvswitchProvider.Settings(SimTime.ofNanos(100)));
    long roundPs = link.latencyPs() + between.latencyPs() + link.wirePs(256, 0) + credits.returnPs();
    assertThat((double) credits.bufferBytes()).isGreaterThan(link.rate().bytesPerNano() * roundPs / 1e3);
  }

  @Test
  void shouldRefuseAPayloadThatIsNoWholeNumberOfFlits() {
    Settings odd =
        new Settings(
            4, 1, Optional.empty(), DataSize.ofBytes(100), false, SimTime.ZERO, Optional.of(DataSize.ofKiB(64)),
            Optional.empty());
    assertThatThrownBy(() -> new NvlinkLinkProvider().create(odd))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("100 B");
  }
}
