package dev.heddle.topology.fattree;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Terminal;
import dev.heddle.spi.TierPlan;
import dev.heddle.topology.fattree.FatTreeTopologyProvider.Placement;
import dev.heddle.topology.fattree.FatTreeTopologyProvider.Routing;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Lays out one fat tree and its routes.
 *
 * <p>D-mod-K [Zahavi 2012, eq. 1]: a device of level l that is no ancestor of destination j sends up by port
 * {@code q = floor(j / W_l) mod (w_(l+1) p_(l+1))}, which leads to parent {@code q mod w_(l+1)} by cable
 * {@code floor(q / w_(l+1))}. An ancestor of level l sends down to its one child above j by cable
 * {@code floor(j / W_l) mod p_l}, the cable of the same number as on a way up. j is the destination's place in the tree,
 * not its number among the terminals present. S-mod-K puts the source's place in place of j.
 */
final class FatTreePlanner {
  private static final int ABSENT = -1;

  private final FatTreeTopologyProvider.Settings settings;
  private final Shape shape;
  private final int terminals;
  private final int[] placeOf;
  private final boolean everyPlaceIsItsTerminal;
  private final int[][] deviceAt;
  private final TierPlan.Builder plan;
  private final int[][][] upLinks;

  FatTreePlanner(FatTreeTopologyProvider.Settings settings, Shape shape, List<Terminal> terminals) {
    this.settings = settings;
    this.shape = shape;
    this.terminals = terminals.size();
    this.placeOf = places(settings.placement(), shape, terminals.size());
    this.everyPlaceIsItsTerminal = IntStream.range(0, placeOf.length).allMatch(i -> placeOf[i] == i);
    this.plan = new TierPlan.Builder(terminals);
    this.deviceAt = new int[shape.levels() + 1][];
    this.upLinks = new int[shape.levels()][][];
  }

  /** The place of each terminal in the tree. */
  static int[] places(Placement placement, Shape shape, int terminals) {
    int leaves = Math.toIntExact(shape.terminals() / shape.m(1));
    int[] places = new int[terminals];
    int[] used = new int[leaves];
    for (int i = 0; i < terminals; i++) {
      int leaf =
          switch (placement) {
            case PACKED -> i / shape.m(1);
            case SPREAD -> (int) ((long) i * leaves / terminals);
            case ROUND_ROBIN -> i % leaves;
          };
      places[i] = leaf * shape.m(1) + used[leaf]++;
    }
    return places;
  }

  TierPlan plan() {
    addDevices();
    for (int level = 0; level < shape.levels(); level++) {
      connect(level);
    }
    for (int level = 0; level <= shape.levels(); level++) {
      for (int index = 0; index < deviceAt[level].length; index++) {
        if (deviceAt[level][index] != ABSENT) {
          route(level, index);
        }
      }
    }
    return plan.selection(selection()).build();
  }

  private TierPlan.Selection selection() {
    return switch (settings.routing()) {
      case D_MOD_K, ECMP -> TierPlan.Selection.MESSAGE_HASH;
      case S_MOD_K -> TierPlan.Selection.SOURCE;
      case RANDOM -> TierPlan.Selection.RANDOM;
      case ADAPTIVE -> TierPlan.Selection.ADAPTIVE;
    };
  }

  private void addDevices() {
    deviceAt[0] = new int[Math.toIntExact(shape.terminals())];
    Arrays.fill(deviceAt[0], ABSENT);
    for (int terminal = 0; terminal < terminals; terminal++) {
      deviceAt[0][placeOf[terminal]] = terminal;
    }
    for (int level = 1; level <= shape.levels(); level++) {
      Switch forwarding =
          settings.switches().isEmpty() ? settings.forwarding() : settings.switches().get(level - 1);
      deviceAt[level] = new int[Math.toIntExact(shape.devices(level))];
      for (int index = 0; index < deviceAt[level].length; index++) {
        deviceAt[level][index] = plan.addDevice(levelName(level) + index, DeviceKind.SWITCH, forwarding);
      }
    }
  }

  private String levelName(int level) {
    if (level == 1) {
      return "leaf";
    }
    if (level == shape.levels()) {
      return "spine";
    }
    return shape.levels() == 3 ? "middle" : "level" + level + "switch";
  }

  private void connect(int level) {
    Link link = settings.links().isEmpty() ? settings.link().orElseThrow() : settings.links().get(level);
    upLinks[level] = new int[deviceAt[level].length][];
    for (int index = 0; index < deviceAt[level].length; index++) {
      if (deviceAt[level][index] != ABSENT) {
        upLinks[level][index] = connectUp(level, index, link);
      }
    }
  }

  // The directed links to the parents, in the order of port numbers: parent by parent, then cable by cable.
  private int[] connectUp(int level, int index, Link link) {
    int parents = shape.w(level + 1);
    int[] links = new int[parents * shape.p(level + 1)];
    for (int port = 0; port < links.length; port++) {
      int parent = deviceAt[level + 1][parent(level, index, port % parents)];
      links[port] = plan.connect(deviceAt[level][index], parent, link);
    }
    return links;
  }

  private int parent(int level, int index, int digit) {
    int copies = (int) shape.copies(level);
    int a = index / copies / shape.m(level + 1);
    int b = index % copies + digit * copies;
    return a * (int) shape.copies(level + 1) + b;
  }

  private int child(int level, int index, int destination) {
    int copiesBelow = (int) shape.copies(level - 1);
    int a = (int) (destination / shape.terminalsBelow(level - 1));
    int b = index % (int) shape.copies(level) % copiesBelow;
    return a * copiesBelow + b;
  }

  private void route(int level, int index) {
    int device = deviceAt[level][index];
    long below = shape.terminalsBelow(level);
    long a = index / shape.copies(level);
    for (int terminal = 0; terminal < terminals; terminal++) {
      int destination = placeOf[terminal];
      if (level == 0 && destination == index) {
        continue;
      }
      int[] links = destination / below == a
          ? downLinks(level, index, destination)
          : upLinks[level][index];
      plan.route(device, terminal, channels(links, level, destination));
    }
  }

  private int[] downLinks(int level, int index, int destination) {
    int parents = shape.w(level);
    int child = child(level, index, destination);
    int digit = (int) (index % shape.copies(level) / shape.copies(level - 1));
    int[] links = new int[shape.p(level)];
    for (int cable = 0; cable < links.length; cable++) {
      links[cable] = upLinks[level - 1][child][cable * parents + digit] + 1;
    }
    return links;
  }

  // A way down has p candidates and a way up w p; both follow floor(j / W_l) of the level where they begin.
  private int[] channels(int[] links, int level, int destination) {
    if (links.length == 1) {
      return new int[] {TierPlan.channel(links[0], 0)};
    }
    if (settings.routing() == Routing.D_MOD_K) {
      return new int[] {TierPlan.channel(modulo(links, level, destination), 0)};
    }
    if (settings.routing() == Routing.S_MOD_K) {
      return bySource(links, level);
    }
    return Arrays.stream(links).map(link -> TierPlan.channel(link, 0)).toArray();
  }

  private int[] bySource(int[] links, int level) {
    long period = shape.copies(level) * links.length;
    int positions = everyPlaceIsItsTerminal ? (int) Math.min(period, terminals) : terminals;
    return IntStream.range(0, positions)
        .map(terminal -> TierPlan.channel(modulo(links, level, placeOf[terminal]), 0))
        .toArray();
  }

  private int modulo(int[] links, int level, int place) {
    return links[(int) (place / shape.copies(level) % links.length)];
  }
}
