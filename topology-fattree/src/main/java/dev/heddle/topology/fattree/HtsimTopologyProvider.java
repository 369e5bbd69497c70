package dev.heddle.topology.fattree;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.LinkModel;
import dev.heddle.spi.Medium;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.QueuePolicy;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.tier.Topology;
import dev.heddle.tier.TopologyProvider;
import dev.heddle.topology.fattree.FatTreeTopologyProvider.Placement;
import dev.heddle.topology.fattree.FatTreeTopologyProvider.Routing;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Provides the fat tree of a topology file of htsim. */
@Plugin(id = "htsim",
    description = "The fat tree of a topology file of htsim: two or three tiers, oversubscribed or not")
public final class HtsimTopologyProvider implements TopologyProvider<HtsimTopologyProvider.Settings> {
  private static final long PS_PER_NS = 1000;

  /**
   * The file, and the properties that it does not state.
   *
   * @param file the topology
   * @param maxPayload of a packet
   * @param overhead of a packet
   * @param forwarding of switches
   * @param routing choice of the upward path
   */
  public record Settings(
      @Setting("a topology file of htsim (.topo); a relative name is beside the scenario") Path file,
      @Setting(value = "largest payload of one packet", def = "4086 B", min = "1 B", max = "1 GiB",
          source = "ultraethernet/uet-htsim 40ccb05: 4150 B with 64 B of headers") DataSize maxPayload,
      @Setting(value = "bytes that each packet adds on the wire", def = "64 B", max = "1 MiB",
          source = "ultraethernet/uet-htsim 40ccb05, uec.h") DataSize overhead,
      @Setting(value = "forwarding of switches, besides the file's latency of each tier",
          def = "{type: generic, latency: 0 s}") Switch forwarding,
      @Setting(value = "how the way up is chosen", def = "ecmp",
          source = "ultraethernet/uet-htsim 40ccb05, fat_tree_switch.cpp") Routing routing) {}

  /** A switch with the latency that a file states besides its own. */
  private record Delayed(Switch of, long latencyPs) implements Switch {
    @Override
    public Switching switching() {
      return of.switching();
    }

    @Override
    public Buffering buffering() {
      return of.buffering();
    }

    @Override
    public Arbitration arbitration() {
      return of.arbitration();
    }

    @Override
    public int inputBufferBytes() {
      return of.inputBufferBytes();
    }

    @Override
    public int outputBufferBytes() {
      return of.outputBufferBytes();
    }

    @Override
    public QueuePolicy queuePolicy() {
      return of.queuePolicy();
    }
  }

  @Override
  public Topology create(Settings settings) {
    HtsimTopology file = HtsimTopology.read(settings.file());
    List<Link> links = file.tiers().stream().<Link>map(tier -> new LinkModel(
        DataRate.ofBitsPerSecond(tier.gigabits() * 1_000_000_000), SimTime.ofPs(tier.latencyNs() * PS_PER_NS),
        settings.maxPayload(), settings.overhead(), Medium.NETWORK)).toList();
    List<Switch> switches = file.tiers().stream().<Switch>map(tier -> new Delayed(
        settings.forwarding(), settings.forwarding().latencyPs() + tier.switchNs() * PS_PER_NS)).toList();
    Wiring wiring = new Wiring(links, switches, settings.routing(), Optional.empty());
    return terminals -> {
      Shape shape = file.shape();
      if (terminals.size() > file.hosts()) {
        throw new InvalidSettingException("file", settings.file() + ": a tree of " + file.hosts() + " hosts, but "
            + terminals.size() + " terminals are to be connected");
      }
      int[] places = FatTreePlanner.places(Placement.PACKED, shape, terminals.size());
      return new FatTreePlanner(wiring, shape, 1, places, terminals).plan();
    };
  }
}
