package dev.heddle.collectives.nccl.system;

/** The type of a vertex of the system graph. */
public enum NodeType {
  /** An accelerator. */
  GPU,
  /** A PCIe switch. */
  PCI,
  /** All NVSwitches of the node as one vertex. */
  NVS,
  /** A socket with its host bridges. */
  CPU,
  /** A network adapter with one or more ports. */
  NIC,
  /** A port of a network adapter. */
  NET
}
