package dev.heddle.link.pcie;

import static dev.heddle.testkit.fixture.Records.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.link.pcie.PcieLinkProvider.Acknowledgements;
import dev.heddle.link.pcie.PcieLinkProvider.Buffer;
import dev.heddle.link.pcie.PcieLinkProvider.Completion;
import dev.heddle.link.pcie.PcieLinkProvider.Settings;
import dev.heddle.spi.Credits;
import dev.heddle.spi.InvalidSettingException;
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

class PcieLinkTest extends LinkContract<Settings> {
  private static final double[] LANE_RATES = {2.5, 5, 8, 16, 32};

  private static Settings dllps(
      Settings settings, int ackFactor, int flowControlFactor, Acknowledgements acks, boolean skip) {
    return with(settings, "ackFactor", ackFactor, "flowControlFactor", flowControlFactor, "acks", acks, "skip", skip);
  }

  @Override
  protected Provider<Settings, Link> provider() {
    return new PcieLinkProvider();
  }

  @Override
  protected List<Settings> settings() {
    List<Settings> all = new ArrayList<>();
    for (int generation = 1; generation <= 6; generation++) {
      all.add(Settings.of(generation, 1, 128));
      all.add(dllps(Settings.of(generation, 16, 4096), 4, 3, Acknowledgements.REVERSE, true));
      all.add(with(dllps(Settings.of(generation, 8, 512), 3, 7, Acknowledgements.FORWARD, true), "headerWords", 3,
          "ecrc", true));
      all.add(with(Settings.of(generation, 12, 256), "completion", Completion.RCB, "readCompletionBoundary",
          DataSize.ofBytes(128), "tlpOverhead", Optional.of(DataSize.ofBytes(28))));
    }
    return all;
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(
        Settings.of(3, 3, 128),
        Settings.of(3, 16, 192),
        with(Settings.of(3, 16, 256), "completion", Completion.RCB, "readCompletionBoundary", DataSize.ofBytes(96)),
        with(Settings.of(3, 16, 4096), "posted", Optional.of(new Buffer(8, 255)), "nonPosted", new Buffer(8, 8),
            "completions", new Buffer(0, 0), "creditReturn", Optional.of(SimTime.ZERO)));
  }

  @ParameterizedTest
  @CsvSource({
      // 16 lanes of 8 Gb/s at 128/130 carry 2048/130 B/ns: a TLP and its ACK take (128 + 28 + 8) * 130 / 2048 ns.
      "128, 10.41015625",
      "4096, 333.125",
      "1048576, 85280",
  })
  void shouldGiveTimesWorkedOutByHandWhenLinkIsThatOfCellia(int message, double expectedNs) {
    PcieEquation equation = new PcieEquation(16, 8, 128.0 / 130, 28, 128, 8, 1);
    assertThat(equation.bytesPerNs()).isCloseTo(15.753846, within(1e-6));
    assertThat(equation.tlpTime()).isCloseTo(9.902344, within(1e-6));
    assertThat(equation.dllpTime()).isCloseTo(0.5078125, within(1e-9));
    assertThat(equation.latencyTime(message)).isCloseTo(expectedNs, within(expectedNs * 1e-12));
    Link link = product(with(Settings.of(3, 16, 128), "tlpOverhead", Optional.of(DataSize.ofBytes(28))));
    assertThat(link.wirePs(message, 0) / 1000.0).isCloseTo(expectedNs, within(0.001 + 1e-9));
  }

