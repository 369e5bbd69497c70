package dev.heddle.collectives.oneccl;

/** Role of the host for data that leave the node. */
public enum HostPath {
  /** Nothing: NICs read and write the devices' memory. */
  NONE,
  /** Every message is copied to the host, sent from there, and copied from the other host; devices add. */
  COPY,
  /** A rank's sum within its node is copied to the host once, where CPUs reduce between nodes, and back. */
  REDUCE
}
