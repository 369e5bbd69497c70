package dev.heddle.collectives.nccl.search;

/** The shape of a channel within a node, and its points of contact with the network. */
public enum Pattern {
  /** A chain; its first two GPUs share the traffic with child nodes. */
  BALANCED_TREE(1),
  /** A chain; its first GPU exchanges data with the parent node, its second with child nodes. */
  SPLIT_TREE(2),
  /** A chain; its first GPU exchanges data with all other nodes. */
  TREE(3),
  /** A ring, or a chain whose two ends exchange data with other nodes. */
  RING(4),
  /** One GPU, the head, for which the NVSwitches reduce and multicast. */
  NVLS(5),
  /** One GPU, the head, which exchanges data with all other GPUs of the node. */
  COLLNET_DIRECT(6);

  private final int number;

  Pattern(int number) {
    this.number = number;
  }

  /** The number in NCCL's log and graph files. */
  public int number() {
    return number;
  }

  /** Whether the channel is a chain. */
  public boolean tree() {
    return this == BALANCED_TREE || this == SPLIT_TREE || this == TREE;
  }

  /** Whether the channel consists of a head. */
  boolean headed() {
    return this == NVLS || this == COLLNET_DIRECT;
  }
}
