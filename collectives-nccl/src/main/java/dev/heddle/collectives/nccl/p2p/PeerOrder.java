package dev.heddle.collectives.nccl.p2p;

import dev.heddle.collectives.nccl.search.Placement;
import java.util.Arrays;

/**
 * The order in which ranks exchange messages with all others. In every round each rank sends to one rank and receives
 * from one, and consecutive rounds spread over the nodes. Ranks form groups of places on a node; the distance of groups
 * runs through triangular numbers, and that of places within a group counts up [NCCL 2.30.7, enqueue and init].
 */
public final class PeerOrder {
  private final Placement placement;
  private final int groupSize;
  private final int[] firstGroup;
  private final int[] groupDistances;

  /**
   * An order.
   *
   * @param mostTogether largest number of ranks of a group, at least 1; a group is smaller where this does not divide
   *     the ranks of every node
   */
  public PeerOrder(Placement placement, int mostTogether) {
    this.placement = placement;
    int common = 0;
    for (int node = 0; node < placement.nodes(); node++) {
      common = gcd(common, placement.ranks(node));
    }
    int size = Math.min(mostTogether, common);
    while (common % size != 0) {
      size--;
    }
    groupSize = size;
    firstGroup = new int[placement.nodes() + 1];
    for (int node = 0; node < placement.nodes(); node++) {
      firstGroup[node + 1] = firstGroup[node] + placement.ranks(node) / groupSize;
    }
    groupDistances = triangular(firstGroup[placement.nodes()]);
  }

  private static int gcd(int a, int b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  // The distances of groups: k(k+1)/2 modulo a power of two takes every value once; values beyond the groups are
  // skipped.
  private static int[] triangular(int groups) {
    int power = Integer.highestOneBit(Math.max(1, 2 * groups - 1));
    int[] distances = new int[groups];
    int found = 0;
    int distance = 0;
    for (int k = 1; found < groups; k++) {
      if (distance < groups) {
        distances[found++] = distance;
      }
      distance = (distance + k) & (power - 1);
    }
    return distances;
  }

  /** The number of rounds, one for each rank; in the first, each rank exchanges with itself. */
  public int rounds() {
    return placement.ranks();
  }

  /** The number of ranks of a group. */
  public int groupSize() {
    return groupSize;
  }

  /** The rank to which a rank sends in a round. */
  public int sendsTo(int rank, int round) {
    return peer(rank, groupDistances[round / groupSize], round % groupSize);
  }

  /** The rank from which a rank receives in a round. */
  public int receivesFrom(int rank, int round) {
    return peer(rank, -groupDistances[round / groupSize], -(round % groupSize));
  }

  private int peer(int rank, int groupDistance, int distance) {
    int groups = groupDistances.length;
    int node = placement.node(rank);
    int place = placement.place(rank);
    int group = Math.floorMod(firstGroup[node] + place / groupSize + groupDistance, groups);
    int peerNode = nodeOf(group);
    int within = Math.floorMod(place % groupSize + distance, groupSize);
    return placement.rank(peerNode, (group - firstGroup[peerNode]) * groupSize + within);
  }

  private int nodeOf(int group) {
    int found = Arrays.binarySearch(firstGroup, group);
    return found >= 0 ? found : -found - 2;
  }
}
