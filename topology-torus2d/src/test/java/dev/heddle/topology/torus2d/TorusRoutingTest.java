package dev.heddle.topology.torus2d;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.fabric.Fabric;
import dev.heddle.sim.SimulationException;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Terminal;
import dev.heddle.testkit.fixture.Deliveries;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.OfferedMessages.Offer;
import dev.heddle.tier.TierPlan;
import dev.heddle.topology.torus2d.TorusTopologyProvider.Settings;
import dev.heddle.units.DataSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TorusRoutingTest {
  // From a rank to its chip, and from the other chip to its rank: memory and fabric at each end.
  private static final int WITHIN_CHIPS = 4;

  @ParameterizedTest
  @EnumSource(Routing.class)
  void shouldTakeShortestWaysBetweenAllChips(Routing routing) {
    for (Settings settings : List.of(Tori.of(4, 4), Tori.of(5, 3), Tori.of(2, 6), Tori.of(4, 5).mesh(),
        Tori.of(2, 3, 4))) {
      Torus torus = new Torus(ImmutableIntArray.copyOf(settings.size()), settings.wrap(), false);
      Fabric fabric = Tori.fabric(new TorusTopologyProvider().create(settings.routed(routing)), torus.chips());
      for (int from = 0; from < torus.chips(); from++) {
        for (int to = 0; to < torus.chips(); to++) {
          assertThat(fabric.route(from, to).length).as("links from %s to %s of a %s", from, to, torus)
              .isEqualTo(from == to ? 0 : WITHIN_CHIPS + shortest(settings, from, to));
        }
      }
    }
  }

  // From coordinates alone, independently of the code under test.
  private static int shortest(Settings settings, int from, int to) {
    int sum = 0;
    int left = from;
    int right = to;
    for (int dimension = settings.size().size() - 1; dimension >= 0; dimension--) {
      int length = settings.size().get(dimension);
      int apart = Math.abs(left % length - right % length);
      sum += settings.wrap() ? Math.min(apart, length - apart) : apart;
      left /= length;
      right /= length;
    }
    return sum;
  }

  @Test
  void shouldLoadAllLinksAlikeWhenAllSendToAllInDimensionOrder() {
    Fabric fabric = Tori.fabric(new TorusTopologyProvider().create(Tori.of(4, 4)), 16);
    int[] uses = new int[fabric.links()];
    for (int from = 0; from < 16; from++) {
      for (int to = 0; to < 16; to++) {
        for (int link : fabric.route(from, to)) {
          uses[link]++;
        }
      }
    }
    for (int link = 0; link < fabric.links(); link++) {
      if (fabric.kind(fabric.linkSource(link)) == DeviceKind.SWITCH
          && fabric.kind(fabric.linkTarget(link)) == DeviceKind.SWITCH) {
        assertThat(uses[link]).as(fabric.linkName(link)).isEqualTo(8);
      }
    }
  }

  @Test
  void shouldJoinPairsByOneLinkOrTwo() {
    assertThat(plan(Tori.of(2, 2)).links()).isEqualTo(2 * (4 + 2 * 4));
    assertThat(plan(Tori.of(2, 2).doubled()).links()).isEqualTo(2 * (8 + 2 * 4));
    assertThat(plan(Tori.of(2, 2).mesh()).links()).isEqualTo(2 * (4 + 2 * 4));
    assertThat(plan(Tori.of(3, 3)).links()).isEqualTo(2 * (18 + 2 * 9));
    assertThat(plan(Tori.of(3, 3).mesh()).links()).isEqualTo(2 * (12 + 2 * 9));
  }

  private static TierPlan plan(Settings settings) {
    int chips = settings.size().stream().reduce(1, (a, b) -> a * b);
    List<Terminal> terminals = Fabrics.terminals(DeviceKind.ACCELERATOR, chips);
    return new TorusTopologyProvider().create(settings).plan(terminals);
  }

  @Test
  void shouldDeadlockWithoutDatelinesAndNotWithThem() {
    Settings settings = Settings.of(
        List.of(8, 2), Tori.link(2, Optional.of(DataSize.ofKiB(8))), Tori.chip(1, 1));
    Torus torus = new Torus(ImmutableIntArray.of(8, 2), true, false);
    List<Offer> offers = new ArrayList<>();
    for (int turn = 0; turn < 8; turn++) {
      for (int chip = 0; chip < 16; chip++) {
        offers.add(new Offer(chip, (chip + 6) % 16, 1 << 18));
      }
    }
    Fabric with = Tori.fabric(given -> new TorusPlanner(settings, torus, true).plan(given), 16);
    assertThat(Deliveries.of(with, offers, SimulationOptions.defaults()).deliveries()).hasSameSizeAs(offers);
    Fabric without = Tori.fabric(given -> new TorusPlanner(settings, torus, false).plan(given), 16);
    assertThatThrownBy(() -> Deliveries.of(without, offers, SimulationOptions.defaults()))
        .isInstanceOf(SimulationException.class)
        .hasMessageContaining("credit deadlock")
        .hasMessageContaining("chip0x0 -> node.chip1x0, virtual channel 0")
        .hasMessageContaining("chip7x0 -> node.chip0x0, virtual channel 0");
  }

  @Test
  void shouldNotDeadlockInAnyTrafficClass() {
    for (int channels : new int[] {2, 3, 4, 8}) {
      Settings settings = Settings.of(
          List.of(8, 2), Tori.link(channels, Optional.of(DataSize.ofKiB(8))), Tori.chip(1, 1));
      Fabric fabric = Tori.fabric(new TorusTopologyProvider().create(settings), 16);
      for (int trafficClass = 0; trafficClass < 8; trafficClass++) {
        assertThat(ClassedMessages.delivered(fabric, trafficClass, 1 << 18))
            .as("messages of class %s over %s channels", trafficClass, channels).isEqualTo(16);
      }
    }
  }
}
