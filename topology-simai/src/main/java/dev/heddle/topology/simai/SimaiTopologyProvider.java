package dev.heddle.topology.simai;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.tier.Topology;
import dev.heddle.tier.TopologyProvider;
import dev.heddle.units.DataSize;
import java.nio.file.Path;
import java.util.Optional;

/** Provides the topology of a SimAI topology file: all of it as one tier, or its servers and its network as two. */
@Plugin(id = "simai",
    description = "The topology of a SimAI topology file: all of it as one tier, or its servers and its network as two")
public final class SimaiTopologyProvider implements TopologyProvider<SimaiTopologyProvider.Settings> {
  /**
   * The file, and the properties that it does not state.
   *
   * @param file the topology
   * @param maxPayload of a packet
   * @param overhead of a packet
   * @param buffer of a receiver
   * @param forwarding of the network's switches
   * @param nvswitch forwarding of NVSwitches
   */
  public record Settings(
      @Setting("a topology file of SimAI, or of ASTRA-sim's ns-3; a relative name is beside the scenario") Path file,
      @Setting(value = "largest payload of one packet", def = "9000 B", min = "1 B", max = "1 GiB",
          source = "PACKET_PAYLOAD_SIZE of SimAI.conf") DataSize maxPayload,
      @Setting(value = "bytes that each packet adds on the wire", def = "0 B", max = "1 MiB") DataSize overhead,
      @Setting("receiver's buffer of each link; without it, unlimited") Optional<DataSize> buffer,
      @Setting(value = "forwarding of the network's switches", def = "{type: generic}") Switch forwarding,
      @Setting(value = "forwarding of NVSwitches", def = "{type: generic}") Switch nvswitch) {}

  @Override
  public Topology create(Settings settings) {
    if (settings.buffer().isPresent() && settings.buffer().get().bytes() < settings.maxPayload().bytes()) {
      throw new InvalidSettingException("buffer", settings.buffer().get() + " holds no packet of "
          + settings.maxPayload());
    }
    TopologyPlanner planner = new TopologyPlanner(settings, TopologyReader.read(settings.file()));
    return planner::plan;
  }
}
