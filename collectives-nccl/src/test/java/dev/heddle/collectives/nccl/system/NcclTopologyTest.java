package dev.heddle.collectives.nccl.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collectives.nccl.Machines;
import dev.heddle.collectives.nccl.system.NcclTopologyProvider.Settings;
import dev.heddle.collectives.nccl.system.NcclTopologyProvider.Wire;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Accelerator.Vendor;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Terminal;
import dev.heddle.testkit.contract.TopologyContract;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.Topology;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NcclTopologyTest extends TopologyContract<Settings> {
  @TempDir
  private static Path folder;

  private static Settings settings(SystemDescription node) {
    try {
      Path file = folder.resolve(Integer.toHexString(node.hashCode()) + ".xml");
      Files.writeString(file, SystemXml.write(node));
      return settings(file.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Settings settings(String file) {
    Switch forwarding = Fabrics.virtualOutputSwitch();
    Wire wire = new Wire(DataSize.ofBytes(24), SimTime.parse("100 ns"), DataSize.ofBytes(256));
    return new Settings(
        Path.of(file), Optional.empty(), wire, wire, forwarding, forwarding, forwarding, Fabrics.link("20 GB/s"),
        forwarding);
  }

  private static List<Terminal> node(int gpus, int nics, int cpus) {
    List<Terminal> terminals = new ArrayList<>();
    terminals.addAll(Fabrics.terminals(DeviceKind.ACCELERATOR, gpus));
    for (int i = 0; i < nics; i++) {
      terminals.add(new Terminal("nic" + i, DeviceKind.NIC, true));
    }
    terminals.addAll(Fabrics.terminals(DeviceKind.CPU, cpus));
    return terminals;
  }

  @Override
  protected Provider<Settings, Topology> provider() {
    return new NcclTopologyProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(settings(Machines.h100()), settings(Machines.a100()));
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(settings("no-such-file.xml"));
  }

  @Override
  protected List<List<Terminal>> connectable(Settings settings) {
    return List.of(node(8, 8, 2));
  }

  @Override
  protected List<List<Terminal>> refused(Settings settings) {
    return List.of(node(8, 8, 1), node(4, 8, 2), node(8, 4, 2));
  }

  @Test
  void shouldHaveTheHardwaresRatesWhenFileIsOfH100() {
    TierPlan plan = new NcclTopologyProvider().create(settings(Machines.h100())).plan(node(8, 8, 2));

    int link = TierPlan.linkOf(plan.candidates(0, 7)[0]);
    assertThat(plan.name(plan.linkTarget(link))).isEqualTo("nvswitch");
    assertThat(plan.linkModel(link).rate()).isEqualTo(DataRate.parse("450 GB/s"));
    int bus = TierPlan.linkOf(plan.candidates(0, 8)[0]);
    assertThat(plan.linkModel(bus).rate().bitsPerSecond() / 8e9).isCloseTo(63, within(.1));
  }

  // A node built from a file has the description of the file, except for names and identities.
  @Test
  void shouldBeDescribedAlikeWhenNodeIsReadBack() {
    for (SystemDescription node : List.of(Machines.h100(), Machines.dgx1v())) {
      int nics = Inventory.of(node).nets().size();
      Map<DeviceKind, Integer> terminals = new LinkedHashMap<>();
      terminals.put(DeviceKind.ACCELERATOR, 8);
      terminals.put(DeviceKind.NIC, nics);
      terminals.put(DeviceKind.CPU, 2);
      int sm = Inventory.of(node).gpus().get(0).sm();
      Accelerator gpu = new Accelerator(
          "test GPU", Vendor.NVIDIA, "test", sm, 1, DataSize.parse("1 GiB"), DataRate.parse("1 TB/s"), Map.of());
      Tier tier = new Tier("node", 1, terminals, Optional.of(Fabrics.virtualOutputSwitch()),
          new NcclTopologyProvider().create(settings(node)), Optional.of(gpu), Optional.empty());
      Fabric fabric = Fabric.of(List.of(
          tier, Tier.outer("cluster", 2, Fabrics.star(Fabrics.link("400 Gb/s")))));

      SystemDescription found = ClusterNode.of(fabric, 0);
      assertThat(Inventory.of(found).gpus()).hasSameSizeAs(Inventory.of(node).gpus());
      assertThat(Inventory.of(found).nets()).hasSize(nics);
      for (int i = 0; i < 8; i++) {
        assertThat(Inventory.of(found).gpus().get(i).nvlinks().stream().mapToInt(each -> each.count()).sum())
            .isEqualTo(Inventory.of(node).gpus().get(i).nvlinks().stream().mapToInt(each -> each.count()).sum());
      }
    }
  }

  @Test
  void shouldNameFileAndNumbersWhenTerminalsDiffer() {
    Settings settings = settings(Machines.h100());

    assertThatThrownBy(() -> new NcclTopologyProvider().create(settings).plan(node(8, 4, 2)))
        .hasMessage(settings.file() + " has 8 of kind nic, but the tier's terminals are 4 of them");
  }
}
