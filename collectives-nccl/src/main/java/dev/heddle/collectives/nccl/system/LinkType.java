package dev.heddle.collectives.nccl.system;

import dev.heddle.collectives.nccl.PathType;

/** What an edge of the system graph is. */
public enum LinkType {
  /** Within a device. */
  LOC(PathType.LOC),
  /** NVLink. */
  NVL(PathType.NVL),
  /** The coherent link between a GPU and its CPU. */
  C2C(PathType.C2C),
  /** PCIe. */
  PCI(PathType.PIX),
  /** Between sockets. */
  SYS(PathType.SYS),
  /** From an adapter to the network; free, as seen from the node. */
  NET(PathType.LOC);

  private final PathType path;

  LinkType(PathType path) {
    this.path = path;
  }

  /** The type of a path that consists of such a link. */
  PathType path() {
    return path;
  }
}
