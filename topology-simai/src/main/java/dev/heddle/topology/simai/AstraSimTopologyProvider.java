package dev.heddle.topology.simai;

import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.tier.Topology;
import dev.heddle.tier.TopologyProvider;
import dev.heddle.units.DataSize;
import java.nio.file.Path;

/** Provides the network of a file of ASTRA-sim's analytical back end, as one tier of accelerators. */
@Plugin(id = "astra-sim",
    description = "The network of an ASTRA-sim network file: rings, full meshes and switches, one per dimension")
public final class AstraSimTopologyProvider implements TopologyProvider<AstraSimTopologyProvider.Settings> {
  /**
   * The file, and the properties that it does not state.
   *
   * @param file the network
   * @param gigabyte of its bandwidths
   * @param maxPayload of a packet
   * @param overhead of a packet
   * @param forwarding of switches, and of NPUs between dimensions
   */
  public record Settings(
      @Setting("a network file of ASTRA-sim's analytical back end (network.yml); a relative name is beside the"
          + " scenario") Path file,
      @Setting(value = "bytes of a gigabyte of its bandwidths", def = "1 GiB", min = "1 GB", max = "1 GiB",
          source = "ASTRA-sim's analytical back end, bw_GBps_to_Bpns") DataSize gigabyte,
      @Setting(value = "largest payload of one packet", def = "4 KiB", min = "1 B", max = "1 GiB") DataSize maxPayload,
      @Setting(value = "bytes that each packet adds on the wire", def = "0 B", max = "1 MiB") DataSize overhead,
      @Setting(value = "forwarding of switches, and of NPUs between dimensions",
          def = "{type: generic, latency: 0 s}") Switch forwarding) {}

  @Override
  public Topology create(Settings settings) {
    NetworkFile file = NetworkFile.read(settings.file());
    return terminals -> NetworkPlanner.plan(settings, file, terminals);
  }
}
