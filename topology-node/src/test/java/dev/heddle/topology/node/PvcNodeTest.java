package dev.heddle.topology.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.link.xelink.MdfiProvider;
import dev.heddle.link.xelink.XeLinkProvider;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Terminal;
import dev.heddle.testkit.contract.TopologyContract;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.Topology;
import dev.heddle.topology.node.PvcNodeTopologyProvider.Settings;
import dev.heddle.units.DataRate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PvcNodeTest extends TopologyContract<Settings> {
  private static final List<Integer> IN_TURN = List.of(0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3);

  @Override
  protected Provider<Settings, Topology> provider() {
    return new PvcNodeTopologyProvider();
  }

  private static Settings settings(int tiles, List<Integer> nicOf) {
    Link bus = Fabrics.link("50 GB/s");
    Switch forwarding = Fabrics.virtualOutputSwitch();
    return new Settings(
        tiles, new MdfiProvider().create(MdfiProvider.Settings.of(DataRate.parse("196 GB/s"), Optional.empty())),
        new XeLinkProvider().create(XeLinkProvider.Settings.of(DataRate.parse("15 GB/s"), Optional.empty())),
        forwarding, bus, bus, bus, bus, Optional.empty(), bus, bus, forwarding, nicOf);
  }

  @Override
  protected List<Settings> settings() {
    return List.of(settings(2, List.of()), settings(1, List.of()), settings(4, List.of()));
  }

  @Override
  protected List<List<Terminal>> connectable(Settings settings) {
    return List.of(terminals(12, 8, 2, 12), terminals(4, 0, 1, 0), terminals(8, 3, 2, 0));
  }

  @Override
  protected List<List<Terminal>> refused(Settings settings) {
    List<Terminal> withDrive = new ArrayList<>(terminals(4, 0, 1, 0));
    withDrive.add(new Terminal("storage0", DeviceKind.STORAGE, false));
    return List.of(terminals(0, 1, 1, 0), terminals(4, 1, 0, 0), terminals(4, 1, 1, 3), withDrive);
  }

  private static List<Terminal> terminals(int tiles, int nics, int cpus, int buffers) {
    List<Terminal> terminals = new ArrayList<>(Fabrics.terminals(DeviceKind.ACCELERATOR, tiles));
    terminals.addAll(Fabrics.terminals(DeviceKind.NIC, nics));
    terminals.addAll(Fabrics.terminals(DeviceKind.CPU, cpus));
    terminals.addAll(Fabrics.terminals(DeviceKind.AGGREGATOR, buffers));
    return terminals;
  }

  private static TierPlan aurora() {
    return new PvcNodeTopologyProvider().create(settings(2, IN_TURN)).plan(terminals(12, 8, 2, 12));
  }

  private static int hops(TierPlan plan, int from, int to) {
    int hops = 0;
    for (int device = from; device != to; hops++) {
      device = plan.linkTarget(TierPlan.linkOf(plan.candidates(device, to)[0]));
    }
    return hops;
  }

  @Test
  void shouldReachTheSamePlaneInOneHopAndTheOtherInTwo() {
    TierPlan plan = aurora();
    for (int tile = 1; tile < 12; tile++) {
      boolean near = tile % 2 == 0 || tile == 1;
      assertThat(hops(plan, 0, tile)).as("tile %s", tile).isEqualTo(near ? 1 : 2);
    }
  }

  @Test
  void shouldLeaveByThePcieOfTheGpuAndCrossSocketsOnlyWhenTheNicIsThere() {
    TierPlan plan = aurora();
    assertThat(plan.egressNic(4)).isEqualTo(12 + 4);
    assertThat(hops(plan, 0, 12)).as("tile, port, root, NIC").isEqualTo(3);
    assertThat(hops(plan, 4, 12 + 4)).as("over the other CPU's root").isEqualTo(4);
    assertThat(hops(plan, 0, 22)).as("tile, port, root, memory, buffer").isEqualTo(4);
  }

  @Test
  void shouldRefuseNicsThatAreNotThere() {
    assertThatThrownBy(() -> new PvcNodeTopologyProvider().create(settings(2, IN_TURN)).plan(terminals(12, 7, 2, 0)))
        .isInstanceOf(InvalidSettingException.class).hasMessage("there is no NIC 7; there are 7");
    assertThatThrownBy(() -> new PvcNodeTopologyProvider().create(settings(2, IN_TURN)).plan(terminals(4, 8, 2, 0)))
        .isInstanceOf(InvalidSettingException.class).hasMessage("12 entries for 4 tiles");
    assertThatThrownBy(() -> new PvcNodeTopologyProvider().create(settings(2, List.of())).plan(terminals(5, 1, 1, 0)))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("5 accelerators are no whole GPUs");
  }
}
