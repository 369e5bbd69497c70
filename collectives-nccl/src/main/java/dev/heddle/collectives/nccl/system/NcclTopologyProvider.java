package dev.heddle.collectives.nccl.system;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.tier.Topology;
import dev.heddle.tier.TopologyProvider;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Provider of nodes described by an NCCL topology file: its GPUs, PCIe switches, CPUs, NICs and NVLinks. Rates are
 * those of the hardware, not the bandwidths that NCCL assumes; properties that the file lacks, such as latencies, are
 * settings.
 */
@Plugin(id = "nccl-topology", description = "A node as NCCL's topology file describes it, at the rates of its hardware")
public final class NcclTopologyProvider implements TopologyProvider<NcclTopologyProvider.Settings> {
  /**
   * Settings of a node: the file, and the properties that it lacks.
   *
   * @param file the topology file
   * @param gpus of a file that does not describe its GPUs
   * @param nvlinks packets and latency of NVLinks
   * @param pcie packets and latency of PCIe links
   * @param nvswitch forwarding by the NVSwitches, which are modelled as one
   * @param pcieSwitch forwarding by a PCIe switch
   * @param cpu forwarding by a CPU
   * @param socketLink link between every two CPUs of a host
   * @param relay forwarding by a GPU between devices without another path
   */
  public record Settings(
      @Setting("NCCL topology file, as NCCL_TOPO_DUMP_FILE writes it; a relative name is beside the"
          + " scenario") Path file,
      @Setting("GPUs of a file that gives devices by PCI class alone or without NVLinks, as clouds ship them for"
          + " NCCL_TOPO_FILE; without it, as the file has them") Optional<Gpus> gpus,
      @Setting(value = "packets and latency of NVLinks", def = "{overhead: 16 B, latency: 150 ns}") Wire nvlinks,
      @Setting(value = "packets and latency of PCIe links", def = "{overhead: 24 B, latency: 10 ns}") Wire pcie,
      @Setting(value = "how the NVSwitches forward, which are one",
          def = "{type: generic, latency: 100 ns}") Switch nvswitch,
      @Setting(value = "how a PCIe switch forwards", def = "{type: generic, latency: 100 ns}") Switch pcieSwitch,
      @Setting(value = "how a CPU forwards", def = "{type: generic, latency: 150 ns}") Switch cpu,
      @Setting(value = "link between every two CPUs of a host",
          def = "{type: generic, rate: 20 GB/s, latency: 100 ns, medium: socket}") Link socketLink,
      @Setting(value = "how a GPU forwards what finds no other way",
          def = "{type: generic, latency: 500 ns}") Switch relay) {}

  /**
   * GPUs that are all alike, for a file that leaves them to NCCL.
   *
   * @param sm compute capability times ten
   * @param nvlinks of each GPU to the NVSwitches
   */
  public record Gpus(
      @Setting(value = "compute capability times ten, as NCCL writes it: 80 of an A100, 90 of an H100", min = "10",
          max = "999") int sm,
      @Setting(value = "NVLinks of each GPU to the NVSwitches; 0: none", min = "0", max = "64") int nvlinks) {}

  /**
   * Properties of a type of link besides its rate.
   *
   * @param overhead bytes added to each packet
   * @param latency from the departure of a bit to its arrival
   * @param maxPayload of a packet
   */
  public record Wire(
      @Setting("bytes that each packet adds on the wire") DataSize overhead,
      @Setting("time from the first bit's leaving to its arrival") SimTime latency,
      @Setting(value = "largest payload of a packet", def = "256 B", min = "1 B", max = "1 GiB") DataSize maxPayload) {}

  @Override
  public Topology create(Settings settings) {
    try {
      SystemDescription node = node(settings);
      return terminals -> new FileNodePlanner(settings, node, terminals).plan();
    } catch (InvalidPathException e) {
      throw new InvalidSettingException("file", String.valueOf(e.getMessage()));
    }
  }

  private static SystemDescription node(Settings settings) {
    SystemDescription file = SystemXml.read(settings.file());
    if (settings.gpus().isPresent()) {
      Gpus gpus = settings.gpus().get();
      return DeviceFilling.complete(file, gpus.sm(), gpus.nvlinks());
    }
    if (DeviceFilling.lacksDetails(file)) {
      throw new InvalidSettingException("gpus", "is missing: " + settings.file() + " gives GPUs or NICs by their PCI"
          + " class alone, as files for NCCL_TOPO_FILE do; state the GPUs, such as gpus: {sm: 90, nvlinks: 18}");
    }
    return file;
  }
}
