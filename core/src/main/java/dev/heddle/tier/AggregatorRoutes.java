package dev.heddle.tier;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/**
 * Routes to and from the aggregators of a tier's switches. One leads to an aggregator from its switch and from the
 * devices that a link joins to that switch: sums travel from switch to switch, so no other is needed, and none can
 * close a dependency cycle that the tier's own routes do not have.
 */
final class AggregatorRoutes {
  private static final int NONE = -1;

  private final int first;
  private final int terminals;
  // Per aggregator: the channel to its switch; the devices from which a route leads to it, ascending, and their
  // entries.
  private final int[] exits;
  private final int[][] origins;
  private final int[][] entries;

  /**
   * Finds the routes.
   *
   * @param graph whose last devices are the aggregators
   * @param links of each aggregator in order, the directed link from its switch
   * @param entry the route entry of a set of channels
   */
  AggregatorRoutes(TierGraph graph, int[] links, ToIntFunction<int[]> entry) {
    first = graph.devices() - links.length;
    terminals = graph.terminals();
    exits = new int[links.length];
    origins = new int[links.length][];
    entries = new int[links.length][];
    int[][] incoming = links.length == 0 ? new int[0][] : graph.incoming();
    for (int unit = 0; unit < links.length; unit++) {
      exits[unit] = TierPlan.channel(links[unit] ^ 1, 0);
      int owner = graph.linkSource()[links[unit]];
      TreeMap<Integer, Integer> routes = new TreeMap<>();
      for (Map.Entry<Integer, int[]> cables : channelsByOrigin(graph, incoming[owner]).entrySet()) {
        routes.put(cables.getKey(), entry.applyAsInt(cables.getValue()));
      }
      routes.put(owner, TierPlan.channel(links[unit], 0));
      origins[unit] = routes.keySet().stream().mapToInt(Integer::intValue).toArray();
      entries[unit] = routes.values().stream().mapToInt(Integer::intValue).toArray();
    }
  }

  private static TreeMap<Integer, int[]> channelsByOrigin(TierGraph graph, int[] links) {
    TreeMap<Integer, int[]> channels = new TreeMap<>();
    for (int link : links) {
      channels.merge(graph.linkSource()[link], new int[] {TierPlan.channel(link, 0)}, AggregatorRoutes::joined);
    }
    return channels;
  }

  private static int[] joined(int[] some, int[] more) {
    int[] all = Arrays.copyOf(some, some.length + more.length);
    System.arraycopy(more, 0, all, some.length, more.length);
    return all;
  }

  /** The number of aggregators. */
  int count() {
    return exits.length;
  }

  /** Whether a route begins or ends at an aggregator. */
  boolean involves(int device, int target) {
    return device >= first || target >= first;
  }

  /** The route entry of a device towards a terminal or an aggregator; the device or the target is an aggregator. */
  int entry(int device, int target) {
    if (device >= first) {
      boolean lies = target >= first || target < terminals;
      return device == target || !lies ? NONE : exits[device - first];
    }
    int at = Arrays.binarySearch(origins[target - first], device);
    return at < 0 ? NONE : entries[target - first][at];
  }
}
