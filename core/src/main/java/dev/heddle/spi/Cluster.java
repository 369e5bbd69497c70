package dev.heddle.spi;

/**
 * What a workload may know of the machine: its terminals, where they lie, and how fast they reach out. Terminals are
 * numbered from 0, node by node, in the order in which the innermost tier declares them.
 */
public interface Cluster {
  /** The number of terminals of all nodes. */
  int terminals();

  /** The number of nodes: instances of the innermost tier. */
  int nodes();

  /** What a terminal is. */
  DeviceKind kind(int terminal);

  /** The name of a terminal, such as {@code node3.accelerator5}. */
  String name(int terminal);

  /** The node of a terminal, from 0. */
  int node(int terminal);

  /** The position of a terminal among all terminals of its node, from 0. */
  int position(int terminal);

  /** The terminals of one kind, ascending. */
  int[] terminals(DeviceKind kind);

  /** The link by which a terminal's own traffic leaves it within its node, or its first link where it has several. */
  Link injectionLink(int terminal);

  /**
   * The link by which a NIC leaves its node, or the NIC's first where it has several.
   *
   * @throws IllegalArgumentException when the terminal is no NIC that another tier connects
   */
  Link networkLink(int terminal);
}
