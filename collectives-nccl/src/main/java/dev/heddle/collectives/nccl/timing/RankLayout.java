package dev.heddle.collectives.nccl.timing;

/**
 * Even layout of a communicator's ranks on nodes, as far as time goes.
 *
 * @param ranks at least 1
 * @param nodes at least 1, a divisor of {@code ranks}
 * @param perThread GPUs of a node for which one thread of a process queues calls, at least 1
 * @param wayPs what the links from a rank to one of another node take together, picoseconds; 0 where that is not known
 */
public record RankLayout(int ranks, int nodes, int perThread, long wayPs) {
  /** Ranks that processes of one GPU each drive, over links without latency. */
  public RankLayout(int ranks, int nodes) {
    this(ranks, nodes, 1, 0);
  }

  /**
   * Checks that the ranks spread evenly.
   *
   * @throws IllegalArgumentException when they do not
   */
  public RankLayout {
    if (ranks < 1 || nodes < 1 || ranks % nodes != 0) {
      throw new IllegalArgumentException(ranks + " ranks do not spread evenly over " + nodes + " nodes");
    }
  }

  /** The ranks of a node. */
  public int perNode() {
    return ranks / nodes;
  }

  /** Whether there is a network to cross. */
  public boolean networked() {
    return nodes > 1;
  }

  /** The levels of a binary tree over the nodes. */
  int levels() {
    return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(nodes);
  }

  /** By how much more than its share of a node's links a GPU has, because channels leave through NICs too. */
  double portGain() {
    return networked() && perNode() > 1 ? perNode() / (perNode() - 1.0) : 1;
  }
}
