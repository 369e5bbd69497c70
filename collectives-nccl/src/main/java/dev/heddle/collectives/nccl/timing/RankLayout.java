package dev.heddle.collectives.nccl.timing;

/**
 * The layout of a communicator's ranks on nodes. Where nodes have different numbers of ranks, chains and exchanges are
 * those of the fullest node, for which all others wait.
 *
 * @param ranks number of ranks, at least 1
 * @param nodes number of nodes, at least 1
 * @param perNode ranks of the fullest node; every other node has at least one and at most as many
 * @param perThread GPUs of a node for which one thread of a process queues calls, at least 1
 * @param linkLatencyPs latency of the links between ranks of different nodes, picoseconds; 0 if unknown
 * @param reads whether ranks of a node read from one another with Simple instead of writing, as on Ampere over NVLink
 *     [NCCL 2.8.4 to 2.30.7, transport/p2p.cc; "P2P/IPC/read" in its logs]
 */
public record RankLayout(
    int ranks, int nodes, int perNode, int perThread, long linkLatencyPs, boolean reads) {
  /**
   * A layout with as many ranks on every node, one process for each GPU and links without latency.
   *
   * @throws IllegalArgumentException when the ranks do not spread evenly
   */
  public RankLayout(int ranks, int nodes) {
    this(ranks, nodes, 1, 0);
  }

  /**
   * A layout with as many ranks on every node, which write to one another.
   *
   * @throws IllegalArgumentException when the ranks do not spread evenly
   */
  public RankLayout(int ranks, int nodes, int perThread, long linkLatencyPs) {
    this(ranks, nodes, evenly(ranks, nodes), perThread, linkLatencyPs, false);
  }

  /**
   * Checks that the nodes can hold the ranks.
   *
   * @throws IllegalArgumentException when they cannot
   */
  public RankLayout {
    if (nodes < 1 || perNode < 1 || (long) perNode * nodes < ranks || perNode > ranks - nodes + 1) {
      throw new IllegalArgumentException(
          ranks + " ranks do not lie on " + nodes + " nodes of at most " + perNode + " and at least one");
    }
  }

  private static int evenly(int ranks, int nodes) {
    if (ranks < 1 || nodes < 1 || ranks % nodes != 0) {
      throw new IllegalArgumentException(ranks + " ranks do not spread evenly over " + nodes + " nodes");
    }
    return ranks / nodes;
  }

  /** Whether there are several nodes. */
  public boolean networked() {
    return nodes > 1;
  }

  /** The number of steps along a ring, of so many, that lead to another node. */
  int crossings(int steps) {
    return (int) (((long) steps * nodes + ranks - 1) / ranks);
  }

  /** The number of levels of a binary tree over the nodes as NCCL counts them, the logarithm rounded down. */
  int levels() {
    return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(nodes);
  }

  /** The steps from the root of NCCL's binary trees over the nodes to the leaf that is farthest from it. */
  public int depth() {
    return Integer.SIZE - Integer.numberOfLeadingZeros(nodes - 1);
  }

  /** The factor by which a GPU has more of the node's links, because some channels leave through NICs instead. */
  double portGain() {
    return networked() && perNode() > 1 ? perNode() / (perNode() - 1.0) : 1;
  }
}
