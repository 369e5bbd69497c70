package dev.heddle.collectives.nccl.timing;

/**
 * The even layout of a communicator's ranks on nodes.
 *
 * @param ranks number of ranks, at least 1
 * @param nodes number of nodes, at least 1, a divisor of {@code ranks}
 * @param perThread GPUs of a node for which one thread of a process queues calls, at least 1
 * @param linkLatencyPs latency of the links between ranks of different nodes, picoseconds; 0 if unknown
 * @param reads whether ranks of a node read from one another with Simple instead of writing, as on Ampere over NVLink
 *     [NCCL 2.8.4 to 2.30.7, transport/p2p.cc; "P2P/IPC/read" in its logs]
 */
public record RankLayout(int ranks, int nodes, int perThread, long linkLatencyPs, boolean reads) {
  /** A layout with one process for each GPU and links without latency. */
  public RankLayout(int ranks, int nodes) {
    this(ranks, nodes, 1, 0);
  }

  /** A layout whose ranks write to one another. */
  public RankLayout(int ranks, int nodes, int perThread, long linkLatencyPs) {
    this(ranks, nodes, perThread, linkLatencyPs, false);
  }

  /**
   * Checks that the ranks are distributed evenly.
   *
   * @throws IllegalArgumentException when they are not
   */
  public RankLayout {
    if (ranks < 1 || nodes < 1 || ranks % nodes != 0) {
      throw new IllegalArgumentException(ranks + " ranks do not spread evenly over " + nodes + " nodes");
    }
  }

  /** The number of ranks of a node. */
  public int perNode() {
    return ranks / nodes;
  }

  /** Whether there are several nodes. */
  public boolean networked() {
    return nodes > 1;
  }

  /** The number of levels of a binary tree over the nodes. */
  int levels() {
    return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(nodes);
  }

  /** The factor by which a GPU has more of the node's links, because some channels leave through NICs instead. */
  double portGain() {
    return networked() && perNode() > 1 ? perNode() / (perNode() - 1.0) : 1;
  }
}
