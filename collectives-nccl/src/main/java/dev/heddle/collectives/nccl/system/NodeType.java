package dev.heddle.collectives.nccl.system;

/** What a vertex of the system graph is. */
public enum NodeType {
  /** An accelerator. */
  GPU,
  /** A PCIe switch. */
  PCI,
  /** All NVSwitches of the node, as one. */
  NVS,
  /** A socket with its host bridges. */
  CPU,
  /** A network adapter, which has one or more ports. */
  NIC,
  /** A port of a network adapter. */
  NET
}
