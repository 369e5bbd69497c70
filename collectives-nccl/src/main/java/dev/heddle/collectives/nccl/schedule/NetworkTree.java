package dev.heddle.collectives.nccl.schedule;

import java.util.stream.IntStream;

/**
 * A tree of switches of the network that add, as SHARP lays one per rail: its leaves are ranks, one of every node, its
 * inner nodes units of switches, numbered from 0.
 */
public final class NetworkTree {
  private final int[] terminals;
  private final int[] parents;
  private final int[] ranks;
  private final int[] unitOfRank;

  /**
   * A tree.
   *
   * @param terminals of each unit
   * @param parents of each unit, -1 of the root
   * @param ranks that are leaves, one of each node in order
   * @param unitOfRank the unit above each of them
   */
  public NetworkTree(int[] terminals, int[] parents, int[] ranks, int[] unitOfRank) {
    this.terminals = terminals.clone();
    this.parents = parents.clone();
    this.ranks = ranks.clone();
    this.unitOfRank = unitOfRank.clone();
  }

  /** The number of units. */
  public int units() {
    return terminals.length;
  }

  /** The terminal of a unit. */
  public int terminal(int unit) {
    return terminals[unit];
  }

  /** The unit above a unit; -1 of the root. */
  int parent(int unit) {
    return parents[unit];
  }

  /** The units below a unit. */
  int[] unitsBelow(int unit) {
    return IntStream.range(0, parents.length).filter(other -> parents[other] == unit).toArray();
  }

  /** The ranks below a unit, without another between them. */
  int[] ranksBelow(int unit) {
    return IntStream.range(0, ranks.length).filter(team -> unitOfRank[team] == unit).map(team -> ranks[team]).toArray();
  }

  /** The unit above the rank of a node. */
  int unitAbove(int team) {
    return unitOfRank[team];
  }

  /** The ranks, one of each node in order. */
  int[] ranks() {
    return ranks.clone();
  }

  /** The ranks below a unit, with or without others between them, in the order of their nodes. */
  int[] allRanksBelow(int unit) {
    return IntStream.range(0, ranks.length).filter(team -> {
      int at = unitOfRank[team];
      while (at != unit && at >= 0) {
        at = parents[at];
      }
      return at == unit;
    }).map(team -> ranks[team]).toArray();
  }
}
