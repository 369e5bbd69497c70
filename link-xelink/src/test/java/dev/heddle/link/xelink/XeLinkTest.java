package dev.heddle.link.xelink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.link.xelink.XeLinkProvider.Settings;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Medium;
import dev.heddle.spi.Provider;
import dev.heddle.testkit.contract.LinkContract;
import dev.heddle.testkit.fixture.OfferedMessages;
import dev.heddle.testkit.fixture.OfferedMessages.Offer;
import dev.heddle.tier.TierPlanBuilder;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class XeLinkTest extends LinkContract<Settings> {
  private static final DataRate MEASURED = DataRate.parse("15 GB/s");
  private static final Optional<DataRate> BOTH_WAYS = Optional.of(DataRate.parse("23 GB/s"));

  @Override
  protected Provider<Settings, Link> provider() {
    return new XeLinkProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(
        Settings.of(DataRate.parse("53 GB/s"), Optional.empty()), Settings.of(MEASURED, BOTH_WAYS),
        Settings.of(MEASURED, Optional.of(MEASURED)),
        new Settings(
            DataRate.parse("999_999_937 b/s"), Optional.of(DataRate.parse("1.3 Gb/s")), SimTime.ZERO,
            DataSize.ofBytes(96), DataSize.ofKiB(4), 1));
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(
        Settings.of(MEASURED, Optional.of(DataRate.parse("14.9 GB/s"))),
        Settings.of(MEASURED, Optional.of(DataRate.parse("30.1 GB/s"))));
  }

  @Test
  void shouldJoinPeers() {
    assertThat(new XeLinkProvider().create(settings().get(0)).medium()).isEqualTo(Medium.PEER);
    assertThat(new MdfiProvider().create(MdfiProvider.Settings.of(MEASURED, BOTH_WAYS)).medium())
        .isEqualTo(Medium.PEER);
  }

  // ALCF user guides: one pair of GPUs 15 GB/s in one direction, 23 GB/s in both together.
  @ParameterizedTest
  @EnumSource(value = Fidelity.class, names = {"PACKET", "FLOW"})
  void shouldCarryWhatAPairWasMeasuredToCarryOneWayAndBoth(Fidelity fidelity) {
    assertThat(gigabytesPerSecond(fidelity, false)).isCloseTo(15, within(0.2));
    assertThat(gigabytesPerSecond(fidelity, true)).isCloseTo(23, within(0.3));
  }

  private static double gigabytesPerSecond(Fidelity fidelity, boolean bothWays) {
    Link link = new XeLinkProvider().create(Settings.of(MEASURED, BOTH_WAYS));
    Fabric pair = Fabric.of(List.of(new Tier(
        "pair", 1, Map.of(DeviceKind.ACCELERATOR, 2), Optional.empty(),
        terminals -> {
          TierPlanBuilder plan = new TierPlanBuilder(terminals);
          plan.connect(0, 1, link);
          return plan.routeByShortestPaths().build();
        })));
    List<Offer> offers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      offers.add(new Offer(0, 1, 1 << 20));
      if (bothWays) {
        offers.add(new Offer(1, 0, 1 << 20));
      }
    }
    double micros = new Simulation(
        "pair", pair, new OfferedMessages(offers), SimulationOptions.defaults().injectionQueue(64), 1)
        .at(fidelity).run().metric("time").orElseThrow().value();
    return offers.size() * 1.048576 / micros * 1e3;
  }
}
