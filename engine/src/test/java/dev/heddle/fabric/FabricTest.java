package dev.heddle.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import dev.heddle.collective.MessageLabel;
import dev.heddle.network.MessageNumbers;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Accelerator.Vendor;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Precision;
import dev.heddle.spi.Processor;
import dev.heddle.spi.Switch;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.standard.link.GenericSwitchProvider;
import dev.heddle.standard.topology.StarTopologyProvider;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import dev.heddle.tier.Topology;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbering, names and routes of composed tiers, counted by hand. */
class FabricTest {
  private static final Link LINK =
      new GenericLinkProvider()
          .create(GenericLinkProvider.Settings.of(DataRate.ofGigabitsPerSecond(100), SimTime.ofNanos(10)));
  private static final Switch SWITCH =
      new GenericSwitchProvider()
          .create(GenericSwitchProvider.Settings.of(SimTime.ZERO, Switch.Buffering.VIRTUAL_OUTPUT));

  private static Topology star() {
    return new StarTopologyProvider().create(new StarTopologyProvider.Settings(LINK, Map.of(), SWITCH));
  }

  private static Tier node(int accelerators, int nics, int cpus) {
    return Tier.inner(
        "node",
        ImmutableMap.of(DeviceKind.ACCELERATOR, accelerators, DeviceKind.NIC, nics, DeviceKind.CPU, cpus), SWITCH,
        star());
  }

  // The devices that a message passes, waypoint by waypoint.
  private static List<String> path(Fabric fabric, int source, int destination) {
    return path(fabric, MessageNumbers.of(source, 0, 0), destination);
  }

  private static List<String> path(Fabric fabric, long message, int destination) {
    int source = MessageNumbers.source(message);
    List<String> names = new ArrayList<>();
    int[] channels = new int[fabric.maxCandidates()];
    int device = source;
    while (device != destination) {
      int waypoint = fabric.nextWaypoint(device, message, destination);
      while (device != waypoint) {
        fabric.candidates(device, waypoint, channels);
        device = fabric.linkTarget(TierPlan.linkOf(channels[0]));
        names.add(fabric.name(device));
      }
    }
    return names;
  }

  @Test
  void shouldNumberTerminalsNodeByNodeAndThenWhatTiersAdd() {
    Fabric fabric = Fabric.of(List.of(node(4, 1, 1), Tier.outer("cluster", 3, star())));
    assertThat(fabric.terminals()).isEqualTo(18);
    assertThat(fabric.nodes()).isEqualTo(3);
    assertThat(fabric.devices()).isEqualTo(18 + 3 + 1);
    assertThat(fabric.links()).isEqualTo(2 * (3 * 6 + 3));
    assertThat(fabric.name(8)).isEqualTo("node1.accelerator2");
    assertThat(fabric.node(8)).isEqualTo(1);
    assertThat(fabric.position(8)).isEqualTo(2);
    assertThat(fabric.terminals(DeviceKind.NIC)).containsExactly(4, 10, 16);
    assertThat(fabric.name(21)).isEqualTo("cluster.switch");
    assertThat(fabric.bridges(10)).isTrue();
    assertThat(fabric.bridges(8)).isFalse();
  }

  @Test
  void shouldLeaveByTheNicOfTheSourceAndEnterByThatOfTheDestination() {
    Fabric fabric = Fabric.of(List.of(node(8, 8, 2), Tier.outer("cluster", 2, star())));
    int perNode = 18;
    for (int from = 0; from < 8; from++) {
      for (int to = 0; to < 8; to++) {
        assertThat(path(fabric, from, perNode + to))
            .containsExactly(
                "node0.switch", "node0.nic" + from, "cluster.switch", "node1.nic" + to, "node1.switch",
                "node1.accelerator" + to);
      }
    }
  }

  private static long onRail(int source, int position, int nics) {
    int route = MessageLabel.onRail(MessageLabel.rail(position, nics), 7);
    return MessageNumbers.of(source, MessageLabel.networkBits(MessageLabel.of(0, 3, route)), 99);
  }

