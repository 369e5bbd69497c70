package dev.heddle.topology.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.link.pcie.PcieLinkProvider;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Terminal;
import dev.heddle.testkit.contract.TopologyContract;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.Topology;
import dev.heddle.topology.node.PcieTreeTopologyProvider.Path;
import dev.heddle.topology.node.PcieTreeTopologyProvider.Settings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PcieTreeTopologyTest extends TopologyContract<Settings> {
  private static final Link X16 = new PcieLinkProvider().create(PcieLinkProvider.Settings.of(3, 16, 128));
  private static final Link X8 = new PcieLinkProvider().create(PcieLinkProvider.Settings.of(3, 8, 128));
  private static final List<Terminal> NODE = List.of(
      new Terminal("cpu0", DeviceKind.CPU, false),
      new Terminal("accelerator0", DeviceKind.ACCELERATOR, false),
      new Terminal("storage0", DeviceKind.STORAGE, false),
      new Terminal("nic0", DeviceKind.NIC, true));

  private static Settings tree(Path path) {
    return new Settings(
        path, X16, Map.of("storage", X8), Fabrics.link("1 Tb/s"), Optional.empty(), Fabrics.virtualOutputSwitch(),
        Fabrics.virtualOutputSwitch(), Fabrics.virtualOutputSwitch());
  }

  @Override
  protected Provider<Settings, Topology> provider() {
    return new PcieTreeTopologyProvider();
  }

  @Override
  protected List<Settings> settings() {
    return Arrays.stream(Path.values()).map(PcieTreeTopologyTest::tree).toList();
  }

  @Override
  protected List<List<Terminal>> connectable(Settings settings) {
    boolean needsCpu = settings.path() == Path.CPU || settings.path() == Path.DIRECT;
    return needsCpu ? List.of(NODE) : List.of(NODE, NODE.subList(1, 4));
  }

  @Override
  protected List<List<Terminal>> refused(Settings settings) {
    List<Terminal> twoSockets = new ArrayList<>(NODE);
    twoSockets.add(new Terminal("cpu1", DeviceKind.CPU, false));
    boolean needsCpu = settings.path() == Path.CPU || settings.path() == Path.DIRECT;
    return needsCpu ? List.of(twoSockets, NODE.subList(1, 4)) : List.of(twoSockets);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "CPU | accelerator0 rootport-accelerator0 cpu0 rootport-nic0 nic0 | cpu0 rootport-nic0 nic0",
      "DIRECT | accelerator0 cpu0 nic0 | cpu0 nic0",
      "ROOT_COMPLEX | accelerator0 root-complex nic0 | cpu0 root-complex nic0",
      "SWITCH | accelerator0 pcie-switch nic0 | cpu0 rootport pcie-switch nic0",
  })
  void shouldTakePathAskedFor(Path path, String fromAccelerator, String fromCpu) {
    TierPlan plan = new PcieTreeTopologyProvider().create(tree(path)).plan(NODE);
    assertThat(way(plan, 1, 3)).isEqualTo(fromAccelerator);
    assertThat(way(plan, 0, 3)).isEqualTo(fromCpu);
  }

  private static String way(TierPlan plan, int from, int to) {
    List<String> names = new ArrayList<>(List.of(plan.name(from)));
    for (int device = from; device != to;) {
      device = plan.linkTarget(TierPlan.linkOf(plan.candidates(device, to)[0]));
      names.add(plan.name(device));
    }
    return String.join(" ", names);
  }
}
