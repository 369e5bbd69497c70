package dev.heddle.topology.fattree;

import static dev.heddle.testkit.fixture.Records.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Terminal;
import dev.heddle.standard.topology.StarTopologyProvider;
import dev.heddle.testkit.contract.TopologyContract;
import dev.heddle.testkit.fixture.Deliveries;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.OfferedMessages.Offer;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.Topology;
import dev.heddle.topology.fattree.FatTreeTopologyProvider.Routing;
import dev.heddle.topology.fattree.RailFatTreeTopologyProvider.Joined;
import dev.heddle.topology.fattree.RailFatTreeTopologyProvider.Settings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RailFatTreeTopologyTest extends TopologyContract<Settings> {
  private static Settings settings(int rails, int nodesPerLeaf) {
    return Settings.of(rails, nodesPerLeaf, Fabrics.link("400 Gb/s"), Fabrics.virtualOutputSwitch());
  }

  private static List<Terminal> nics(int count) {
    return Fabrics.terminals(DeviceKind.NIC, count);
  }

  private static TierPlan plan(Settings settings, int nodes) {
    return new RailFatTreeTopologyProvider().create(settings).plan(nics(nodes * settings.rails()));
  }

  @Override
  protected Provider<Settings, Topology> provider() {
    return new RailFatTreeTopologyProvider();
  }

  @Override
  protected List<Settings> settings() {
    List<Settings> all = new ArrayList<>();
    for (Joined joined : Joined.values()) {
      for (Routing routing : Routing.values()) {
        all.add(with(settings(4, 3), "joined", joined, "routing", routing));
      }
      all.add(with(settings(4, 4), "joined", joined, "oversubscription", 2));
      all.add(with(settings(4, 3), "joined", joined, "reduction", Optional.of(Fabrics.link("400 Gb/s"))));
      all.add(with(settings(2, 32), "joined", joined));
      List<Integer> uplinks = joined == Joined.CORE ? List.of(3, 2, 2) : List.of(3, 2);
      for (int planes : new int[] {1, 2}) {
        all.add(with(settings(4, 2), "joined", joined, "ports", 2, "planes", Optional.of(planes)));
        all.add(with(settings(4, 2), "joined", joined, "ports", 2, "planes", Optional.of(planes), "uplinks", uplinks,
            "groups", List.of(2)));
      }
    }
    return all;
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(
        with(settings(4, 6), "oversubscription", 4),
        with(settings(4, 6), "ports", 2, "planes", Optional.of(3)),
        with(settings(4, 6), "planes", Optional.of(2)),
        with(settings(4, 6), "groups", List.of(2)),
        with(settings(4, 6), "uplinks", List.of(2, 2)),
        with(settings(4, 6), "uplinks", List.of(0)),
        with(settings(4, 6), "uplinks", List.of(3), "oversubscription", 2));
  }

  @Override
  protected List<List<Terminal>> connectable(Settings settings) {
    return List.of(nics(4), nics(12), nics(28));
  }

  @Override
  protected List<List<Terminal>> refused(Settings settings) {
    return List.of(nics(5), nics(27));
  }

  private static int switches(TierPlan plan, int from, int to) {
    int hops = 0;
    for (int device = from; device != to; hops++) {
      device = plan.linkTarget(TierPlan.linkOf(plan.candidates(device, to)[0]));
    }
    return hops - 1;
  }

  // Number of switches on a path: within a leaf, to another leaf of the rail, to another rail.
  @ParameterizedTest
  @CsvSource({"SPINE, 1, 3, 3", "CORE, 1, 3, 5"})
  void shouldCrossAsFewSwitchesAsTheRailsAllow(Joined joined, int leaf, int rail, int other) {
    int rails = 8;
    TierPlan plan = plan(with(settings(rails, 4), "joined", joined), 16);
    for (int from = 0; from < plan.terminals(); from++) {
      for (int to = 0; to < plan.terminals(); to++) {
        if (from != to) {
          boolean sameRail = from % rails == to % rails;
          boolean sameBlock = from / rails / 4 == to / rails / 4;
          assertThat(switches(plan, from, to)).as("from %s to %s", from, to)
              .isEqualTo(!sameRail ? other : sameBlock ? leaf : rail);
        }
      }
    }
  }

  @Test
  void shouldCountSwitchesAndCablesInClosedForm() {
    // 16 nodes of 8 rails, 4 nodes a leaf: 4 leaves a rail, each with 4 cables up.
    TierPlan spine = plan(settings(8, 4), 16);
    assertThat(spine.devices() - spine.terminals()).isEqualTo(32 + 4);
    assertThat(spine.links()).isEqualTo(2 * (128 + 32 * 4));
    TierPlan core = plan(with(settings(8, 4), "joined", Joined.CORE), 16);
    assertThat(core.devices() - core.terminals()).isEqualTo(32 + 8 * 4 + 4 * 4);
    assertThat(core.links()).isEqualTo(2 * (128 + 128 + 8 * 4 * 4));
    TierPlan apart = plan(with(settings(8, 4), "joined", Joined.NONE), 16);
    assertThat(apart.devices() - apart.terminals()).isEqualTo(8 * (4 + 4));
    TierPlan one = plan(with(settings(8, 16), "joined", Joined.NONE), 16);
    assertThat(one.devices() - one.terminals()).isEqualTo(8);
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 2", "4, 4"})
  void shouldHaveTheBisectionThatOversubscriptionLeaves(int oversubscription, int mostFlows) {
    int rails = 8;
    TierPlan plan = plan(with(settings(rails, 8), "oversubscription", oversubscription), 32);
    // The first half of the nodes sends to the second half along the rails, as in a ring of all nodes.
    int[] flows = new int[plan.links()];
    for (int from = 0; from < plan.terminals() / 2; from++) {
      int to = from + plan.terminals() / 2;
      for (int device = from; device != to;) {
        int link = TierPlan.linkOf(plan.candidates(device, to)[0]);
        flows[link]++;
        device = plan.linkTarget(link);
      }
    }
    assertThat(Arrays.stream(flows).max()).hasValue(mostFlows);
  }

  @Test
  void shouldKeepRailsApartWhenNothingJoinsThem() {
    TierPlan plan = plan(with(settings(4, 2), "joined", Joined.NONE), 6);
    assertThat(plan.partial()).isTrue();
    for (int from = 0; from < plan.terminals(); from++) {
      for (int to = 0; to < plan.terminals(); to++) {
        assertThat(plan.candidates(from, to).length > 0).isEqualTo(from != to && from % 4 == to % 4);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Joined.class)
  void shouldLeaveTheNodeByTheRailOfTheDestinationWhereRailsDoNotMeet(Joined joined) {
    Topology star =
        new StarTopologyProvider().create(
            new StarTopologyProvider.Settings(Fabrics.link("1 Tb/s"), Map.of(), Fabrics.virtualOutputSwitch()));
    Fabric fabric = Fabric.of(List.of(
        Tier.inner(
            "node", ImmutableMap.of(DeviceKind.ACCELERATOR, 4, DeviceKind.NIC, 4), Fabrics.virtualOutputSwitch(), star),
        Tier.outer("cluster", 3, new RailFatTreeTopologyProvider().create(with(settings(4, 2), "joined", joined)))));
    int exit = joined == Joined.NONE ? 3 : 1;
    List<String> names =
        Arrays.stream(fabric.route(1, 16 + 3)).mapToObj(fabric::linkTarget).map(fabric::name).toList();
    assertThat(names).contains("node0.nic" + exit, "node2.nic3").endsWith("node2.accelerator3");
    assertThat(names.stream().filter(name -> name.contains("nic"))).hasSize(2);
    List<Offer> offers = new ArrayList<>();
    for (int from : fabric.terminals(DeviceKind.ACCELERATOR)) {
      for (int to : fabric.terminals(DeviceKind.ACCELERATOR)) {
        if (from != to) {
          offers.add(new Offer(from, to, 20_000));
        }
      }
    }
    assertThat(Deliveries.of(fabric, offers, SimulationOptions.defaults()).deliveries()).hasSameSizeAs(offers);
  }

  @Test
  void shouldRefuseNicsThatAreNoWholeNodes() {
    assertThatThrownBy(() -> new RailFatTreeTopologyProvider().create(settings(8, 32)).plan(nics(20)))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("20 NICs cannot be divided among 8 rails; each node needs 8");
  }

  // With 16,384 NICs, too many for a table, each shift along the rails puts one flow on each link [Zahavi 2012].
  @Test
  void shouldRouteSixteenThousandNicsWithoutATable() {
    int rails = 8;
    int nodes = 2048;
    TierPlan plan = plan(settings(rails, 32), nodes);
    assertThat(plan.devices()).isEqualTo(16_384 + rails * 64 + 32);
    for (int shift : new int[] {1, 31, 32, 1000, 2047}) {
      int[] flows = new int[plan.links()];
      IntStream.range(0, plan.terminals()).forEach(from -> {
        int to = (from + shift * rails) % plan.terminals();
        for (int device = from; device != to;) {
          int link = TierPlan.linkOf(plan.routeEntry(device, to));
          flows[link]++;
          device = plan.linkTarget(link);
        }
      });
      assertThat(Arrays.stream(flows).max()).as("shift %s", shift).hasValue(1);
    }
    assertThat(plan.routeEntry(77, 77)).isEqualTo(-1);
  }

  @ParameterizedTest
  @EnumSource(Joined.class)
  void shouldGiveEverySwitchAUnitThatItsNeighboursReachWhenSwitchesReduce(Joined joined) {
    TierPlan plan = plan(with(settings(4, 2), "joined", joined, "reduction", Optional.of(Fabrics.link("400 Gb/s"))), 5);
    int first = plan.devices() - plan.aggregators();
    assertThat(plan.aggregators()).isEqualTo(first - plan.terminals());
    for (int unit = first; unit < plan.devices(); unit++) {
      int owner = plan.linkTarget(plan.firstLink(unit));
      assertThat(plan.name(unit)).isEqualTo(plan.name(owner) + "-aggregator");
      for (int link = 0; link < plan.links(); link++) {
        if (plan.linkTarget(link) == owner && plan.linkSource(link) != unit) {
          assertThat(plan.candidates(plan.linkSource(link), unit)).contains(TierPlan.channel(link, 0));
        }
      }
    }
  }
}
