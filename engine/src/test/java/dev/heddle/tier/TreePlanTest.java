package dev.heddle.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Terminal;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.standard.link.GenericSwitchProvider;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A tree of two leaves with two terminals each and two spines, whole and broken in one place. */
class TreePlanTest {
  private static final Link LINK =
      new GenericLinkProvider()
          .create(GenericLinkProvider.Settings.of(DataRate.ofGigabitsPerSecond(100), SimTime.ofNanos(10)));
  private static final Switch SWITCH =
      new GenericSwitchProvider()
          .create(GenericSwitchProvider.Settings.of(SimTime.ZERO, Switch.Buffering.VIRTUAL_OUTPUT));
  private static final int[] PLACES = {0, 1, 2, 3};

  private static int[] channels(int... links) {
    return IntStream.of(links).map(link -> TierPlan.channel(link, 0)).toArray();
  }

  private static TierPlan plan(String fault, TreeRow.Choice choice) {
    List<Terminal> terminals =
        IntStream.range(0, 4).mapToObj(i -> new Terminal("nic" + i, DeviceKind.NIC, false)).toList();
    TierPlanBuilder plan = new TierPlanBuilder(terminals);
    int[] leaves =
        {plan.addDevice("leaf0", DeviceKind.SWITCH, SWITCH), plan.addDevice("leaf1", DeviceKind.SWITCH, SWITCH)};
    int[] spines =
        {plan.addDevice("spine0", DeviceKind.SWITCH, SWITCH), plan.addDevice("spine1", DeviceKind.SWITCH, SWITCH)};
    int[] nic = IntStream.range(0, 4).map(i -> plan.connect(i, leaves[i / 2], LINK)).toArray();
    int[] up = IntStream.range(0, 4).map(i -> plan.connect(leaves[i / 2], spines[i % 2], LINK)).toArray();
    for (int i = 0; i < 4; i++) {
      int[] leave = fault.equals("no way out") && i == 3 ? new int[0] : channels(nic[i]);
      plan.route(i, new TreeRow(0, i, 1, 1, new int[1][0], leave));
    }
    for (int leaf = 0; leaf < 2; leaf++) {
      int[] low = channels(nic[2 * leaf] + 1);
      int[] high = fault.equals("no child") && leaf == 1 ? new int[0] : channels(nic[2 * leaf + 1] + 1);
      int[][] down = fault.equals("crossed") && leaf == 1 ? new int[][] {high, low} : new int[][] {low, high};
      int level = fault.equals("no climb") && leaf == 1 ? 2 : 1;
      int[] ways = fault.equals("foreign") && leaf == 1 ? channels(up[0]) : channels(up[2 * leaf], up[2 * leaf + 1]);
      plan.route(leaves[leaf], new TreeRow(level, 2 * leaf, 1, 1, down, ways));
    }
    for (int spine = 0; spine < 2; spine++) {
      int[][] down = {channels(up[spine] + 1), channels(up[2 + spine] + 1)};
      int[][] half = {down[0]};
      plan.route(spines[spine], new TreeRow(2, 0, 2, 2, fault.equals("half") && spine == 1 ? half : down, new int[0]));
    }
    int[] places = fault.equals("same place") ? new int[] {0, 1, 2, 2} : PLACES;
    return plan.tree(places, choice).build();
  }

  @Test
  void shouldTakeTheSpineOfTheDestination() {
    TierPlan plan = plan("", TreeRow.Choice.DESTINATION);
    for (int to = 0; to < 4; to++) {
      for (int from = 0; from < 4; from++) {
        if (from / 2 != to / 2) {
          int leaf = plan.linkTarget(TierPlan.linkOf(plan.candidates(from, to)[0]));
          assertThat(plan.name(leaf)).isEqualTo("leaf" + from / 2);
          int spine = plan.linkTarget(TierPlan.linkOf(plan.candidates(leaf, to)[0]));
          assertThat(plan.name(spine)).isEqualTo("spine" + to % 2);
        }
      }
      assertThat(plan.candidates(to, to)).isEmpty();
    }
    assertThat(plan.partial()).isFalse();
  }

  @Test
  void shouldOfferAllSpinesWhenTheSelectionDecides() {
    TierPlan plan = plan("", TreeRow.Choice.SELECTION);
    assertThat(plan.candidates(4, 3)).hasSize(2);
    assertThat(plan.candidates(4, 1)).hasSize(1);
  }

  @Test
  void shouldTakeTheSpineOfTheSourceWhenItDecides() {
    TierPlan plan = plan("", TreeRow.Choice.SOURCE);
    for (int from = 0; from < 4; from++) {
      int to = (from + 2) % 4;
      int spine = plan.linkTarget(TierPlan.linkOf(plan.candidate(plan.routeEntry(4 + from / 2, to), from)));
      assertThat(plan.name(spine)).isEqualTo("spine" + from % 2);
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      no way out | no way leads up from nic3
      no child   | no route from leaf1 to nic3
      crossed    | the way down from leaf1 to nic3 does not hold places 2 to 2
      no climb   | the way up from leaf1 to spine0 leads to no higher level
      foreign    | a row of leaf1 takes a link that begins at leaf0
      half       | no route from spine1 to nic2
      same place | nic3 and nic2 have the same place in the tree
      """)
  void shouldRefuseATreeThatDoesNotLeadEverywhere(String fault, String message) {
    assertThatThrownBy(() -> plan(fault, TreeRow.Choice.DESTINATION))
        .isInstanceOf(IllegalStateException.class).hasMessage(message);
  }

  @Test
  void shouldRefuseARowOfNoSpan() {
    assertThatIllegalArgumentException().isThrownBy(() -> new TreeRow(1, 0, 0, 1, new int[0][], new int[0]));
  }
}
