package dev.heddle.topology.fattree;

import static dev.heddle.testkit.fixture.Records.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Fault;
import dev.heddle.fabric.Tier;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.testkit.fixture.Deliveries;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.OfferedMessages.Offer;
import dev.heddle.tier.TierPlan;
import dev.heddle.topology.fattree.FatTreeTopologyProvider.Routing;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** NICs of several ports: switches and cables of published fabrics, separation of planes, and ports that are down. */
class PlanesTest {
  private static final FatTreeTopologyProvider.Settings TREE = FatTrees.DEFAULTS;
  private static final RailFatTreeTopologyProvider.Settings RAILS = RailFatTreeTopologyProvider.Settings.of(
      8, 128, Fabrics.link("200 Gb/s"), Fabrics.virtualOutputSwitch());

  private static TierPlan tree(FatTreeTopologyProvider.Settings settings, int terminals) {
    return new FatTreeTopologyProvider().create(settings).plan(Fabrics.terminals(DeviceKind.NIC, terminals));
  }

  private static TierPlan rails(RailFatTreeTopologyProvider.Settings settings, int nodes) {
    return new RailFatTreeTopologyProvider().create(settings)
        .plan(Fabrics.terminals(DeviceKind.NIC, nodes * settings.rails()));
  }

  private static long count(TierPlan plan, String name) {
    return IntStream.range(plan.terminals(), plan.devices()).filter(device -> plan.name(device).startsWith(name))
        .count();
  }

  // The directed links that begin at devices of a name and end at those of another, of one device.
  private static long cables(TierPlan plan, String from, String to) {
    int device = IntStream.range(0, plan.devices()).filter(each -> plan.name(each).startsWith(from)).findFirst()
        .orElseThrow();
    return IntStream.range(0, plan.links())
        .filter(link -> plan.linkSource(link) == device && plan.name(plan.linkTarget(link)).startsWith(to)).count();
  }

  // The devices that can be reached without crossing a terminal other than the first.
  private static BitSet reached(TierPlan plan, int firstSwitch) {
    BitSet seen = new BitSet();
    List<Integer> open = new ArrayList<>(List.of(firstSwitch));
    seen.set(firstSwitch);
    while (!open.isEmpty()) {
      int device = open.remove(open.size() - 1);
      for (int link = 0; link < plan.links(); link++) {
        int next = plan.linkTarget(link);
        if (plan.linkSource(link) == device && next >= plan.terminals() && !seen.get(next)) {
          seen.set(next);
          open.add(next);
        }
      }
    }
    return seen;
  }

  private static List<Integer> leavesOf(TierPlan plan, int terminal) {
    return IntStream.range(0, plan.links()).filter(link -> plan.linkSource(link) == terminal)
        .map(plan::linkTarget).boxed().toList();
  }

  /** 15 segments of 128 hosts: 240 ToRs of 128 down and 60 up, 60 aggregation switches a plane [Alibaba HPN, 2024]. */
  @Test
  void shouldHaveSwitchesOfPublishedPodWhenFabricIsHpn() {
    TierPlan plan = rails(with(RAILS, "ports", 2, "uplinks", List.of(60)), 15 * 128);
    assertThat(plan.terminals()).isEqualTo(15_360);
    assertThat(count(plan, "leaf")).isEqualTo(240);
    assertThat(count(plan, "spine")).isEqualTo(120);
    assertThat(cables(plan, "leaf", "nic")).isEqualTo(128);
    assertThat(cables(plan, "leaf", "spine")).isEqualTo(60);
    assertThat(cables(plan, "spine", "leaf")).isEqualTo(120);
    TierPlan single = rails(with(RAILS, "ports", 2, "planes", Optional.of(1), "uplinks", List.of(120)), 15 * 128);
    assertThat(count(single, "leaf")).isEqualTo(240);
    assertThat(count(single, "spine")).isEqualTo(120);
    assertThat(cables(single, "spine", "leaf")).isEqualTo(240);
  }

  /** Pods of 15 segments, of whose aggregation switches 8 ports lead to the core, 15 to 1 [Alibaba HPN, 2024]. */
  @Test
  void shouldJoinPodsByCoreWhenGroupsAreGiven() {
    TierPlan plan = rails(
        with(RAILS, "nodesPerLeaf", 4, "ports", 2, "uplinks", List.of(6, 2), "groups", List.of(3)), 24);
    assertThat(count(plan, "leaf")).isEqualTo(2 * 8 * 6);
    assertThat(count(plan, "middle")).isEqualTo(2 * 6 * 2);
    assertThat(count(plan, "spine")).isEqualTo(2 * 6 * 2);
    assertThat(cables(plan, "middle", "leaf")).isEqualTo(8 * 3);
    assertThat(cables(plan, "middle", "spine")).isEqualTo(2);
    assertThat(cables(plan, "spine", "middle")).isEqualTo(2);
  }

