package dev.heddle.topology.dragonfly;

import static dev.heddle.testkit.fixture.Records.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Terminal;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.testkit.contract.TopologyContract;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.OfferedMessages;
import dev.heddle.testkit.fixture.OfferedMessages.Offer;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.tier.RouteFunction;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.Topology;
import dev.heddle.topology.dragonfly.DragonflyTopologyProvider.Settings;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class DragonflyTest extends TopologyContract<Settings> {
  private static final int MESSAGE = 64 << 10;
  private static final int MESSAGES = 16;

  @Override
  protected Provider<Settings, Topology> provider() {
    return new DragonflyTopologyProvider();
  }

  private static Link link(int virtualChannels) {
    return new GenericLinkProvider().create(new GenericLinkProvider.Settings(
        DataRate.parse("100 Gb/s"), SimTime.parse("100 ns"), DataSize.ofKiB(1), DataSize.ofBytes(32),
        Optional.of(DataSize.ofKiB(32)), Optional.empty(), virtualChannels));
  }

  private static Settings settings(int switches, int terminals, Routing routing) {
    return Settings.of(switches, terminals, link(3), Fabrics.virtualOutputSwitch(), routing);
  }

  @Override
  protected List<Settings> settings() {
    List<Settings> settings = new ArrayList<>();
    for (Routing routing : Routing.values()) {
      settings.add(settings(2, 1, routing));
      settings.add(settings(4, 2, routing));
      settings.add(with(settings(3, 2, routing), "groups", Optional.of(4), "globalLinks", 3));
      settings.add(with(settings(4, 2, routing), "groups", Optional.of(9), "globalLinks", 1));
      settings.add(with(settings(1, 3, routing), "groups", Optional.of(5), "globalLinks", 2));
      settings.add(with(settings(4, 3, routing), "groups", Optional.of(3), "globalLinks", 2, "spread", 2));
    }
    return settings;
  }

  @Override
  protected List<Settings> refusedSettings() {
    Link one = link(1);
    return List.of(
        Settings.of(4, 2, one, Fabrics.virtualOutputSwitch(), Routing.MINIMAL),
        Settings.of(4, 2, link(2), Fabrics.virtualOutputSwitch(), Routing.VALIANT),
        Settings.of(4, 2, link(2), Fabrics.virtualOutputSwitch(), Routing.UGAL),
        with(settings(4, 2, Routing.UGAL), "groups", Optional.of(0), "globalLinks", 1),
        with(settings(4, 2, Routing.UGAL), "spread", 3));
  }

  @Override
  protected List<List<Terminal>> connectable(Settings settings) {
    int most = settings.groups().orElse(9) * settings.switches() * settings.terminals();
    return List.of(
        Fabrics.terminals(DeviceKind.ACCELERATOR, 2), Fabrics.terminals(DeviceKind.ACCELERATOR, most / 2 + 1),
        Fabrics.terminals(DeviceKind.ACCELERATOR, most));
  }

  @Override
  protected List<List<Terminal>> refused(Settings settings) {
    return settings.groups()
        .map(groups -> List.of(Fabrics.terminals(
            DeviceKind.ACCELERATOR, groups * settings.switches() * settings.terminals() + 1)))
        .orElse(List.of());
  }

  private static TierPlan plan(Settings settings, int terminals) {
    return new DragonflyTopologyProvider().create(settings).plan(Fabrics.terminals(DeviceKind.ACCELERATOR, terminals));
  }

  // The longest path from a terminal to another, in links, for any choice of candidates.
  private static int longest(TierPlan plan, int device, int arrivedBy, int to) {
    int longest = 0;
    for (int channel : plan.candidates(device, arrivedBy, to)) {
      int next = plan.linkTarget(TierPlan.linkOf(channel));
      longest = Math.max(longest, 1 + (next == to ? 0 : longest(plan, next, channel, to)));
    }
    return longest;
  }

  @ParameterizedTest
  @CsvSource({"MINIMAL, 3", "VALIANT, 5", "UGAL, 5"})
  void shouldTakeThreeHopsBetweenSwitchesAndFiveWithADetour(Routing routing, int hops) {
    TierPlan plan = plan(with(settings(4, 2, routing), "groups", Optional.of(9), "globalLinks", 1), 72);
    int most = 0;
    for (int to = 8; to < 72; to++) {
      most = Math.max(most, longest(plan, 0, RouteFunction.NONE, to));
    }
    assertThat(most - 2).isEqualTo(hops);
    assertThat(longest(plan, 0, RouteFunction.NONE, 1)).as("same switch").isEqualTo(2);
    assertThat(longest(plan, 0, RouteFunction.NONE, 7)).as("same group").isEqualTo(hops == 3 ? 3 : 4);
  }

  @ParameterizedTest
  @CsvSource({"9, 1", "5, 2", "4, 3", "2, 4"})
  void shouldJoinEveryTwoGroupsByAsManyLinksAndDealThemOutEvenly(int groups, int links) {
    Settings settings = with(settings(4, 2, Routing.MINIMAL), "groups", Optional.of(groups), "globalLinks", links);
    TierPlan plan = plan(settings, groups * 8);
    int first = groups * 8;
    int[] perSwitch = new int[groups * 4];
    int[] perPair = new int[groups * groups];
    for (int link = 0; link < plan.links(); link++) {
      int source = plan.linkSource(link) - first;
      int target = plan.linkTarget(link) - first;
      if (source >= 0 && target >= 0 && source / 4 != target / 4) {
        perSwitch[source]++;
        perPair[source / 4 * groups + target / 4]++;
      }
    }
    for (int a = 0; a < groups; a++) {
      for (int b = 0; b < groups; b++) {
        assertThat(perPair[a * groups + b]).as("links from %s to %s", a, b).isEqualTo(a == b ? 0 : links);
      }
    }
    int all = (groups - 1) * links;
    for (int count : perSwitch) {
      assertThat(count).isBetween(all / 4, (all + 3) / 4);
    }
  }

  @Test
  void shouldDetourByEveryOtherGroupAlike() {
    TierPlan plan = plan(with(settings(4, 2, Routing.VALIANT), "groups", Optional.of(9), "globalLinks", 1), 72);
    int start = plan.linkTarget(TierPlan.linkOf(plan.candidates(0, 40)[0]));
    int[] candidates = plan.candidates(start, plan.candidates(0, 40)[0], 40);
    assertThat(candidates).as("a way for each of the group's 8 links").hasSize(8);
    Set<Integer> groups = new TreeSet<>();
    for (int channel : candidates) {
      int next = plan.linkTarget(TierPlan.linkOf(channel));
      assertThat(TierPlan.virtualChannelOf(channel)).isZero();
      if ((next - 72) / 4 == 0) {
        for (int leaving : plan.candidates(next, channel, 40)) {
          groups.add((plan.linkTarget(TierPlan.linkOf(leaving)) - 72) / 4);
        }
      } else {
        groups.add((next - 72) / 4);
      }
    }
    assertThat(groups).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
  }

  @Test
  void shouldDealTerminalsOutAmongSwitchesBlockByBlock() {
    TierPlan plan =
        plan(with(settings(4, 3, Routing.MINIMAL), "groups", Optional.of(2), "globalLinks", 1, "spread", 2), 24);
    List<Integer> switches = new ArrayList<>();
    for (int terminal = 0; terminal < 14; terminal++) {
      switches.add(plan.linkTarget(TierPlan.linkOf(plan.candidates(terminal, 20)[0])) - 24);
    }
    assertThat(switches).containsExactly(0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 4, 5);
  }

  @Test
  void shouldRefuseSwitchesThatNeedMorePortsThanTheyHave() {
    assertThatThrownBy(
        () -> plan(with(settings(4, 2, Routing.MINIMAL), "groups", Optional.of(300), "globalLinks", 1), 2))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage(
            "2 terminals need 300 groups, and a switch 2 ports to terminals, 3 within the group and 75 to other "
                + "groups: 80, but it has 64");
  }

  // All terminals of a group send to those of the next: the one link between the two groups carries everything, or all
  // links of the group do [Kim et al. 2008, §4.2].
  private static double adversarialMicros(Routing routing, Fidelity fidelity) {
    List<Offer> offers = new ArrayList<>();
    for (int turn = 0; turn < MESSAGES; turn++) {
      for (int from = 0; from < 72; from++) {
        offers.add(new Offer(from, (from + 8) % 72, MESSAGE));
      }
    }
    return micros(routing, fidelity, offers);
  }

  private static double micros(Routing routing, Fidelity fidelity, List<Offer> offers) {
    Topology topology = new DragonflyTopologyProvider()
        .create(with(settings(4, 2, routing), "groups", Optional.of(9), "globalLinks", 1));
    Fabric fabric = Fabric.of(List.of(new Tier(
        "network", 1, Map.of(DeviceKind.ACCELERATOR, 72), Optional.empty(), topology)));
    return new Simulation(
        "load", fabric, new OfferedMessages(offers), SimulationOptions.defaults().injectionQueue(64),
        Seeds.fixed())
        .at(fidelity).run().metric("time").orElseThrow().value();
  }

  @ParameterizedTest
  @EnumSource(value = Fidelity.class, names = {"PACKET", "FLOW"})
  void shouldCarryEverythingOverOneLinkWhenRoutingIsMinimalAndSpreadItOtherwise(Fidelity fidelity) {
    double wire = (MESSAGE + MESSAGE / 1024 * 32) * 8 / 100e3;
    double minimal = adversarialMicros(Routing.MINIMAL, fidelity);
    assertThat(minimal).as("messages of 8 terminals over one link")
        .isCloseTo(8 * MESSAGES * wire, within(0.05 * 8 * MESSAGES * wire));
    assertThat(adversarialMicros(Routing.VALIANT, fidelity)).isLessThan(0.6 * minimal);
    assertThat(adversarialMicros(Routing.UGAL, fidelity)).isLessThan(0.7 * minimal);
  }

  @ParameterizedTest
  @EnumSource(value = Fidelity.class, names = {"PACKET", "FLOW"})
  void shouldNotDetourWhenNothingIsCrowded(Fidelity fidelity) {
    for (int to = 8; to < 72; to += 7) {
      List<Offer> alone = List.of(new Offer(0, to, MESSAGE));
      assertThat(micros(Routing.UGAL, fidelity, alone)).isEqualTo(micros(Routing.MINIMAL, fidelity, alone));
    }
  }

  @Test
  void shouldPlanAuroraSizedGroupsInLittleTime() {
    TierPlan plan = plan(with(Settings.of(32, 16, link(3), Fabrics.virtualOutputSwitch(), Routing.UGAL), "groups",
        Optional.of(8), "globalLinks", 2), 4096);
    assertThat(plan.devices()).isEqualTo(4096 + 256);
    assertThat(plan.maxCandidates()).isEqualTo(32);
  }
}
