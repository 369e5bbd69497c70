package dev.heddle.collectives.oneccl;

import dev.heddle.collective.Group;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The placement of a group's ranks: the same number on every node, of each GPU either one tile or all. The position of
 * a rank is its number among those of its node, tile by tile and GPU by GPU.
 */
final class Teams {
  private final Group group;
  private final Cluster cluster;
  private final int nodes;
  private final int gpus;
  private final int tiles;
  // Of each rank: its node and position. Of each position of each node: the rank, and the accelerator's number in the
  // node.
  private final int[] nodeOf;
  private final int[] placeOf;
  private final int[] rankAt;
  private final int[] numberAt;

  private Teams(Cluster cluster, Group group, Map<Integer, TreeMap<Integer, Integer>> ranks, int tiles) {
    this.group = group;
    this.cluster = cluster;
    nodes = ranks.size();
    int perNode = group.size() / nodes;
    this.tiles = tiles;
    gpus = perNode / tiles;
    nodeOf = new int[group.size()];
    placeOf = new int[group.size()];
    rankAt = new int[group.size()];
    numberAt = new int[group.size()];
    int next = 0;
    for (Map<Integer, Integer> node : ranks.values()) {
      for (Map.Entry<Integer, Integer> entry : node.entrySet()) {
        rankAt[next] = entry.getValue();
        numberAt[next] = entry.getKey();
        nodeOf[entry.getValue()] = next / perNode;
        placeOf[entry.getValue()] = next % perNode;
        next++;
      }
    }
  }

  /**
   * Finds the positions of a group's ranks.
   *
   * @param tilesPerGpu consecutive accelerators of a node that form one GPU
   * @throws InvalidSettingException when the ranks are placed otherwise
   */
  static Teams of(Cluster cluster, Group group, int tilesPerGpu) {
    Map<Integer, TreeMap<Integer, Integer>> ranks = ranksByNode(cluster, group);
    TreeMap<Integer, Integer> first = ranks.values().iterator().next();
    int tiles = tiles(first, tilesPerGpu);
    for (Map.Entry<Integer, TreeMap<Integer, Integer>> node : ranks.entrySet()) {
      int found = tiles(node.getValue(), tilesPerGpu);
      if (found == 0) {
        throw new InvalidSettingException("", "oneccl does all_reduce on one tile or all of each GPU; node "
            + node.getKey() + " has the tiles " + List.copyOf(node.getValue().keySet()) + ", " + tilesPerGpu
            + " of them to a GPU");
      }
      if (found != tiles || node.getValue().size() != first.size()) {
        throw new InvalidSettingException("", "oneccl does all_reduce on as many ranks of every node; node "
            + node.getKey() + " has " + node.getValue().size() + " ranks, " + found + " of each GPU, others "
            + first.size() + " ranks, " + tiles + " of each");
      }
    }
    return new Teams(cluster, group, ranks, tiles);
  }

  private static Map<Integer, TreeMap<Integer, Integer>> ranksByNode(Cluster cluster, Group group) {
    int[] first = new int[cluster.nodes()];
    Arrays.fill(first, Integer.MAX_VALUE);
    for (int accelerator : cluster.terminals(DeviceKind.ACCELERATOR)) {
      first[cluster.node(accelerator)] = Math.min(first[cluster.node(accelerator)], cluster.position(accelerator));
    }
    Map<Integer, TreeMap<Integer, Integer>> ranks = new LinkedHashMap<>();
    for (int rank = 0; rank < group.size(); rank++) {
      int terminal = group.member(rank);
      int node = cluster.node(terminal);
      if (cluster.kind(terminal) != DeviceKind.ACCELERATOR) {
        throw new InvalidSettingException("",
            "oneccl does all_reduce on accelerators only; rank " + rank + " is " + cluster.name(terminal));
      }
      ranks.computeIfAbsent(node, any -> new TreeMap<>()).put(cluster.position(terminal) - first[node], rank);
    }
    return ranks;
  }

  // The number of tiles of each GPU that take part: 1, all, or 0 for neither.
  private static int tiles(TreeMap<Integer, Integer> node, int tilesPerGpu) {
    Map<Integer, Integer> perGpu = new TreeMap<>();
    node.keySet().forEach(number -> perGpu.merge(number / tilesPerGpu, 1, Integer::sum));
    if (perGpu.values().stream().allMatch(count -> count == 1)) {
      return 1;
    }
    return perGpu.values().stream().allMatch(count -> count == tilesPerGpu) ? tilesPerGpu : 0;
  }

  int nodes() {
    return nodes;
  }

  /** GPUs of a node that take part. */
  int gpus() {
    return gpus;
  }

  /** Tiles of a GPU that take part. */
  int tiles() {
    return tiles;
  }

  int perNode() {
    return gpus * tiles;
  }

  int node(int rank) {
    return nodeOf[rank];
  }

  int place(int rank) {
    return placeOf[rank];
  }

  /** The rank at a place of a node. */
  int rank(int node, int place) {
    return rankAt[node * perNode() + place];
  }

  /** The terminal at a place of a node. */
  int terminal(int node, int place) {
    return group.member(rank(node, place));
  }

  /**
   * The buffers of all ranks in their hosts' memory, by rank.
   *
   * @throws InvalidSettingException when a node has fewer buffers than accelerators
   */
  int[] buffers() {
    Map<Integer, List<Integer>> byNode = new LinkedHashMap<>();
    for (int terminal : cluster.terminals(DeviceKind.AGGREGATOR)) {
      byNode.computeIfAbsent(cluster.node(terminal), any -> new ArrayList<>()).add(terminal);
    }
    int[] buffers = new int[group.size()];
    for (int at = 0; at < rankAt.length; at++) {
      List<Integer> own = byNode.getOrDefault(cluster.node(group.member(rankAt[at])), List.of());
      if (own.size() <= numberAt[at]) {
        throw new InvalidSettingException("host", "copies to the host need an aggregator for each accelerator of a "
            + "node, a buffer in its memory; accelerator " + numberAt[at] + " has none among " + own.size());
      }
      buffers[rankAt[at]] = own.get(numberAt[at]);
    }
    return buffers;
  }
}
