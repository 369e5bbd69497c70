package dev.heddle.collectives.nccl.search;

/** What a channel looks like within a node and where it touches the network. */
public enum Pattern {
  /** A chain; the traffic with child nodes is spread over its first two GPUs. */
  BALANCED_TREE(1),
  /** A chain; the parent node is at its first GPU, child nodes at its second. */
  SPLIT_TREE(2),
  /** A chain; all other nodes are at its first GPU. */
  TREE(3),
  /** A ring, or a chain whose ends are at the network. */
  RING(4),
  /** One GPU, the head, for which the NVSwitches reduce and multicast. */
  NVLS(5),
  /** One GPU, the head, to which all others of the node are connected. */
  COLLNET_DIRECT(6);

  private final int number;

  Pattern(int number) {
    this.number = number;
  }

  /** The number in NCCL's log and graph files. */
  public int number() {
    return number;
  }

  /** Whether all but rings and heads: a chain. */
  public boolean tree() {
    return this == BALANCED_TREE || this == SPLIT_TREE || this == TREE;
  }

  /** Whether a channel has a head only. */
  boolean headed() {
    return this == NVLS || this == COLLNET_DIRECT;
  }
}
