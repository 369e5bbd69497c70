package dev.heddle.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Precision;
import dev.heddle.spi.Processor;
import dev.heddle.spi.Switch;
import dev.heddle.spi.TierPlan;
import dev.heddle.spi.Topology;
import dev.heddle.spi.Vendor;
import dev.heddle.standard.GenericLinkProvider;
import dev.heddle.standard.GenericSwitchProvider;
import dev.heddle.standard.StarTopologyProvider;
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

/** Holds numbering, names and routes of composed tiers against what is counted by hand. */
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
    List<String> names = new ArrayList<>();
    int[] channels = new int[fabric.maxCandidates()];
    int device = source;
    while (device != destination) {
      int waypoint = fabric.waypoint(device, source, destination);
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
}
