package dev.heddle.link.nvlink;

import dev.heddle.spi.Link;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Topology;
import dev.heddle.spi.TopologyProvider;

/**
 * Provides the node with two networks: NVLink through NVSwitches between the GPUs, and PCIe from GPUs to NICs and CPUs,
 * as in DGX A100, HGX H100 and their successors.
 */
public final class HgxTopologyProvider implements TopologyProvider<HgxTopologyProvider.Settings> {
  /**
   * What a node is made of.
   *
   * @param nvlink from a GPU to one NVSwitch
   * @param nvswitches planes, each connected to every GPU; messages are spread over them
   * @param nvswitch how an NVSwitch forwards
   * @param pcie from a GPU or a NIC to its PCIe switch
   * @param pcieSwitches how many PCIe switches; GPUs and NICs are divided among them in order
   * @param pcieSwitch how a PCIe switch forwards
   * @param rootLink from a PCIe switch to the CPU above it
   * @param cpu how a CPU forwards between its root ports
   * @param socketLink between two CPUs
   */
  public record Settings(
      @Setting("link from a GPU to one NVSwitch") Link nvlink,
      @Setting(value = "NVSwitches, each connected to every GPU; messages are spread over them", def = "1", min = "1",
              max = "64")
          int nvswitches,
      @Setting(value = "how an NVSwitch forwards", def = "{type: nvswitch}") Switch nvswitch,
      @Setting("link from a GPU or a NIC to its PCIe switch") Link pcie,
      @Setting(value = "PCIe switches; GPUs and NICs are divided among them in order", def = "4", min = "1", max = "64")
          int pcieSwitches,
      @Setting(value = "how a PCIe switch forwards", def = "{type: generic, latency: 100 ns}",
              source = "PLX PEX 8747 product brief: at most 100 ns")
          Switch pcieSwitch,
      @Setting("link from a PCIe switch to the CPU above it") Link rootLink,
      @Setting(value = "how a CPU forwards between its root ports", def = "{type: generic, latency: 150 ns}") Switch cpu,
      @Setting(value = "link between two CPUs", def = "{type: generic, rate: 20 GB/s, latency: 100 ns}",
              source = "a choice: two or three UPI or xGMI links, less what coherence takes")
          Link socketLink) {}

  @Override
  public String id() {
    return "hgx";
  }

  @Override
  public String description() {
    return "A node of GPUs on NVSwitches, with PCIe switches to NICs and CPUs";
  }

  @Override
  public Class<Settings> settings() {
    return Settings.class;
  }

  @Override
  public Topology create(Settings settings) {
    return terminals -> new HgxPlanner(settings, terminals).plan();
  }
}
