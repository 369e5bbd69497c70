package dev.heddle.topology.node;

import dev.heddle.spi.Link;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.tier.Topology;
import dev.heddle.tier.TopologyProvider;
import java.util.List;
import java.util.Optional;

/**
 * Provides the node of Intel Data Center GPU Max, as in Aurora: tiles in pairs on MDFI, every tile on an Xe-Link to the
 * tile of the same number of every other GPU, one PCIe port per GPU, and NICs on the CPUs' root complexes next to the
 * GPUs.
 */
@Plugin(id = "pvc-node",
    description = "A node of tiled GPUs on MDFI and Xe-Link, with a PCIe port a GPU and NICs on the CPUs' roots")
public final class PvcNodeTopologyProvider implements TopologyProvider<PvcNodeTopologyProvider.Settings> {
  /**
   * The settings of a node. A terminal of kind accelerator is a tile; consecutive tiles form a GPU.
   *
   * @param tiles of a GPU
   * @param mdfi between two tiles of a GPU
   * @param xeLink between tiles of the same number of two GPUs
   * @param forwarding by a tile for the other tiles of its GPU
   * @param port between a tile and the PCIe port of its GPU
   * @param pcie between a GPU and its root
   * @param nicLink between a NIC and its root
   * @param memoryLink from a root to its CPU's memory
   * @param memoryLinkDown from the memory to the root
   * @param staging between a CPU's memory and a reduction buffer in it, a terminal of kind aggregator
   * @param socketLink between every two CPUs' roots
   * @param root forwarding of a root, and of the PCIe port of a GPU
   * @param nicOf the NIC by which each tile leaves the node
   */
  public record Settings(
      @Setting(value = "tiles of a GPU; they follow each other", def = "2", min = "1", max = "16") int tiles,
      @Setting(value = "link between two tiles of a GPU", def = "{type: mdfi}") Link mdfi,
      @Setting(value = "link between tiles of the same number of two GPUs", def = "{type: xe-link}") Link xeLink,
      @Setting(value = "forwarding by a tile for the others of its GPU",
          def = "{type: generic, latency: 200 ns}") Switch forwarding,
      @Setting(value = "link between a tile and the PCIe port of its GPU",
          def = "{type: generic, rate: 400 GB/s, latency: 50 ns, medium: bus}",
          source = "a choice: more than PCIe carries") Link port,
      @Setting("link between a GPU and its CPU's root, shared by the GPU's tiles") Link pcie,
      @Setting("link between a NIC and its CPU's root") Link nicLink,
      @Setting("link from a CPU's root to its memory, shared by all copies to the host") Link memoryLink,
      @Setting("link from a CPU's memory to its root; without it, as to the memory") Optional<Link> memoryLinkDown,
      @Setting(
          value = "link between a CPU's memory and a buffer in it in which data wait or are added, a terminal of kind "
              + "aggregator",
          def = "{type: generic, rate: 100 GB/s, latency: 100 ns, medium: memory}",
          source = "a choice: more than PCIe carries") Link staging,
      @Setting(value = "link between the roots of two CPUs",
          def = "{type: generic, rate: 120 GB/s, latency: 150 ns, medium: socket}",
          source = "a choice: three UPI links of 16 GT/s and 20 lanes") Link socketLink,
      @Setting(value = "forwarding of a root, and of the PCIe port of a GPU",
          def = "{type: generic, latency: 150 ns}") Switch root,
      @Setting(value = "number of the NIC by which each tile leaves the node, and its buffer in the host's memory; "
          + "without it, NICs are shared out in blocks", min = "0") List<Integer> nicOf) {
    /** Copies the list. */
    public Settings {
      nicOf = List.copyOf(nicOf);
    }
  }

  @Override
  public Topology create(Settings settings) {
    return terminals -> new PvcNodePlanner(settings, terminals).plan();
  }
}
