package dev.heddle.topology.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.link.nvlink.NvlinkLinkProvider;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Terminal;
import dev.heddle.testkit.contract.TopologyContract;
import dev.heddle.testkit.fixture.Deliveries;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.OfferedMessages;
import dev.heddle.testkit.fixture.OfferedMessages.Offer;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.Topology;
import dev.heddle.topology.node.HgxTopologyProvider.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HgxTopologyTest extends TopologyContract<Settings> {
  private static Settings settings(int nvswitches, int pcieSwitches) {
    return new Settings(
        new NvlinkLinkProvider().create(NvlinkLinkProvider.Settings.of(4, 18 / nvswitches)), nvswitches,
        Fabrics.virtualOutputSwitch(), Optional.of(Fabrics.link("4 TB/s")), host(pcieSwitches));
  }

  // Four hosts that the GPUs alone join.
  private static Settings separated() {
    Settings plain = settings(1, 0);
    return new Settings(plain.nvlink(), 1, plain.nvswitch(), plain.reduction(), plain.host().separate(4));
  }

  private static Host host(int pcieSwitches) {
    return Host.of(Fabrics.link("63 GB/s"), pcieSwitches, Fabrics.virtualOutputSwitch(), Fabrics.link("20 GB/s"));
  }

  private static List<Terminal> node(int gpus, int nics, int cpus) {
    List<Terminal> terminals = new ArrayList<>();
    for (int i = 0; i < gpus; i++) {
      terminals.add(new Terminal("accelerator" + i, DeviceKind.ACCELERATOR, false));
    }
    for (int i = 0; i < nics; i++) {
      terminals.add(new Terminal("nic" + i, DeviceKind.NIC, true));
    }
    for (int i = 0; i < cpus; i++) {
      terminals.add(new Terminal("cpu" + i, DeviceKind.CPU, false));
    }
    return terminals;
  }

  private static List<Terminal> with(List<Terminal> node, int aggregators) {
    List<Terminal> all = new ArrayList<>(node);
    for (int i = 0; i < aggregators; i++) {
      all.add(new Terminal("aggregator" + i, DeviceKind.AGGREGATOR, false));
    }
    return all;
  }

  @Override
  protected Provider<Settings, Topology> provider() {
    return new HgxTopologyProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(settings(1, 4), settings(6, 4), settings(2, 2), separated());
  }

  @Override
  protected List<List<Terminal>> connectable(Settings settings) {
    if (settings.host().separate() == 4) {
      return List.of(node(8, 4, 4), with(node(16, 16, 8), 1));
    }
    return List.of(
        node(8, 8, 2), node(8, 4, 2), node(4, 1, 1), node(1, 0, 1), with(node(8, 8, 2), settings.nvswitches()));
  }

  @Override
  protected List<List<Terminal>> refused(Settings settings) {
    return List.of(
        node(8, 8, 0), node(0, 2, 2), node(8, 8, 3), with(node(8, 8, 2), settings.nvswitches() + 1));
  }

  private static List<String> path(TierPlan plan, int from, int to) {
    List<String> names = new ArrayList<>();
    int device = from;
    while (device != to) {
      device = plan.linkTarget(TierPlan.linkOf(plan.candidates(device, to)[0]));
      names.add(plan.name(device));
    }
    return names;
  }

  @Test
  void shouldTakeNvswitchesBetweenGpusAndPcieToNics() {
    TierPlan plan = new HgxTopologyProvider().create(settings(6, 4)).plan(node(8, 8, 2));
    assertThat(path(plan, 0, 1)).containsExactly("nvswitch0", "accelerator1");
    assertThat(plan.candidates(0, 7)).as("all six planes").hasSize(6);
    assertThat(path(plan, 0, 8)).containsExactly("pcie-switch0", "nic0");
    assertThat(path(plan, 0, 15))
        .containsExactly("pcie-switch0", "cpu0", "cpu1", "pcie-switch3", "nic7");
    assertThat(path(plan, 0, 10)).containsExactly("pcie-switch0", "cpu0", "pcie-switch1", "nic2");
  }

  @Test
  void shouldReachTheUnitOfReductionThroughItsSwitchAlone() {
    TierPlan plan = new HgxTopologyProvider().create(settings(2, 4)).plan(with(node(8, 8, 2), 2));
    for (int gpu = 0; gpu < 8; gpu++) {
      assertThat(path(plan, gpu, 18)).containsExactly("nvswitch0", "aggregator0");
      assertThat(path(plan, gpu, 19)).containsExactly("nvswitch1", "aggregator1");
      assertThat(path(plan, 19, gpu)).containsExactly("nvswitch1", "accelerator" + gpu);
      assertThat(path(plan, gpu, 8)).as("a NIC is not reached by way of it").doesNotContain("nvswitch0", "nvswitch1");
    }
  }

  @Test
  void shouldRefuseAggregatorsWithoutALinkToThem() {
    Settings plain = settings(2, 4);
    Settings without =
        new Settings(plain.nvlink(), 2, plain.nvswitch(), Optional.empty(), plain.host());
    assertThatThrownBy(() -> new HgxTopologyProvider().create(without).plan(with(node(8, 8, 2), 2)))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("each of 2 aggregators");
  }

  @Test
  void shouldCrossHostsThroughGpusWhenOnlyNvlinkJoinsThem() {
    // A host is one CPU with 2 GPUs and 1 NIC below it.
    TierPlan plan = new HgxTopologyProvider().create(separated()).plan(node(8, 4, 4));
    assertThat(path(plan, 0, 8)).containsExactly("cpu0", "nic0");
    assertThat(path(plan, 0, 9)).containsExactly("nvswitch0", "accelerator2", "cpu1", "nic1");
    assertThat(path(plan, 12, 15)).containsExactly("accelerator0", "nvswitch0", "accelerator6", "cpu3");
    assertThat(path(plan, 0, 7)).containsExactly("nvswitch0", "accelerator7");
  }

  // 16 MiB at 450 GB/s with 17 of 16 flits are 39.6 us; all eight at once may take a hundredth longer.
  @Test
  void shouldReduceAndMulticastAtTheFullRateOfEveryGpu() {
    Fabric fabric = Fabric.of(List.of(new Tier(
        "node", 1, ImmutableMap.of(DeviceKind.ACCELERATOR, 8, DeviceKind.CPU, 2, DeviceKind.AGGREGATOR, 1),
        Optional.empty(), new HgxTopologyProvider().create(settings(1, 4)))));
    long bytes = 16 << 20;
    long alone = new NvlinkLinkProvider().create(NvlinkLinkProvider.Settings.of(4, 18)).wirePs((int) bytes, 0);
    List<Offer> reduce = IntStream.range(0, 8).mapToObj(gpu -> new Offer(gpu, 10, bytes)).toList();
    List<Offer> multicast = IntStream.range(0, 8).mapToObj(gpu -> new Offer(10, gpu, bytes)).toList();
    for (List<Offer> offers : List.of(reduce, multicast)) {
      assertThat(Deliveries.of(fabric, offers, SimulationOptions.defaults()).deliveries())
          .hasSize(8)
          .allSatisfy(delivery -> assertThat((double) delivery.atPs()).isBetween(1.0 * alone, 1.01 * alone + 1e6));
      assertThat(
          new Simulation("flow", fabric, new OfferedMessages(offers), SimulationOptions.defaults(), 1)
              .at(Fidelity.FLOW).run().metric("time").orElseThrow().value())
          .as("microseconds at flow fidelity").isBetween(alone / 1e6, 1.01 * alone / 1e6 + 1);
    }
  }
}
