package dev.heddle.topology.node;

import dev.heddle.spi.Link;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.tier.Topology;
import dev.heddle.tier.TopologyProvider;
import java.util.Optional;

/**
 * Provides the node with two networks: NVLink through NVSwitches between the GPUs, and PCIe from GPUs to NICs and CPUs,
 * as in DGX A100, HGX H100 and their successors.
 */
@Plugin(id = "hgx", description = "A node of GPUs on NVSwitches, with PCIe switches to NICs and CPUs")
public final class HgxTopologyProvider implements TopologyProvider<HgxTopologyProvider.Settings> {
  /**
   * The settings of a node.
   *
   * @param nvlink from a GPU to one NVSwitch
   * @param nvswitches planes, each connected to every GPU; messages are spread over them
   * @param nvswitch forwarding of an NVSwitch
   * @param reduction from an NVSwitch to its reduction and multicast engine; copies leave it by an nvlink per GPU
   * @param host connections of GPUs, NICs and CPUs
   */
  public record Settings(
      @Setting("link from a GPU to one NVSwitch") Link nvlink,
      @Setting(value = "NVSwitches, each connected to every GPU; messages are spread over them", def = "1", min = "1",
          max = "64") int nvswitches,
      @Setting(value = "forwarding of an NVSwitch", def = "{type: nvswitch}") Switch nvswitch,
      @Setting("link from an NVSwitch to its reduction and multicast engine, a terminal of kind aggregator; "
          + "copies leave it by an nvlink per GPU") Optional<Link> reduction,
      @Setting("host side: connections of GPUs, NICs and CPUs") Host host) {}

  @Override
  public Topology create(Settings settings) {
    return terminals -> new HgxPlanner(settings, terminals).plan();
  }
}