  @Test
  void shouldAgreeWithEquationWhenMessageFillsItsTlps() {
    for (int generation = 1; generation <= 5; generation++) {
      double encoding = generation <= 2 ? 0.8 : 128.0 / 130;
      for (int lanes : new int[] {1, 2, 4, 8, 12, 16, 32}) {
        for (int mps = 128; mps <= 4096; mps *= 2) {
          for (int ackFactor : new int[] {1, 2, 3, 8}) {
            PcieEquation equation =
                new PcieEquation(lanes, LANE_RATES[generation - 1], encoding, 28, mps, 8, ackFactor);
            Link link =
                product(with(dllps(Settings.of(generation, lanes, mps), ackFactor, 0, Acknowledgements.FORWARD, false),
                    "tlpOverhead", Optional.of(DataSize.ofBytes(28))));
            for (int tlps : new int[] {1, 2, 7, 1024}) {
              double expectedPs = equation.latencyTime((long) tlps * mps) * 1000;
              assertThat((double) link.wirePs(tlps * mps, 0))
                  .as("gen %s x%s, MPS %s, AckFactor %s, %s TLPs", generation, lanes, mps, ackFactor, tlps)
                  .isCloseTo(expectedPs, within(1 + expectedPs * 1e-9));
            }
          }
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 4.0", "2, 8.0", "3, 15.754", "4, 31.508", "5, 63.015", "6, 118.0"})
  void shouldHaveDataRateOfGenerationWhenX16(int generation, double gigabytesPerSecond) {
    assertThat(product(Settings.of(generation, 16, 256)).rate().bytesPerNano())
        .isCloseTo(gigabytesPerSecond, within(0.001));
  }

  @Test
  void shouldAddPartsOfProtocolWhenNoOverheadIsGiven() {
    Settings bare = dllps(Settings.of(3, 16, 256), 1, 0, Acknowledgements.REVERSE, false);
    assertThat(product(bare).wireBytes(256, 0)).as("write, 64-bit address").isEqualTo(256 + 24);
    assertThat(product(with(bare, "headerWords", 3, "ecrc", false)).wireBytes(256, 0)).as("write, 32-bit address")
        .isEqualTo(256 + 20);
    assertThat(product(with(bare, "headerWords", 4, "ecrc", true)).wireBytes(256, 0)).as("write with ECRC")
        .isEqualTo(256 + 28);
    assertThat(product(bare).wireBytes(0, 1)).as("read request").isEqualTo(24);
    assertThat(product(bare).wireBytes(256, 2)).as("completion with data").isEqualTo(256 + 20);
    assertThat(product(with(bare, "completion", Completion.RCB, "readCompletionBoundary", DataSize.ofBytes(64)))
        .wireBytes(256, 2)).as("at RCB").isEqualTo(256 + 4 * 20);
    assertThat(product(bare).wireBytes(257, 0)).as("words of 4 B").isEqualTo(260 + 2 * 24);
    assertThat(product(Settings.of(6, 16, 256)).wireBytes(256, 0)).as("flits: header alone").isEqualTo(256 + 16);
  }

  @Test
  void shouldCountDllpsInDirectionAskedFor() {
    Link forward = product(dllps(Settings.of(3, 16, 128), 2, 4, Acknowledgements.FORWARD, false));
    Link reverse = product(dllps(Settings.of(3, 16, 128), 2, 4, Acknowledgements.REVERSE, false));
    long dllps = reverse.ackPs(16 * 128, 0);
    // 16 TLPs: 8 acknowledgements and 4 updates of 8 B at 15.754 B/ns.
    assertThat(dllps / 1000.0).isCloseTo(12 * 8 / 15.753846, within(0.001));
    assertThat(forward.wirePs(16 * 128, 0)).isBetween(
        reverse.wirePs(16 * 128, 0) + dllps - 1, reverse.wirePs(16 * 128, 0) + dllps + 1);
    assertThat(forward.ackPs(16 * 128, 0)).isZero();
    assertThat(product(dllps(Settings.of(6, 16, 128), 1, 1, Acknowledgements.REVERSE, false)).ackPs(4096, 0))
        .as("flits carry DLLPs in bytes of their own")
        .isZero();
  }

  @Test
  void shouldTakeAsLongInTrainAsTlpByTlpButForRounding() {
    Link link = product(dllps(Settings.of(4, 8, 256), 3, 5, Acknowledgements.FORWARD, true));
    long burst = link.wirePs(64 * 256, 0);
    assertThat(64 * link.wirePs(256, 0) - burst).isBetween(0L, 64L);
  }

  @Test
  void shouldSlowDownByShareOfSkipOrderedSetsWhenTheyAreCounted() {
    double without = product(Settings.of(3, 16, 256)).rate().bitsPerSecond();
    double with = product(dllps(Settings.of(3, 16, 256), 1, 0, Acknowledgements.FORWARD, true)).rate().bitsPerSecond();
    assertThat(with / without).isCloseTo(375.0 / 376, within(1e-9));
  }

  @Test
  void shouldAdvertiseCreditsOfThreeKindsWhenSettingsGiveThem() {
    Link link = product(Settings.of(3, 16, 256));
    // 115 symbol times of 1 ns, an update of 8 B, and the return path of 10 ns.
    long returnPs = 115_000 + link.rate().wirePs(8) + 10_000;
    assertThat(link.credits()).containsExactly(
        new Credits(12_000, 127, 16, false, returnPs),
        new Credits(3_680, 115, 16, false, returnPs),
        new Credits(Credits.UNLIMITED, Credits.UNLIMITED, 16, false, returnPs));
    assertThat(product(with(Settings.of(3, 16, 256), "posted", Optional.of(new Buffer(1, 16)), "nonPosted",
        new Buffer(1, 1), "completions", new Buffer(2, 16), "creditReturn", Optional.of(SimTime.parse("1 us"))))
        .credits().get(0)).isEqualTo(new Credits(256, 1, 16, false, 1_000_000));
  }

  // A flit of 256 B on 16 lanes of 64 Gb/s takes 2 ns, on one lane 32 ns; it is handed on when all of it has arrived.
  @ParameterizedTest
  @CsvSource({"5, 16, 10000", "6, 16, 12000", "6, 1, 42000"})
  void shouldWaitForAWholeFlitWhenGenerationHasFlits(int generation, int lanes, long picoseconds) {
    assertThat(product(Settings.of(generation, lanes, 256)).latencyPs()).isEqualTo(picoseconds);
  }

  @ParameterizedTest
  @CsvSource({"1, 127, 750", "3, 127, 750", "4, 254, 1500", "5, 508, 3000", "6, 1016, 6000"})
  void shouldDoublePostedCreditsPerGenerationWhenNoneAreGiven(int generation, int headers, int data) {
    assertThat(product(Settings.of(generation, 16, 256)).credits().get(0))
        .matches(credits -> credits.headers() == headers && credits.bufferBytes() == 16 * data);
  }

  @Test
  void shouldCountWireBytesOfDllpsByTheirShareWhenTheyGoForward() {
    // 16 TLPs of 128 + 24 B; 8 acknowledgements and 4 updates of 8 B.
    assertThat(product(dllps(Settings.of(3, 16, 128), 2, 4, Acknowledgements.FORWARD, false)).wireBytes(16 * 128, 0))
        .isEqualTo(16 * (128 + 24) + 12 * 8);
  }

  @Test
  void shouldRefuseCompletionsThatDoNotFitTheirBuffer() {
    assertThatThrownBy(() -> product(with(Settings.of(3, 16, 256), "completions", new Buffer(2, 15))))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("15 data credits")
        .hasMessageContaining("needs at least 16");
    assertThat(product(with(Settings.of(3, 16, 256), "completions", new Buffer(2, 16))).credits()).hasSize(3);
  }
}
