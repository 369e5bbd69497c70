package dev.heddle.collectives.nccl.search;

/**
 * Two binary trees over the same nodes. No node is an inner node of both, except one node if their number is odd
 * [Sanders, Speck, Träff, Two-tree algorithms for full bandwidth broadcast, reduction and scan, Parallel Computing
 * 35(12), 2009]. All relations are arithmetic on the number of a node.
 */
public final class DoubleBinaryTree {
  /** The number that denotes no node. */
  public static final int NONE = -1;

  private final int nodes;

  /**
   * The trees over a number of nodes.
   *
   * @param nodes at least 1
   */
  public DoubleBinaryTree(int nodes) {
    if (nodes < 1) {
      throw new IllegalArgumentException("a tree has at least 1 node: " + nodes);
    }
    this.nodes = nodes;
  }

  /** The parent of a node in tree 0 or 1; {@link #NONE} for the root. */
  public int parent(int tree, int node) {
    return outer(tree, firstParent(inner(tree, node)));
  }

  /** Child 0 or 1 of a node in tree 0 or 1; {@link #NONE} if there is none. */
  public int child(int tree, int node, int which) {
    return outer(tree, firstChild(inner(tree, node), which));
  }

  /** The number of a node among its parent's children, 0 or 1; 0 for the root. */
  public int childNumber(int tree, int node) {
    int number = inner(tree, node);
    return number == 0 || number < firstParent(number) ? 0 : 1;
  }

  // The number in the first tree of a node of the second, which is the first tree mirrored or rotated by one.
  private int inner(int tree, int node) {
    if (tree == 0) {
      return node;
    }
    return nodes % 2 == 0 ? nodes - 1 - node : (node + nodes - 1) % nodes;
  }

  private int outer(int tree, int number) {
    if (tree == 0 || number == NONE) {
      return number;
    }
    return nodes % 2 == 0 ? nodes - 1 - number : (number + 1) % nodes;
  }

  private int firstParent(int node) {
    if (node == 0) {
      return NONE;
    }
    int bit = Integer.lowestOneBit(node);
    int parent = node ^ bit | bit << 1;
    return parent < nodes ? parent : node ^ bit;
  }

  private int firstChild(int node, int which) {
    if (node == 0) {
      return which == 0 || nodes == 1 ? NONE : Integer.highestOneBit(nodes - 1);
    }
    int distance = Integer.lowestOneBit(node) >> 1;
    if (which == 0) {
      return distance == 0 ? NONE : node - distance;
    }
    while (distance > 0 && node + distance >= nodes) {
      distance >>= 1;
    }
    return distance == 0 ? NONE : node + distance;
  }
}
