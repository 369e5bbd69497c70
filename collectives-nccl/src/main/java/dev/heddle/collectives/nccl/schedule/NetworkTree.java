package dev.heddle.collectives.nccl.schedule;

import java.util.stream.IntStream;

/**
 * A tree of switches that reduce in the network, as SHARP builds one for each rail. Its leaves are ranks, one of every
 * node; its inner vertices are the aggregators of switches, numbered from 0.
 */
public final class NetworkTree {
  private final int[] terminals;
  private final int[] parents;
  private final int[] ranks;
  private final int[] aggregatorOfRank;

  /**
   * A tree.
   *
   * @param terminals of the aggregators
   * @param parents aggregator above each aggregator, -1 for the root
   * @param ranks leaves, one of each node in order
   * @param aggregatorOfRank aggregator above each leaf
   */
  public NetworkTree(int[] terminals, int[] parents, int[] ranks, int[] aggregatorOfRank) {
    this.terminals = terminals.clone();
    this.parents = parents.clone();
    this.ranks = ranks.clone();
    this.aggregatorOfRank = aggregatorOfRank.clone();
  }

  /** The number of aggregators. */
  public int aggregators() {
    return terminals.length;
  }

  /** The terminal of an aggregator. */
  public int terminal(int aggregator) {
    return terminals[aggregator];
  }

  /** The aggregator above an aggregator; -1 for the root. */
  int parent(int aggregator) {
    return parents[aggregator];
  }

  /** The aggregators directly below an aggregator. */
  int[] aggregatorsBelow(int aggregator) {
    return IntStream.range(0, parents.length).filter(other -> parents[other] == aggregator).toArray();
  }

  /** The ranks directly below an aggregator. */
  int[] ranksBelow(int aggregator) {
    return IntStream.range(0, ranks.length).filter(domain -> aggregatorOfRank[domain] == aggregator)
        .map(domain -> ranks[domain]).toArray();
  }

  /** The aggregator above the rank of a node. */
  int aggregatorAbove(int domain) {
    return aggregatorOfRank[domain];
  }

  /** The ranks, one of each node in order. */
  int[] ranks() {
    return ranks.clone();
  }

  /** The ranks directly or indirectly below an aggregator, in the order of their nodes. */
  int[] allRanksBelow(int aggregator) {
    return IntStream.range(0, ranks.length).filter(domain -> {
      int at = aggregatorOfRank[domain];
      while (at != aggregator && at >= 0) {
        at = parents[at];
      }
      return at == aggregator;
    }).map(domain -> ranks[domain]).toArray();
  }
}
