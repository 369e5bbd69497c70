package dev.heddle.collectives.oneccl;

/** What the host has to do with data that leave the node. */
public enum HostPath {
  /** Nothing: NICs read and write the devices' memory. */
  NONE,
  /** Every message is copied to the host, sent from there, and copied from the other host; devices add. */
  COPY,
  /** What a rank has reduced within its node is copied to the host once, where CPUs reduce between nodes, and back. */
  REDUCE
}
