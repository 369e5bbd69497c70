package dev.heddle.network.packet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.fabric.Fabric;
import dev.heddle.spi.Switch;
import org.junit.jupiter.api.Test;

/** Tests of the order in which a plan keeps links and channels. */
class NetworkPlanTest {
  private static final Fabric FABRIC = Fixtures.node(
      8, Fixtures.star(
          Fixtures.link(100, 50, 1024, 24, 32 << 10), Fixtures.device(100, Switch.Switching.CUT_THROUGH)));

  @Test
  void shouldKeepLinksAndChannelsOfASourceTogether() {
    NetworkPlan plan = new NetworkPlan(FABRIC, 0, false);
    int channel = 0;
    for (int at = 0; at < plan.links; at++) {
      int link = plan.bySource[at];
      assertThat(plan.place[link]).isEqualTo(at);
      assertThat(plan.firstChannel[link]).isEqualTo(channel);
      channel += plan.channelCount[link];
      if (at > 0) {
        assertThat(plan.linkSource[link]).isGreaterThanOrEqualTo(plan.linkSource[plan.bySource[at - 1]]);
      }
    }
    assertThat(channel).isEqualTo(plan.channels);
  }

  @Test
  void shouldKeepTheOrderOfLinksAmongThoseOfASource() {
    NetworkPlan plan = new NetworkPlan(FABRIC, 0, false);
    for (int link = 1; link < plan.links; link++) {
      for (int before = 0; before < link; before++) {
        if (plan.linkSource[before] == plan.linkSource[link]) {
          assertThat(plan.place[before]).isLessThan(plan.place[link]);
        }
      }
    }
  }
}
