package dev.heddle.link.infiniband;

import static dev.heddle.testkit.fixture.Records.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.link.infiniband.InfinibandLinkProvider.Generation;
import dev.heddle.link.infiniband.InfinibandLinkProvider.Settings;
import dev.heddle.spi.Credits;
import dev.heddle.spi.Link;
import dev.heddle.spi.Provider;
import dev.heddle.testkit.contract.LinkContract;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InfinibandLinkTest extends LinkContract<Settings> {
  @Override
  protected Provider<Settings, Link> provider() {
    return new InfinibandLinkProvider();
  }

  @Override
  protected List<Settings> settings() {
    List<Settings> all = new ArrayList<>();
    for (Generation generation : Generation.values()) {
      all.add(Settings.of(generation, 4));
      all.add(with(Settings.of(generation, 12), "mtu", DataSize.ofBytes(256), "globalRoute", true, "firstHeader",
          DataSize.ofBytes(28), "ackFactor", 7));
      all.add(with(Settings.of(generation, 1), "payloadLimit", Optional.of(DataSize.ofBytes(4031)), "overhead",
          Optional.of(DataSize.ofBytes(61)), "ackFactor", 0, "virtualLanes", 8, "buffer", DataSize.ofKiB(16)));
    }
    return all;
  }

  @Override
  protected List<Settings> refusedSettings() {
    Settings edr = Settings.of(Generation.EDR, 4);
    return List.of(
        Settings.of(Generation.EDR, 3),
        with(edr, "mtu", DataSize.ofBytes(1000), "globalRoute", false, "firstHeader", DataSize.ofBytes(16)),
        with(edr, "payloadLimit", Optional.of(DataSize.ofBytes(4097)), "overhead", Optional.of(DataSize.ofBytes(64))),
        with(edr, "payloadLimit", Optional.of(DataSize.ofBytes(0)), "overhead", Optional.of(DataSize.ofBytes(64))),
        with(edr, "payloadLimit", Optional.of(DataSize.ofBytes(4096)), "overhead",
            Optional.of(DataSize.ofBytes(1 << 17))),
        with(edr, "virtualLanes", 1, "buffer", DataSize.ofKiB(4)));
  }

  @ParameterizedTest
  @CsvSource({"SDR, 8", "DDR, 16", "QDR, 32", "FDR10, 40", "FDR, 54.545454545", "EDR, 100", "HDR, 200", "NDR, 400",
      "XDR, 800"})
  void shouldHaveDataRateOfGenerationWhenFourLanesWide(Generation generation, double gigabitsPerSecond) {
    assertThat(product(Settings.of(generation, 4)).rate().bitsPerSecond() / 1e9)
        .isCloseTo(gigabitsPerSecond, within(1e-9));
  }

  @Test
  void shouldAddPartsOfPacketWhenNoOverheadIsGiven() {
    Link link = product(Settings.of(Generation.HDR, 4));
    assertThat(link.wireBytes(4096, 0)).as("one packet with RDMA header").isEqualTo(4096 + 26 + 16);
    assertThat(link.wireBytes(3 * 4096, 0)).as("three packets, one RDMA header").isEqualTo(3 * (4096 + 26) + 16);
    assertThat(link.wireBytes(5, 0)).as("payload in words").isEqualTo(8 + 26 + 16);
    assertThat(product(with(Settings.of(Generation.HDR, 4), "mtu", DataSize.ofBytes(4096), "globalRoute", true,
        "firstHeader", DataSize.ofBytes(0))).wireBytes(4096, 0))
        .as("global route header")
        .isEqualTo(4096 + 66);
  }

  @Test
  void shouldTakeTimesOfPaperWhenPacketsAreThoseOfCellia() {
    Link link = product(with(Settings.of(Generation.EDR, 4), "payloadLimit", Optional.of(DataSize.ofBytes(4032)),
        "overhead", Optional.of(DataSize.ofBytes(64))));
    // L(b) = (b + 64) / 12.5 ns for the paper's packets: 327.68 ns for a full one.
    assertThat(link.wirePs(4032, 0)).isEqualTo(327_680);
    assertThat(link.wirePs(128, 0)).isEqualTo((128 + 64) * 80);
    assertThat(link.packets(4 << 20)).isEqualTo(1041);
    double goodput = (4 << 20) / (link.wirePs(4 << 20, 0) / 1000.0);
    assertThat(goodput).as("GB/s of a message of 4 MiB").isCloseTo(12.5 * 4032 / 4096, within(0.005));
  }

  @Test
  void shouldOccupyOppositeDirectionByAcknowledgements() {
    Link everyPacket = product(Settings.of(Generation.EDR, 4));
    // LRH 8, BTH 12, AETH 4, ICRC 4, VCRC 2 at 12.5 B/ns.
    assertThat(everyPacket.ackPs(4096, 0)).isEqualTo(30 * 80);
    assertThat(everyPacket.ackPs(10 * 4096, 0)).isEqualTo(10 * 30 * 80);
    assertThat(product(with(Settings.of(Generation.EDR, 4), "ackFactor", 4)).ackPs(10 * 4096, 0))
        .isEqualTo(10 * 30 * 80 / 4);
    assertThat(product(with(Settings.of(Generation.EDR, 4), "ackFactor", 0)).ackPs(4096, 0)).isZero();
  }

  @Test
  void shouldDelayByCableAndPhyWhenTheyAreGiven() {
    Link link = product(with(Settings.of(Generation.NDR, 4), "cableLength", 30, "phyLatency", SimTime.parse("120 ns")));
    assertThat(link.latencyPs()).isEqualTo(30 * 5_000 + 120_000);
    assertThat(link.credits()).containsExactly(
        new Credits(64 << 10, Credits.UNLIMITED, 64, true, 270_000 + link.rate().wirePs(8)));
  }
}