  /** 4 segments of 16 hosts with 8 NICs: 8 ToRs in pairs, and 8 aggregation switches, each joined to each [DCN+]. */
  @Test
  void shouldHaveSwitchesOfPublishedPodWhenFabricIsDcnPlus() {
    TierPlan plan = tree(
        with(TREE, "down", List.of(128, 4), "up", List.of(2, 8), "parallel", List.of(1, 8), "planes", Optional.of(1)),
        512);
    assertThat(count(plan, "leaf")).isEqualTo(8);
    assertThat(count(plan, "spine")).isEqualTo(8);
    assertThat(cables(plan, "leaf", "nic")).isEqualTo(128);
    assertThat(cables(plan, "leaf", "spine")).isEqualTo(64);
    assertThat(cables(plan, "spine", "leaf")).isEqualTo(64);
  }

  /** 8 planes of 64 leaves and 32 spines of 64 ports: 16,384 NICs, 768 switches [DeepSeek-V3, MPFT, computed]. */
  @Test
  void shouldHaveSwitchesOfPublishedFabricWhenEachRailIsAPlane() {
    TierPlan plan = rails(
        with(RAILS, "nodesPerLeaf", 32, "joined", RailFatTreeTopologyProvider.Joined.NONE), 2048);
    assertThat(plan.terminals()).isEqualTo(16_384);
    assertThat(count(plan, "leaf")).isEqualTo(8 * 64);
    assertThat(count(plan, "spine")).isEqualTo(8 * 32);
    assertThat(cables(plan, "leaf", "nic") + cables(plan, "leaf", "spine")).isEqualTo(64);
    assertThat(cables(plan, "spine", "leaf")).isEqualTo(64);
  }

  @Test
  void shouldJoinNoSwitchesOfDifferentPlanesWhenPortsHavePlanes() {
    for (int planes : new int[] {1, 4}) {
      TierPlan plan = tree(with(FatTrees.radix(3, 8, 1), "ports", Optional.of(4), "planes", Optional.of(planes)),
          planes == 1 ? 32 : 128);
      List<Integer> leaves = leavesOf(plan, 5);
      assertThat(new TreeSet<>(leaves)).hasSize(4);
      BitSet first = reached(plan, leaves.get(0));
      for (int leaf : leaves.subList(1, 4)) {
        assertThat(first.get(leaf)).as("%d planes", planes).isEqualTo(planes == 1);
      }
      assertThat((plan.devices() - plan.terminals()) / first.cardinality()).isEqualTo(planes);
    }
  }

  /** Of every destination, paths by the ports of the source that hash and load choose end at it in as many hops. */
  @ParameterizedTest
  @EnumSource(names = {"RANDOM", "ECMP", "ADAPTIVE"})
  void shouldOfferEveryPortWhenRoutesAreChosenAtTheSource(Routing routing) {
    TierPlan plan = tree(with(FatTrees.radix(2, 8, 1), "ports", Optional.of(4), "routing", routing), 32);
    for (int to = 1; to < 32; to++) {
      assertThat(plan.candidates(0, to)).hasSize(4);
    }
  }

  /** A port that is down leaves the other, in a plane of its own or in dual ToR [Alibaba HPN, 2024: -6.25 %]. */
  @Test
  void shouldUseOtherPortWhenCableOfOneIsDown() {
    for (int planes : new int[] {1, 2}) {
      Tier node = Tier.inner("node", ImmutableMap.of(DeviceKind.ACCELERATOR, 1, DeviceKind.NIC, 1),
          Fabrics.virtualOutputSwitch(), Fabrics.star(Fabrics.link("800 Gb/s")));
      Tier net = Tier.outer("net", 16, new FatTreeTopologyProvider().create(with(FatTrees.radix(2, 8, 1),
          "ports", Optional.of(2), "planes", Optional.of(planes), "routing", Routing.ECMP)));
      Fabric whole = Fabric.of(List.of(node, net));
      Fault down = new Fault(Optional.empty(), Optional.of("node3.nic0 <-> " + leaf(whole, "node3.nic0")),
          Optional.empty(), Optional.empty(), Optional.empty(), true, Optional.empty(), Optional.empty());
      Fabric fabric = Fabric.of(List.of(node, net), List.of(down));
      List<Offer> offers = new ArrayList<>();
      int[] ranks = fabric.terminals(DeviceKind.ACCELERATOR);
      for (int from : ranks) {
        for (int to : ranks) {
          if (from != to) {
            offers.add(new Offer(from, to, 20_000));
          }
        }
      }
      assertThat(Deliveries.of(fabric, offers, SimulationOptions.defaults()).deliveries()).as("%d planes", planes)
          .hasSameSizeAs(offers);
    }
  }

  private static String leaf(Fabric fabric, String nic) {
    return IntStream.range(0, fabric.links())
        .filter(link -> fabric.name(fabric.linkSource(link)).equals(nic))
        .mapToObj(link -> fabric.name(fabric.linkTarget(link))).filter(name -> name.contains("leaf")).findFirst()
        .orElseThrow();
  }

  @Test
  void shouldSayWhatPlanesThereAreWhenNicLacksOne() {
    assertThatThrownBy(
        () -> new RailFatTreeTopologyProvider().create(with(RAILS, "ports", 2, "planes", Optional.of(4))))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("4 planes, but a terminal has 2 ports: each port lies in a plane of its own (2), or all in one"
            + " (1)");
  }
}
