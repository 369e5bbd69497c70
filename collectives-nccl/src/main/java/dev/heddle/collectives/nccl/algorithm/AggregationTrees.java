package dev.heddle.collectives.nccl.algorithm;

import dev.heddle.collectives.nccl.schedule.NetworkTree;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Lays trees of switches that reduce over a network, as SHARP's aggregation manager does: below are the switches next to
 * the NICs, on top the switch that is the fewest links from the furthest of them. Trees of different numbers have
 * different switches on top, where several are as good.
 */
final class AggregationTrees {
  private static final int NONE = -1;

  private final Cluster cluster;
  // Per device: the terminal of its unit, and the switches with units that a link leads to.
  private final int[] unitOf;
  private final List<List<Integer>> neighbours = new ArrayList<>();

  AggregationTrees(Cluster cluster) {
    this.cluster = cluster;
    unitOf = new int[cluster.devices()];
    Arrays.fill(unitOf, NONE);
    for (int device = 0; device < unitOf.length; device++) {
      neighbours.add(new ArrayList<>(0));
    }
    for (int link = 0; link < cluster.links(); link++) {
      int target = cluster.linkTarget(link);
      if (cluster.kind(target) == DeviceKind.AGGREGATOR && cluster.node(target) == NONE) {
        unitOf[cluster.linkSource(link)] = target;
      }
    }
    for (int link = 0; link < cluster.links(); link++) {
      int source = cluster.linkSource(link);
      int target = cluster.linkTarget(link);
      if (unitOf[source] != NONE && unitOf[target] != NONE && !neighbours.get(source).contains(target)) {
        neighbours.get(source).add(target);
      }
    }
  }

  /**
   * The tree over ranks of different nodes.
   *
   * @param number of the tree, from 0
   * @param ranks one of each node, at least two
   * @param terminals theirs
   * @throws InvalidSettingException when a switch next to their NICs has no unit, or nothing joins these switches
   */
  NetworkTree tree(int number, int[] ranks, int[] terminals) {
    int[] leaves = new int[terminals.length];
    Arrays.setAll(leaves, node -> leaf(terminals[node], terminals[node == 0 ? 1 : 0]));
    int root = root(number, IntStream.of(leaves).distinct().toArray());
    int[] parent = towards(root);
    Map<Integer, Integer> units = new LinkedHashMap<>();
    for (int leaf : leaves) {
      for (int at = leaf; at != NONE; at = at == root ? NONE : parent[at]) {
        units.putIfAbsent(at, units.size());
      }
    }
    int[] switches = units.keySet().stream().mapToInt(Integer::intValue).toArray();
    return new NetworkTree(
        IntStream.of(switches).map(at -> unitOf[at]).toArray(),
        IntStream.of(switches).map(at -> units.getOrDefault(parent[at], NONE)).toArray(),
        ranks, IntStream.of(leaves).map(leaf -> units.getOrDefault(leaf, NONE)).toArray());
  }

  // The first switch on the way to another node.
  private int leaf(int terminal, int other) {
    int found = IntStream.of(cluster.route(terminal, other)).map(cluster::linkTarget)
        .filter(device -> cluster.node(device) == NONE).findFirst().orElseThrow();
    if (unitOf[found] == NONE) {
      throw new InvalidSettingException("", "NCCL_COLLNET_ENABLE is 1, but " + cluster.name(found)
          + " does not reduce; give the network's topology a link 'reduction' (fat-tree, rail-fat-tree), or write"
          + " NCCL_COLLNET_ENABLE: 0");
    }
    return found;
  }

  private int root(int number, int[] leaves) {
    int[] furthest = new int[unitOf.length];
    int[] sum = new int[unitOf.length];
    for (int leaf : leaves) {
      int[] distance = distances(leaf);
      for (int device = 0; device < distance.length; device++) {
        boolean reached = distance[device] != NONE && furthest[device] != NONE;
        furthest[device] = reached ? Math.max(furthest[device], distance[device]) : NONE;
        sum[device] += distance[device];
      }
    }
    int[] reached = IntStream.range(0, furthest.length).filter(device -> furthest[device] != NONE).toArray();
    if (reached.length == 0) {
      throw new InvalidSettingException(
          "", "no switches that reduce join " + cluster.name(leaves[0]) + " and " + cluster.name(leaves[1]));
    }
    int least = IntStream.of(reached).map(device -> furthest[device]).min().orElseThrow();
    int near = IntStream.of(reached).filter(device -> furthest[device] == least).map(device -> sum[device]).min()
        .orElseThrow();
    int[] best = IntStream.of(reached).filter(device -> furthest[device] == least && sum[device] == near).toArray();
    return best[number % best.length];
  }

  private int[] distances(int from) {
    int[] distance = new int[unitOf.length];
    Arrays.fill(distance, NONE);
    distance[from] = 0;
    ArrayDeque<Integer> open = new ArrayDeque<>(List.of(from));
    while (!open.isEmpty()) {
      int device = open.remove();
      for (int next : neighbours.get(device)) {
        if (distance[next] == NONE) {
          distance[next] = distance[device] + 1;
          open.add(next);
        }
      }
    }
    return distance;
  }

  // Of each device the next on a shortest way to a switch; none of the switch itself.
  private int[] towards(int root) {
    int[] distance = distances(root);
    int[] next = new int[unitOf.length];
    Arrays.setAll(next, device -> neighbours.get(device).stream()
        .filter(other -> distance[other] == distance[device] - 1).findFirst().orElse(NONE));
    return next;
  }
}
