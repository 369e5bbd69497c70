package dev.heddle.topology.fattree;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.topology.fattree.RailFatTreeTopologyProvider.Joined;
import dev.heddle.topology.fattree.RailFatTreeTopologyProvider.Settings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The tree of a fabric of rails. The nodes that share leaves are a block; each rail has a leaf position per block. From
 * the least digit up, a place is the node in its block, the block in its pod, the rail where spines join the rails, the
 * levels above, and the rail where a core or nothing joins them.
 *
 * @param shape of the whole tree, or of a rail where nothing joins the rails
 * @param trees 1, or the number of rails
 * @param rails NICs of a node
 * @param perSpine places of a rail below a spine where spines join the rails, else places of a rail
 */
record RailShape(Shape shape, int trees, int rails, int perSpine) {
  private static final long MOST_SWITCHES = 1 << 22;
  private static final int MOST_PORTS = 65_536;

  /**
   * Checks the settings that do not depend on the number of nodes.
   *
   * @throws InvalidSettingException when settings contradict each other
   */
  static void requireSettings(Settings settings) {
    Ports.of(Optional.of(settings.ports()), settings.planes(), 1, 2);
    requireEntries("uplinks", settings.uplinks());
    requireEntries("groups", settings.groups());
    int levels = settings.groups().size() + (settings.joined() == Joined.CORE ? 3 : 2);
    boolean given = !settings.uplinks().isEmpty();
    if (given ? settings.uplinks().size() != levels - 1 : !settings.groups().isEmpty()) {
      throw new InvalidSettingException("uplinks", settings.uplinks().size() + " entries; these rails have " + levels
          + " levels, " + (levels - 1) + " of them below the top");
    }
    if (given && settings.oversubscription() != 1) {
      throw new InvalidSettingException(
          "oversubscription", "given together with uplinks; the ports up of a leaf follow from one of them");
    }
  }

  private static void requireEntries(String component, List<Integer> entries) {
    for (int entry : entries) {
      if (entry < 1 || entry > MOST_PORTS) {
        throw new InvalidSettingException(component, "entry " + entry + "; each must be 1 to " + MOST_PORTS);
      }
    }
  }

  /**
   * The tree that holds a number of nodes. Levels that hold all nodes below one switch shrink.
   *
   * @throws InvalidSettingException when it has too many switches
   */
  static RailShape of(Settings settings, int nodes) {
    int rails = settings.rails();
    List<Integer> down = new ArrayList<>(List.of(Math.min(settings.nodesPerLeaf(), nodes)));
    int rest = (nodes + down.get(0) - 1) / down.get(0);
    List<Integer> up = new ArrayList<>(List.of(settings.ports()));
    up.addAll(settings.uplinks().isEmpty()
        ? List.of(Math.max(1, down.get(0) / settings.oversubscription())) : settings.uplinks());
    if (settings.uplinks().isEmpty() && settings.joined() == Joined.CORE) {
      up.add(rest);
    }
    for (int group : settings.groups()) {
      down.add(Math.min(group, rest));
      rest = (rest + group - 1) / group;
    }
    if (settings.joined() == Joined.NONE && rest == 1 && down.size() == 1) {
      up = List.of(settings.ports());
    } else {
      down.add(rest);
    }
    int perSpine = down.get(0) * (down.size() > 1 ? down.get(1) : 1);
    if (settings.joined() == Joined.SPINE) {
      down.set(1, Math.multiplyExact(down.get(1), rails));
    } else if (settings.joined() == Joined.CORE) {
      down.add(rails);
    }
    Shape shape = Ports.of(Optional.of(settings.ports()), settings.planes(), 1, 2)
        .planes(Shape.of(down, up, Collections.nCopies(down.size(), 1)));
    int trees = settings.joined() == Joined.NONE ? rails : 1;
    requireSize(shape, trees, nodes);
    boolean spine = settings.joined() == Joined.SPINE;
    return new RailShape(shape, trees, rails,
        spine ? perSpine : Math.toIntExact(shape.terminals() * trees / rails));
  }

  private static void requireSize(Shape shape, int trees, int nodes) {
    long switches;
    try {
      switches = Math.multiplyExact(shape.switches(), (long) trees);
      Math.toIntExact(Math.multiplyExact(shape.terminals(), (long) trees));
    } catch (ArithmeticException overflow) {
      switches = Long.MAX_VALUE;
    }
    if (switches > MOST_SWITCHES) {
      throw new InvalidSettingException(
          "nodesPerLeaf", "makes " + (switches == Long.MAX_VALUE ? "too many" : switches) + " switches of " + nodes
              + " nodes; at most " + MOST_SWITCHES);
    }
  }

  /** The place of a rail's NIC of a node. */
  int place(int rail, int node) {
    return (node / perSpine * rails + rail) * perSpine + node % perSpine;
  }
}
