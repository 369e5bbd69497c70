package dev.heddle.standard.collective;

import dev.heddle.collective.Group;
import dev.heddle.spi.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * The order in which ranks exchange data with each other, as turns: by the distance of their nodes, and for each node
 * by the distance of their places in it. In each turn every rank has another receiver, and so have the ranks of each
 * node that have come further than others, since messages within a node are faster than those between nodes: by rank
 * alone, all ranks of a node would send to the same remote rank next. Where nodes hold different numbers of ranks, the
 * order is by rank.
 */
final class ExchangeOrder {
  private final int perNode;
  private final int nodes;
  private final int[] slotOfRank;
  private final int[] rankOfSlot;

  private ExchangeOrder(int perNode, int[] rankOfSlot) {
    this.perNode = perNode;
    this.rankOfSlot = rankOfSlot;
    nodes = rankOfSlot.length / perNode;
    slotOfRank = new int[rankOfSlot.length];
    for (int slot = 0; slot < rankOfSlot.length; slot++) {
      slotOfRank[rankOfSlot[slot]] = slot;
    }
  }

  static ExchangeOrder of(Cluster cluster, Group group) {
    TreeMap<Integer, List<Integer>> ranksOfNode = new TreeMap<>();
    for (int rank = 0; rank < group.size(); rank++) {
      ranksOfNode.computeIfAbsent(cluster.node(group.member(rank)), node -> new ArrayList<>()).add(rank);
    }
    int perNode = ranksOfNode.firstEntry().getValue().size();
    boolean equal = ranksOfNode.values().stream().allMatch(ranks -> ranks.size() == perNode);
    int[] slots = ranksOfNode.values().stream().flatMap(List::stream).mapToInt(Integer::intValue).toArray();
    return new ExchangeOrder(equal ? perNode : group.size(), slots);
  }

  /** The rank to which a rank sends in a turn, from 1 to the number of ranks less one. */
  int receiver(int rank, int turn) {
    return rankAt(rank, turn / perNode, turn % perNode);
  }

  /** The rank from which a rank receives in a turn. */
  int sender(int rank, int turn) {
    return rankAt(rank, -(turn / perNode), -(turn % perNode));
  }

  private int rankAt(int rank, int nodesOn, int placesOn) {
    int slot = slotOfRank[rank];
    int node = Math.floorMod(slot / perNode + nodesOn, nodes);
    return rankOfSlot[node * perNode + Math.floorMod(slot % perNode + placesOn, perNode)];
  }
}
