package dev.heddle.topology.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Medium;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Terminal;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.testkit.contract.TopologyContract;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.Topology;
import dev.heddle.topology.node.MeshNodeTopologyProvider.Peers;
import dev.heddle.topology.node.MeshNodeTopologyProvider.Settings;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MeshNodeTopologyTest extends TopologyContract<Settings> {
  // The 16 pairs of a DGX-1V: two quads, each fully joined, and a cable between those of the same place.
  private static final List<List<Integer>> DOUBLE =
      List.of(List.of(0, 3), List.of(0, 4), List.of(1, 2), List.of(1, 5), List.of(2, 3), List.of(4, 7), List.of(5, 6),
          List.of(6, 7));
  private static final List<List<Integer>> SINGLE =
      List.of(List.of(0, 1), List.of(0, 2), List.of(1, 3), List.of(2, 6), List.of(3, 7), List.of(4, 5), List.of(4, 6),
          List.of(5, 7));

  private static final Host BOX =
      Host.of(Fabrics.link("16 GB/s"), 4, Fabrics.virtualOutputSwitch(), Fabrics.link("20 GB/s"));
  private static final Settings PCIE_ONLY = new Settings(List.of(), BOX, Optional.empty());
  private static final Settings ALL_TO_ALL =
      new Settings(List.of(new Peers(peer(1), List.of())), BOX, Optional.empty());
  private static final Settings CUBE =
      new Settings(List.of(new Peers(peer(1), DOUBLE), new Peers(peer(1), SINGLE)), BOX, Optional.empty());
  // A ring whose accelerators forward for each other; without virtual channels it would deadlock.
  private static final Settings RING =
      new Settings(
          List.of(new Peers(
              peer(4), IntStream.range(0, 8).mapToObj(i -> List.of(i, (i + 1) % 8)).toList())),
          BOX.attach(List.of(), List.of(1, 3, 5, 7), Host.NicsAt.ACCELERATOR),
          Optional.of(Fabrics.virtualOutputSwitch()));

  private static Link peer(int virtualChannels) {
    return new GenericLinkProvider().create(
        new GenericLinkProvider.Settings(
            DataRate.parse("50 GB/s"), SimTime.ofNanos(100), DataSize.ofKiB(4), DataSize.ZERO,
            Optional.of(DataSize.ofKiB(4)), Optional.empty(), virtualChannels)
            .medium(Medium.PEER));
  }

  private static List<Terminal> node(int accelerators, int nics, int cpus) {
    List<Terminal> terminals = new ArrayList<>();
    IntStream.range(0, accelerators)
        .forEach(i -> terminals.add(new Terminal("accelerator" + i, DeviceKind.ACCELERATOR, false)));
    IntStream.range(0, nics).forEach(i -> terminals.add(new Terminal("nic" + i, DeviceKind.NIC, true)));
    IntStream.range(0, cpus).forEach(i -> terminals.add(new Terminal("cpu" + i, DeviceKind.CPU, false)));
    return terminals;
  }

  @Override
  protected Provider<Settings, Topology> provider() {
    return new MeshNodeTopologyProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(PCIE_ONLY, ALL_TO_ALL, CUBE, RING);
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(
        new Settings(List.of(new Peers(peer(1), List.of(List.of(1, 1)))), BOX, Optional.empty()),
        new Settings(List.of(new Peers(peer(1), List.of(List.of(1, 2, 3)))), BOX, Optional.empty()));
  }

  @Override
  protected List<List<Terminal>> connectable(Settings settings) {
    return settings.equals(PCIE_ONLY) || settings.equals(ALL_TO_ALL)
        ? List.of(node(8, 4, 2), node(4, 4, 4), node(1, 0, 1))
        : List.of(node(8, 4, 2), node(8, 4, 1));
  }

  @Override
  protected List<List<Terminal>> refused(Settings settings) {
    List<List<Terminal>> refused = new ArrayList<>(List.of(node(0, 4, 2), node(8, 4, 0), node(8, 4, 3)));
    if (settings.equals(CUBE) || settings.equals(RING)) {
      refused.add(node(7, 4, 2));
    }
    return refused;
  }

  private static List<String> path(TierPlan plan, int from, int to) {
    List<String> names = new ArrayList<>();
    for (int device = from; device != to;) {
      device = plan.linkTarget(TierPlan.linkOf(plan.candidates(device, to)[0]));
      names.add(plan.name(device));
    }
    return names;
  }

  @Test
  void shouldTakeTheCableWhereThereIsOneAndPcieElsewhere() {
    TierPlan plan = new MeshNodeTopologyProvider().create(CUBE).plan(node(8, 4, 2));
    for (int from = 0; from < 8; from++) {
      for (int to = 0; to < 8; to++) {
        List<Integer> pair = List.of(Math.min(from, to), Math.max(from, to));
        if (DOUBLE.contains(pair) || SINGLE.contains(pair)) {
          assertThat(path(plan, from, to)).containsExactly("accelerator" + to);
        }
      }
    }
    assertThat(path(plan, 0, 5)).containsExactly(
        "pcie-switch0", "cpu0", "cpu1", "pcie-switch2", "accelerator5");
    assertThat(path(plan, 2, 9)).as("a NIC below its own switch").containsExactly("pcie-switch1", "nic1");
  }

  @Test
  void shouldHaveFourCablesAtEachAcceleratorOfTheCubeMesh() {
    TierPlan plan = new MeshNodeTopologyProvider().create(CUBE).plan(node(8, 4, 2));
    for (int accelerator = 0; accelerator < 8; accelerator++) {
      int at = accelerator;
      assertThat(IntStream.range(0, plan.links())
          .filter(link -> plan.linkSource(link) == at && plan.linkModel(link).medium() == Medium.PEER).count())
          .isEqualTo(4);
    }
  }

  @Test
  void shouldForwardThroughNeighboursOnChannelsThatFallTowardsTheDestination() {
    TierPlan plan = new MeshNodeTopologyProvider().create(RING).plan(node(8, 4, 1));
    assertThat(path(plan, 0, 2)).containsExactly("accelerator1", "accelerator2");
    assertThat(TierPlan.virtualChannelOf(plan.candidates(0, 2)[0])).isEqualTo(1);
    assertThat(TierPlan.virtualChannelOf(plan.candidates(1, 2)[0])).isZero();
    assertThat(path(plan, 0, 9)).as("the NIC at accelerator 3").contains("accelerator3");
  }

  @Test
  void shouldNameThePairWhenItIsJoinedTwice() {
    Settings twice =
        new Settings(List.of(new Peers(peer(1), List.of()), new Peers(peer(1), SINGLE)), BOX, Optional.empty());
    assertThatThrownBy(() -> new MeshNodeTopologyProvider().create(twice).plan(node(8, 4, 2)))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("[0, 1] are joined twice");
  }

  @Test
  void shouldRefuseAPlaceThatIsNotThere() {
    Settings wrong =
        new Settings(List.of(), BOX.attach(List.of(), List.of(0, 1, 2, 4), Host.NicsAt.HOST), Optional.empty());
    assertThatThrownBy(() -> new MeshNodeTopologyProvider().create(wrong).plan(node(8, 4, 2)))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("there is no number 4 to attach to; there are 0 to 3");
    Settings few = new Settings(List.of(), BOX.attach(List.of(0, 1), List.of(), Host.NicsAt.HOST), Optional.empty());
    assertThatThrownBy(() -> new MeshNodeTopologyProvider().create(few).plan(node(8, 4, 2)))
        .isInstanceOf(InvalidSettingException.class).hasMessage("2 entries for 8 devices");
  }
}
