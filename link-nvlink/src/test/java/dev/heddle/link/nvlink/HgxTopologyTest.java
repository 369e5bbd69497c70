package dev.heddle.link.nvlink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.link.nvlink.HgxTopologyProvider.Settings;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Terminal;
import dev.heddle.spi.TierPlan;
import dev.heddle.spi.Topology;
import dev.heddle.testkit.contract.TopologyContract;
import dev.heddle.testkit.fixture.Fabrics;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HgxTopologyTest extends TopologyContract<Settings> {
  private static Settings settings(int nvswitches, int pcieSwitches) {
    return new Settings(
        new NvlinkLinkProvider().create(NvlinkLinkProvider.Settings.of(4, 18 / nvswitches)), nvswitches,
        Fabrics.virtualOutputSwitch(), Fabrics.link("63 GB/s"), pcieSwitches, Fabrics.virtualOutputSwitch(),
        Fabrics.link("63 GB/s"), Fabrics.virtualOutputSwitch(), Fabrics.link("20 GB/s"));
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

  @Override
  protected Provider<Settings, Topology> provider() {
    return new HgxTopologyProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(settings(1, 4), settings(6, 4), settings(2, 2));
  }

  @Override
  protected List<List<Terminal>> connectable(Settings settings) {
    return List.of(node(8, 8, 2), node(8, 4, 2), node(4, 1, 1), node(1, 0, 1));
  }

  @Override
  protected List<List<Terminal>> refused(Settings settings) {
    return List.of(node(8, 8, 0), node(0, 2, 2), node(8, 8, 3));
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
}