  @Test
  void shouldLeaveAndEnterByTheNicsOfTheRailThatAMessageNames() {
    Fabric fabric = Fabric.of(List.of(node(8, 8, 2), Tier.outer("cluster", 2, star())));
    int perNode = 18;
    for (int from = 0; from < 8; from++) {
      for (int rail = 0; rail < 8; rail++) {
        long message = onRail(from, rail, 8);
        List<String> path = path(fabric, message, perNode + 3);
        assertThat(path)
            .containsExactly(
                "node0.switch", "node0.nic" + rail, "cluster.switch", "node1.nic" + rail, "node1.switch",
                "node1.accelerator3");
        assertThat(Arrays.stream(fabric.routeOf(message, perNode + 3)).mapToObj(fabric::linkTarget).map(fabric::name))
            .containsExactlyElementsOf(path);
        assertThat(path(fabric, message, (from + 1) % 8)).as("within a node")
            .containsExactly("node0.switch", "node0.accelerator" + (from + 1) % 8);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"node0.nic5", "node1.nic5"})
  void shouldTakeTheTerminalsOwnNicsWhenANicOfTheRailIsCutOff(String nic) {
    Fault down = new Fault(
        Optional.of(nic), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), true,
        Optional.empty(), Optional.empty());
    Fabric fabric = Fabric.of(List.of(node(8, 8, 2), Tier.outer("cluster", 2, star())), List.of(down));
    assertThat(path(fabric, onRail(2, 5, 8), 18 + 3)).contains("node0.nic2", "node1.nic3");
    assertThat(path(fabric, onRail(2, 6, 8), 18 + 3)).contains("node0.nic6", "node1.nic6");
  }

  @Test
  void shouldFollowTheLinksOfTheFirstMessageFromTerminalToTerminal() {
    Fabric fabric = Fabric.of(List.of(node(4, 2, 1), Tier.outer("cluster", 3, star())));
    for (int from = 0; from < fabric.terminals(); from++) {
      for (int to = 0; to < fabric.terminals(); to++) {
        List<String> names =
            Arrays.stream(fabric.route(from, to)).mapToObj(fabric::linkTarget).map(fabric::name).toList();
        assertThat(names).as("from %s to %s", fabric.name(from), fabric.name(to)).isEqualTo(path(fabric, from, to));
      }
    }
  }

  @Test
  void shouldSayWhatItsDevicesAreWhenTheTierSaysSo() {
    Accelerator accelerator =
        new Accelerator(
            "toy", Vendor.OTHER, "toy", 0, 1, DataSize.ofKiB(1), DataRate.ofGigabitsPerSecond(1),
            Map.of(Precision.FP64, ComputeRate.parse("1 Tflop/s")));
    Processor processor = new Processor("toy", Vendor.AMD, Processor.InstructionSet.X86, "rome", 64);
    Tier plain = node(2, 1, 1);
    Tier described =
        new Tier(
            "node", 1, plain.terminals(), plain.nic(), plain.topology(), Optional.of(accelerator),
            Optional.of(processor));
    Fabric fabric = Fabric.of(List.of(described, Tier.outer("cluster", 2, star())));
    assertThat(fabric.accelerator(0)).contains(accelerator);
    assertThat(fabric.accelerator(2)).as("of a NIC").isEmpty();
    assertThat(fabric.processor(7)).contains(processor);
    assertThat(fabric.accelerator(0).orElseThrow().peak(Precision.FP64)).contains(new ComputeRate(1_000_000_000_000L));
    assertThat(fabric.accelerator(0).orElseThrow().peak(Precision.FP8)).isEmpty();
    assertThat(fabric.node(8)).as("of the first node's switch").isZero();
    assertThat(fabric.node(10)).as("of the cluster's switch").isEqualTo(-1);
  }

  @Test
  void shouldSpreadTheTerminalsOfEachKindOverTheNicsInOrder() {
    Fabric fabric = Fabric.of(List.of(node(8, 4, 2), Tier.outer("cluster", 2, star())));
    int perNode = 14;
    int[] nicOfAccelerator = {0, 0, 1, 1, 2, 2, 3, 3};
    for (int from = 0; from < 8; from++) {
      assertThat(path(fabric, from, perNode)).contains("node0.nic" + nicOfAccelerator[from]);
    }
    assertThat(path(fabric, 12, perNode)).as("the first of two CPUs").contains("node0.nic0");
    assertThat(path(fabric, 13, perNode)).as("the second of two CPUs").contains("node0.nic2");
  }

