package dev.heddle.topology.fattree;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Terminal;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import dev.heddle.tier.TreeRow;
import dev.heddle.topology.fattree.FatTreeTopologyProvider.Placement;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Planner of parallel fat trees of one shape, in most cases a single tree, and of their routes.
 *
 * <p>D-mod-K [Zahavi 2012, eq. 1]: a device of level l that is no ancestor of destination j sends up by port {@code q =
 * floor(j / W_l) mod (w_(l+1) p_(l+1))}, which leads to parent {@code q mod w_(l+1)} by cable {@code floor(q /
 * w_(l+1))}. An ancestor of level l sends down to its one child above j by cable {@code floor(j / W_l) mod p_l}, which
 * has the number of the cable of an upward path. j is the place of the destination in the tree, not its number among
 * the terminals present. S-mod-K uses the place of the source instead of j.
 *
 * <p>Terminals of w_1 ports have a leaf for each of them, as dual ToR switches. {@link Shape#planes()} says whether the
 * leaves of different ports lie in separate planes or meet in the switches above.
 */
final class FatTreePlanner {
  private static final int ABSENT = -1;

  private final Wiring wiring;
  private final Shape shape;
  private final int trees;
  private final int[] placeOf;
  private final int[][] deviceAt;
  private final TierPlanBuilder plan;
  private final int[][][] upLinks;

  /**
   * A planner.
   *
   * @param wiring links, switches and routing
   * @param shape of each tree
   * @param trees number of parallel trees, whose places follow one another
   * @param placeOf place of each terminal
   * @param terminals to connect
   */
  FatTreePlanner(Wiring wiring, Shape shape, int trees, int[] placeOf, List<Terminal> terminals) {
    this.wiring = wiring;
    this.shape = shape;
    this.trees = trees;
    this.placeOf = placeOf;
    this.plan = new TierPlanBuilder(terminals);
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
          plan.route(deviceAt[level][index], row(level, index));
        }
      }
    }
    wiring.reduction().ifPresent(this::addAggregators);
    int perTree = trees == 1 ? Integer.MAX_VALUE : Math.toIntExact(shape.terminals());
    return plan.trees(placeOf, perTree, wiring.choice()).selection(wiring.selection()).build();
  }

  private void addDevices() {
    deviceAt[0] = new int[Math.toIntExact(trees * shape.terminals())];
    Arrays.fill(deviceAt[0], ABSENT);
    for (int terminal = 0; terminal < placeOf.length; terminal++) {
      deviceAt[0][placeOf[terminal]] = terminal;
    }
    for (int level = 1; level <= shape.levels(); level++) {
      deviceAt[level] = new int[Math.toIntExact(trees * shape.devices(level))];
      for (int index = 0; index < deviceAt[level].length; index++) {
        deviceAt[level][index] =
            plan.addDevice(levelName(level) + index, DeviceKind.SWITCH, wiring.switches().get(level - 1));
      }
    }
  }

  private void addAggregators(Link link) {
    for (int level = 1; level <= shape.levels(); level++) {
      for (int index = 0; index < deviceAt[level].length; index++) {
        plan.addAggregator(levelName(level) + index + "-aggregator", deviceAt[level][index], link);
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
    Link link = wiring.links().get(level);
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
    int kept = level == 1 ? shape.planes() : copies;
    int a = index / copies / shape.m(level + 1);
    int b = index % copies % kept + digit * kept;
    return a * (int) shape.copies(level + 1) + b;
  }

  private TreeRow row(int level, int index) {
    int copies = (int) shape.copies(level);
    int first = index / copies * (int) shape.terminalsBelow(level);
    int[] up = level == shape.levels() ? new int[0] : channels(upLinks[level][index]);
    if (level == 0) {
      return new TreeRow(0, first, 1, shape.divisor(0), new int[1][0], up);
    }
    int[][] down = new int[shape.m(level)][];
    for (int child = 0; child < down.length; child++) {
      down[child] = channels(downLinks(level, index, child));
    }
    return new TreeRow(level, first, (int) shape.terminalsBelow(level - 1), shape.divisor(level), down, up);
  }

  // The cables to a child, whose label has the child's number in the digit that the device lacks, and all other digits
  // of the device. In a single plane a child above the terminals is a leaf position, with a leaf for each port.
  private int[] downLinks(int level, int index, int child) {
    int copiesBelow = (int) shape.copies(level - 1);
    int copies = (int) shape.copies(level);
    int kept = level == 2 ? shape.planes() : copiesBelow;
    int first = (index / copies * shape.m(level) + child) * copiesBelow + index % copies % kept;
    if (deviceAt[level - 1][first] == ABSENT) {
      return new int[0];
    }
    int parents = shape.w(level);
    int digit = index % copies / kept;
    int leaves = level == 2 ? shape.leavesPerChild() : 1;
    int[] links = new int[shape.p(level) * leaves];
    for (int i = 0; i < links.length; i++) {
      int below = first + i % leaves * kept;
      links[i] = upLinks[level - 1][below][i / leaves * parents + digit] + 1;
    }
    return links;
  }

  private static int[] channels(int[] links) {
    return IntStream.of(links).map(link -> TierPlan.channel(link, 0)).toArray();
  }
}
