package dev.heddle.collectives.nccl.search;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The placement of the ranks of a communicator. Nodes are numbered in the order in which ranks first lie on them; the
 * GPUs of each node in ascending order have places from 0.
 */
public final class Placement {
  private final int[] node;
  private final int[] place;
  private final int[] gpu;
  private final int[][] ranks;

  private Placement(int[] nodeOfRank, int[] gpuOfRank) {
    Map<Integer, Integer> numbers = new LinkedHashMap<>();
    node = new int[nodeOfRank.length];
    for (int rank = 0; rank < node.length; rank++) {
      numbers.putIfAbsent(nodeOfRank[rank], numbers.size());
      node[rank] = numbers.get(nodeOfRank[rank]);
    }
    gpu = gpuOfRank.clone();
    place = new int[node.length];
    ranks = byNode(numbers.size());
  }

  private int[][] byNode(int nodes) {
    int[] counts = new int[nodes];
    for (int each : node) {
      counts[each]++;
    }
    long[][] sorted = new long[nodes][];
    Arrays.setAll(sorted, i -> new long[counts[i]]);
    for (int rank = node.length - 1; rank >= 0; rank--) {
      sorted[node[rank]][--counts[node[rank]]] = (long) gpu[rank] << Integer.SIZE | rank;
    }
    int[][] byNode = new int[nodes][];
    for (int i = 0; i < nodes; i++) {
      Arrays.sort(sorted[i]);
      byNode[i] = Arrays.stream(sorted[i]).mapToInt(each -> (int) each).toArray();
      for (int at = 0; at < byNode[i].length; at++) {
        place[byNode[i][at]] = at;
        if (at > 0 && gpu[byNode[i][at]] == gpu[byNode[i][at - 1]]) {
          throw new IllegalArgumentException(
              "ranks " + byNode[i][at - 1] + " and " + byNode[i][at] + " are both on GPU " + gpu[byNode[i][at]]
                  + " of one node");
        }
      }
    }
    return byNode;
  }

  /**
   * A placement.
   *
   * @param nodeOfRank the number of each rank's node
   * @param gpuOfRank each rank's GPU among all of its node, from 0
   * @throws IllegalArgumentException when there is no rank, a GPU is negative, or two ranks are on one GPU
   */
  public static Placement of(int[] nodeOfRank, int[] gpuOfRank) {
    if (nodeOfRank.length == 0 || nodeOfRank.length != gpuOfRank.length) {
      throw new IllegalArgumentException("each of at least one rank needs a node and a GPU");
    }
    if (Arrays.stream(gpuOfRank).anyMatch(each -> each < 0)) {
      throw new IllegalArgumentException("GPUs are numbered from 0");
    }
    return new Placement(nodeOfRank, gpuOfRank);
  }

  /** A placement with the same number of ranks on each node, node after node, on their first GPUs. */
  public static Placement even(int nodes, int ranksPerNode) {
    int[] node = new int[Math.multiplyExact(nodes, ranksPerNode)];
    int[] gpu = new int[node.length];
    for (int rank = 0; rank < node.length; rank++) {
      node[rank] = rank / ranksPerNode;
      gpu[rank] = rank % ranksPerNode;
    }
    return of(node, gpu);
  }

  /** The number of ranks. */
  public int ranks() {
    return node.length;
  }

  /** The number of nodes. */
  public int nodes() {
    return ranks.length;
  }

  /** The number of ranks on a node. */
  public int ranks(int ofNode) {
    return ranks[ofNode].length;
  }

  /** Whether all nodes have the same number of ranks. */
  public boolean isEven() {
    return ranks() == nodes() * ranks(fullest());
  }

  /** The first of the nodes with the most ranks. */
  public int fullest() {
    int fullest = 0;
    for (int i = 1; i < ranks.length; i++) {
      fullest = ranks[i].length > ranks[fullest].length ? i : fullest;
    }
    return fullest;
  }

  /** The node of a rank. */
  public int node(int rank) {
    return node[rank];
  }

  /** The GPU of a rank among all GPUs of its node. */
  public int gpu(int rank) {
    return gpu[rank];
  }

  /** The place of a rank among the ranks of its node. */
  public int place(int rank) {
    return place[rank];
  }

  /** The rank at a place of a node. */
  public int rank(int ofNode, int at) {
    return ranks[ofNode][at];
  }

  /** The ranks of a node, by place. */
  public int[] members(int ofNode) {
    return ranks[ofNode].clone();
  }

  /** The GPUs of a node's ranks, ascending, by place. */
  public int[] gpus(int ofNode) {
    return Arrays.stream(ranks[ofNode]).map(rank -> gpu[rank]).toArray();
  }
}