  @Test
  void shouldTakeTheInnermostTierThatHoldsBothWhenThreeAreComposed() {
    Fabric fabric = Fabric.of(List.of(node(2, 1, 1), Tier.outer("pod", 2, star()), Tier.outer("cluster", 3, star())));
    assertThat(fabric.nodes()).isEqualTo(6);
    assertThat(path(fabric, 0, 4))
        .as("within a pod")
        .containsExactly("node0.switch", "node0.nic0", "pod0.switch", "node1.nic0", "node1.switch",
            "node1.accelerator0");
    assertThat(path(fabric, 0, 21))
        .as("between pods")
        .containsExactly("node0.switch", "node0.nic0", "cluster.switch", "node5.nic0", "node5.switch",
            "node5.accelerator1");
  }

  /** Two leaves below a spine, each with a unit that adds, and a terminal per port. */
  private static Topology adding() {
    return terminals -> {
      TierPlanBuilder plan = new TierPlanBuilder(terminals);
      int[] leaves = {
          plan.addDevice("leaf0", DeviceKind.SWITCH, SWITCH), plan.addDevice("leaf1", DeviceKind.SWITCH, SWITCH)};
      int spine = plan.addDevice("spine", DeviceKind.SWITCH, SWITCH);
      for (int terminal = 0; terminal < terminals.size(); terminal++) {
        plan.connect(terminal, leaves[terminal * 2 / terminals.size()], LINK);
      }
      for (int leaf : leaves) {
        plan.connect(leaf, spine, LINK);
        plan.connect(leaf, spine, LINK);
      }
      plan.addAggregator("sum0", leaves[0], LINK);
      plan.addAggregator("sum1", leaves[1], LINK);
      plan.addAggregator("sum", spine, LINK);
      return plan.routeByShortestPaths().build();
    };
  }

  @Test
  void shouldNumberAggregatorsOfTheOutermostTierBehindTheTerminalsOfNodes() {
    Fabric fabric = Fabric.of(List.of(node(2, 2, 0), Tier.outer("cluster", 4, adding())));
    assertThat(fabric.terminals()).isEqualTo(4 * 4 + 3);
    assertThat(fabric.terminals(DeviceKind.AGGREGATOR)).containsExactly(16, 17, 18);
    assertThat(fabric.name(18)).isEqualTo("cluster.sum");
    assertThat(fabric.node(16)).isEqualTo(-1);
    assertThat(fabric.bridges(16)).isFalse();
    assertThat(fabric.hasMemory(16)).isFalse();
    assertThat(fabric.sameNode(16, 17)).isFalse();
    for (int link = 0; link < fabric.links(); link++) {
      assertThat(fabric.linkSource(Fabric.opposite(link))).as("link %s", link).isEqualTo(fabric.linkTarget(link));
    }
  }

  @Test
  void shouldLeadToAggregatorsFromTheSwitchAndItsNeighboursOnly() {
    Fabric fabric = Fabric.of(List.of(node(2, 2, 0), Tier.outer("cluster", 4, adding())));
    assertThat(path(fabric, 5, 16)).containsExactly(
        "node1.switch", "node1.nic1", "cluster.leaf0", "cluster.sum0");
    assertThat(path(fabric, 16, 5)).containsExactly(
        "cluster.leaf0", "node1.nic1", "node1.switch", "node1.accelerator1");
    assertThat(path(fabric, 17, 18)).containsExactly("cluster.leaf1", "cluster.spine", "cluster.sum");
    assertThat(path(fabric, 18, 16)).containsExactly("cluster.spine", "cluster.leaf0", "cluster.sum0");
    assertThat(fabric.route(18, 16)).hasSize(3);
    assertThat(fabric.candidates(fabric.linkTarget(fabric.route(17, 18)[0]), 18, new int[4])).isEqualTo(2);
    assertThatThrownBy(() -> path(fabric, 5, 17)).isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("node1").hasMessageContaining("cluster.sum1");
    assertThatThrownBy(() -> path(fabric, 16, 17)).isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no route leads from cluster.leaf0 to cluster.sum1");
  }

  @Test
  void shouldRefuseAggregatorsOfATierWithinAnother() {
    assertThatThrownBy(() -> Fabric.of(List.of(
        node(2, 2, 0), Tier.outer("pod", 2, adding()), Tier.outer("cluster", 2, star()))))
        .isInstanceOf(IllegalStateException.class).hasMessageContaining("tier pod reduce");
  }
}
