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
 * Builds trees of switches that reduce in the network, as SHARP's aggregation manager does. The leaves are the switches
 * next to the NICs; the root is the switch with the least distance, in links, to the furthest leaf. Trees of different
 * numbers have different roots where several switches are equally near.
 */
final class AggregationTrees {
  private static final int NONE = -1;

  private final Cluster cluster;
  // The terminal of the aggregator of each device, or -1; and for each device the neighbouring switches with an
  // aggregator.
  private final int[] aggregatorOf;
  private final List<List<Integer>> neighbours = new ArrayList<>();

  AggregationTrees(Cluster cluster) {
    this.cluster = cluster;
    aggregatorOf = new int[cluster.devices()];
    Arrays.fill(aggregatorOf, NONE);
    for (int device = 0; device < aggregatorOf.length; device++) {
      neighbours.add(new ArrayList<>(0));
    }
    for (int link = 0; link < cluster.links(); link++) {
      int target = cluster.linkTarget(link);
      if (cluster.kind(target) == DeviceKind.AGGREGATOR && cluster.node(target) == NONE) {
        aggregatorOf[cluster.linkSource(link)] = target;
      }
    }
    for (int link = 0; link < cluster.links(); link++) {
      int source = cluster.linkSource(link);
      int target = cluster.linkTarget(link);
      if (aggregatorOf[source] != NONE && aggregatorOf[target] != NONE && !neighbours.get(source).contains(target)) {
        neighbours.get(source).add(target);
      }
    }
  }

  /**
   * The tree over ranks of different nodes.
   *
   * @param number of the tree, from 0
   * @param ranks one of each node, at least two
   * @param terminals of the ranks
   * @throws InvalidSettingException when a switch next to a NIC has no aggregator, or no switch joins all leaves
   */
  NetworkTree tree(int number, int[] ranks, int[] terminals) {
    int[] leaves = new int[terminals.length];
    Arrays.setAll(leaves, node -> leaf(terminals[node], terminals[node == 0 ? 1 : 0]));
    int root = root(number, IntStream.of(leaves).distinct().toArray());
    int[] parent = towards(root);
    Map<Integer, Integer> numbers = new LinkedHashMap<>();
    for (int leaf : leaves) {
      for (int at = leaf; at != NONE; at = at == root ? NONE : parent[at]) {
        numbers.putIfAbsent(at, numbers.size());
      }
    }
    int[] switches = numbers.keySet().stream().mapToInt(Integer::intValue).toArray();
    return new NetworkTree(
        IntStream.of(switches).map(at -> aggregatorOf[at]).toArray(),
        IntStream.of(switches).map(at -> numbers.getOrDefault(parent[at], NONE)).toArray(),
        ranks, IntStream.of(leaves).map(leaf -> numbers.getOrDefault(leaf, NONE)).toArray());
  }

  // The first switch on the path to another node.
  private int leaf(int terminal, int other) {
    int found = IntStream.of(cluster.route(terminal, other)).map(cluster::linkTarget)
        .filter(device -> cluster.node(device) == NONE).findFirst().orElseThrow();
    if (aggregatorOf[found] == NONE) {
      throw new InvalidSettingException("", "NCCL_COLLNET_ENABLE is 1, but " + cluster.name(found)
          + " does not reduce; give the network's topology a link 'reduction' (fat-tree, rail-fat-tree), or write"
          + " NCCL_COLLNET_ENABLE: 0");
    }
    return found;
  }

  private int root(int number, int[] leaves) {
    int[] furthest = new int[aggregatorOf.length];
    int[] sum = new int[aggregatorOf.length];
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
    int[] distance = new int[aggregatorOf.length];
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

  // The next device on a shortest path from each device to the root; -1 for the root itself.
  private int[] towards(int root) {
    int[] distance = distances(root);
    int[] next = new int[aggregatorOf.length];
    Arrays.setAll(next, device -> neighbours.get(device).stream()
        .filter(other -> distance[other] == distance[device] - 1).findFirst().orElse(NONE));
    return next;
  }
}
