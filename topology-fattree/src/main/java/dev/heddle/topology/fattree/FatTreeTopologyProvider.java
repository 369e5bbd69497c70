package dev.heddle.topology.fattree;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.tier.Topology;
import dev.heddle.tier.TopologyProvider;
import java.util.List;
import java.util.Optional;

/**
 * Provider of fat trees: parallel generalised fat trees PGFT(h; m; w; p), with extended generalised fat trees (XGFT),
 * real-life fat trees (RLFT) and k-ary n-trees as special cases [Öhring et al., IPPS 1995; Petrini and Vanneschi, IPPS
 * 1997; Zahavi, JPDC 72(11), 2012].
 */
@Plugin(id = "fat-tree", description = "A fat tree (PGFT, XGFT, RLFT, k-ary n-tree) of any height and oversubscription")
public final class FatTreeTopologyProvider implements TopologyProvider<FatTreeTopologyProvider.Settings> {
  /**
   * Settings of a fat tree. The shape is given by {@code down}, {@code up} and {@code parallel}, or by {@code levels},
   * {@code radix} and {@code oversubscription}.
   *
   * @param link of every level
   * @param links of each level, from the terminals up
   * @param forwarding the switch of every level
   * @param switches of each level, from the leaves up
   * @param levels number of levels of switches
   * @param radix number of ports of a switch
   * @param oversubscription of a leaf: ports down per port up
   * @param down m1 … mh: children of a switch of each level, from the leaves up
   * @param up w1 … wh: parents of a device of each level, from the terminals up
   * @param parallel p1 … ph: parallel cables between a child and a parent, from the terminals up
   * @param ports of a terminal, each to a leaf of its own
   * @param planes in which the ports of a terminal lie
   * @param placement of terminals in a tree with more places
   * @param routing choice of the upward path
   * @param reduction link between each switch and its aggregator
   */
  public record Settings(
      @Setting("link of every level, unless links gives one per level") Optional<Link> link,
      @Setting("link of each level, from the terminals' own up") List<Link> links,
      @Setting(value = "switch of every level, unless switches gives one per level",
          def = "{type: generic}") Switch forwarding,
      @Setting("switch of each level, from the leaves up") List<Switch> switches,
      @Setting("levels of switches, 1 to 8; without it, as many as down has entries, else 2") Optional<Integer> levels,
      @Setting("ports of a switch; without it, the least even number that holds all terminals") Optional<Integer> radix,
      @Setting(value = "ports down per port up of a leaf switch", def = "1", min = "1",
          max = "64") int oversubscription,
      @Setting("children of a switch of each level, from the leaves up: m1 … mh of a PGFT") List<Integer> down,
      @Setting("parents of a device of each level, from the terminals up: w1 … wh of a PGFT; without it, "
          + "a constant bisection") List<Integer> up,
      @Setting("parallel cables between child and parent, from the terminals up: p1 … ph of a PGFT;"
          + " without it, 1 each") List<Integer> parallel,
      @Setting("ports of a terminal, each to a leaf of its own (dual ToR where 2), 1 to 64; without it, the first "
          + "entry of up, else 1") Optional<Integer> ports,
      @Setting("planes of the fabric: as many as ports, each a tree of its own, or 1, where the leaves of all ports "
          + "meet in the switches above; without it, as many as ports") Optional<Integer> planes,
      @Setting(value = "where terminals sit in a tree that holds more of them", def = "packed") Placement placement,
      @Setting(value = "how the way up is chosen", def = "d-mod-k", source = "[SAURON §4.2.1]") Routing routing,
      @Setting("link between each switch and its unit that reduces (SHARP); without it,"
          + " switches do not reduce") Optional<Link> reduction) {
    /** Copies the lists. */
    public Settings {
      links = List.copyOf(links);
      switches = List.copyOf(switches);
      down = List.copyOf(down);
      up = List.copyOf(up);
      parallel = List.copyOf(parallel);
    }

    /** The smallest tree of two levels for its terminals, with D-mod-K. */
    public static Settings of(Link link, Switch forwarding) {
      return new Settings(
          Optional.of(link), List.of(), forwarding, List.of(), Optional.empty(), Optional.empty(), 1, List.of(),
          List.of(), List.of(), Optional.empty(), Optional.empty(), Placement.PACKED, Routing.D_MOD_K,
          Optional.empty());
    }
  }

  /** Placement of terminals in a tree with more places. The order of terminals is kept, except by round-robin. */
  public enum Placement {
    /** Leaf after leaf, each full. */
    PACKED,
    /** Equal numbers on all leaves, in order. */
    SPREAD,
    /** Each terminal on the next leaf. */
    ROUND_ROBIN
  }

  /** Choice of the upward path, and of one of parallel cables. The downward path is unique. */
  public enum Routing {
    /** By the destination's number in mixed radix [Zahavi 2012]. */
    D_MOD_K,
    /** By the source's number in mixed radix. */
    S_MOD_K,
    /** At random for every burst. */
    RANDOM,
    /** By a hash of source, destination and message. */
    ECMP,
    /** By the least load. */
    ADAPTIVE
  }

  @Override
  public Topology create(Settings settings) {
    int levels = ShapeChoice.of(settings).levels();
    requirePerLevel("links", settings.links(), levels);
    requirePerLevel("switches", settings.switches(), levels);
    if (settings.link().isEmpty() && settings.links().isEmpty()) {
      throw new InvalidSettingException("link", "missing: give one link for all levels, or links, one per level");
    }
    Wiring wiring =
        Wiring.of(
            settings.links().isEmpty() ? List.of(settings.link().orElseThrow()) : settings.links(),
            settings.switches().isEmpty() ? List.of(settings.forwarding()) : settings.switches(), levels,
            settings.routing()).reducing(settings.reduction());
    return terminals -> {
      Shape shape = ShapeChoice.of(settings).shape(terminals.size());
      int[] places = FatTreePlanner.places(settings.placement(), shape, terminals.size());
      return new FatTreePlanner(wiring, shape, 1, places, terminals).plan();
    };
  }

  private static void requirePerLevel(String component, List<?> given, int levels) {
    if (!given.isEmpty() && given.size() != levels) {
      throw new InvalidSettingException(
          component, given.size() + " entries; a tree of " + levels + " levels needs " + levels + ", or none");
    }
  }
}
