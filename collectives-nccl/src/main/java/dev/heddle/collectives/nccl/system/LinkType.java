package dev.heddle.collectives.nccl.system;

import dev.heddle.collectives.nccl.PathType;

/** The type of an edge of the system graph. */
public enum LinkType {
  /** Within a device. */
  LOC(PathType.LOC),
  /** NVLink. */
  NVL(PathType.NVL),
  /** The coherent link between a GPU and its CPU. */
  C2C(PathType.C2C),
  /** PCIe. */
  PCI(PathType.PIX),
  /** The link between sockets. */
  SYS(PathType.SYS),
  /** The edge from an adapter to the network, which adds no cost within the node. */
  NET(PathType.LOC);

  private final PathType path;

  LinkType(PathType path) {
    this.path = path;
  }

  /** The type of a path that consists of one such link. */
  PathType path() {
    return path;
  }
}
