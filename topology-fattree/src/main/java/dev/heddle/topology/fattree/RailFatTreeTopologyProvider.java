package dev.heddle.topology.fattree;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Terminal;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.Topology;
import dev.heddle.tier.TopologyProvider;
import dev.heddle.topology.fattree.FatTreeTopologyProvider.Routing;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Provider of rails: the NICs at the same position of every node share leaf switches, and spines may join the rails.
 * NICs come node by node, with one of each rail for every node.
 */
@Plugin(id = "rail-fat-tree",
    description = "Rails: NICs of the same position of every node share leaves; spines, a core, or nothing joins rails")
public final class RailFatTreeTopologyProvider implements TopologyProvider<RailFatTreeTopologyProvider.Settings> {
  /**
   * Settings of rails.
   *
   * @param rails number of NICs of a node
   * @param link of every level
   * @param links of each level, from the NICs up
   * @param forwarding the switch of every level
   * @param switches of each level, from the leaves up
   * @param nodesPerLeaf number of nodes that share the leaves of a block
   * @param joined level at which rails are joined
   * @param oversubscription of a leaf: ports down per port up
   * @param uplinks ports up of a switch of each level below the top
   * @param groups blocks of a pod, pods of a group, and so on
   * @param ports of a NIC, each to a leaf of its own
   * @param planes in which the ports of a NIC lie
   * @param routing choice of the upward path
   * @param reduction link between each switch and its aggregator
   */
  public record Settings(
      @Setting(value = "rails: NICs of a node, which come node by node", min = "1", max = "1024") int rails,
      @Setting("link of every level, unless links gives one per level") Optional<Link> link,
      @Setting("link of each level, from the NICs' own up") List<Link> links,
      @Setting(value = "switch of every level, unless switches gives one per level",
          def = "{type: generic}") Switch forwarding,
      @Setting("switch of each level, from the leaves up") List<Switch> switches,
      @Setting(value = "nodes that share one leaf of each rail", def = "32", min = "1", max = "65536",
          source = "NVIDIA DGX SuperPOD H100 reference architecture: a scalable unit of 32 nodes,"
              + " a leaf per rail") int nodesPerLeaf,
      @Setting(value = "where rails meet: in every spine, in a core above the spines of each rail, or nowhere",
          def = "spine") Joined joined,
      @Setting(value = "ports down per port up of a leaf", def = "1", min = "1", max = "64") int oversubscription,
      @Setting("ports up of a switch of each level below the top, from the leaves up; without it, those of a leaf by "
          + "oversubscription") List<Integer> uplinks,
      @Setting("nodes that share leaves are a block: blocks that share the spines of a pod, then pods that share the "
          + "switches above, one entry per level between leaves and top; without it, all") List<Integer> groups,
      @Setting(value = "ports of a NIC, each to a leaf of its own (dual ToR where 2)", def = "1", min = "1",
          max = "64") int ports,
      @Setting("planes of the fabric: as many as ports, each a fabric of its own, or 1, where the leaves of all ports "
          + "meet in the switches above; without it, as many as ports") Optional<Integer> planes,
      @Setting(value = "how the way up is chosen", def = "d-mod-k", source = "[SAURON §4.2.1]") Routing routing,
      @Setting("link between each switch and its unit that reduces (SHARP); without it,"
          + " switches do not reduce") Optional<Link> reduction) {
    /** Copies the lists. */
    public Settings {
      links = List.copyOf(links);
      switches = List.copyOf(switches);
      uplinks = List.copyOf(uplinks);
      groups = List.copyOf(groups);
    }

    /** Rails with one kind of link and switch, joined by spines. */
    public static Settings of(int rails, int nodesPerLeaf, Link link, Switch forwarding) {
      return new Settings(
          rails, Optional.of(link), List.of(), forwarding, List.of(), nodesPerLeaf, Joined.SPINE, 1, List.of(),
          List.of(), 1, Optional.empty(), Routing.D_MOD_K, Optional.empty());
    }
  }

  /** The level at which rails are joined. */
  public enum Joined {
    /** The spines, each of which has a cable to the leaves of all rails. */
    SPINE,
    /** A core above the separate spines of each rail. */
    CORE,
    /** None: a message to another rail leaves its node by the NIC of that rail. */
    NONE
  }

  @Override
  public Topology create(Settings settings) {
    if (settings.nodesPerLeaf() % settings.oversubscription() != 0) {
      throw new InvalidSettingException(
          "oversubscription",
          settings.oversubscription() + " does not divide the " + settings.nodesPerLeaf() + " nodes of a leaf");
    }
    if (settings.link().isEmpty() && settings.links().isEmpty()) {
      throw new InvalidSettingException("link", "missing: give one link for all levels, or links, one per level");
    }
    RailShape.requireSettings(settings);
    return terminals -> plan(settings, terminals);
  }

  private static TierPlan plan(Settings settings, List<Terminal> terminals) {
    int rails = settings.rails();
    if (terminals.size() % rails != 0) {
      throw new InvalidSettingException(
          "rails", terminals.size() + " NICs cannot be divided among " + rails + " rails; each node needs " + rails);
    }
    requireNodes(rails, terminals);
    RailShape rail = RailShape.of(settings, terminals.size() / rails);
    Shape shape = rail.shape();
    Wiring wiring =
        Wiring.of(
            perLevel("links", settings.links(), settings.link(), shape.levels()),
            perLevel("switches", settings.switches(), Optional.of(settings.forwarding()), shape.levels()),
            shape.levels(), settings.routing()).reducing(settings.reduction());
    int[] places = new int[terminals.size()];
    Arrays.setAll(places, i -> rail.place(i % rails, i / rails));
    return new FatTreePlanner(wiring, shape, rail.trees(), places, terminals).plan();
  }

  // Checks that consecutive NICs belong to one node, whose name is the first part of theirs, as in node3.nic0.
  private static void requireNodes(int rails, List<Terminal> terminals) {
    for (int i = 0; i < terminals.size(); i++) {
      String first = node(terminals.get(i - i % rails));
      if (!node(terminals.get(i)).equals(first)) {
        long nics = terminals.stream().filter(terminal -> node(terminal).equals(first)).count();
        throw new InvalidSettingException(
            "rails", rails + " rails need nodes of " + rails + " NICs, but " + first + " has " + nics);
      }
    }
  }

  private static String node(Terminal terminal) {
    return terminal.name().substring(0, Math.max(0, terminal.name().lastIndexOf('.')));
  }

  private static <T> List<T> perLevel(String component, List<T> given, Optional<T> one, int levels) {
    if (given.isEmpty()) {
      return List.of(one.orElseThrow());
    }
    if (given.size() != levels) {
      throw new InvalidSettingException(
          component, given.size() + " entries; these rails have " + levels + " levels and need as many, or none");
    }
    return given;
  }
}
