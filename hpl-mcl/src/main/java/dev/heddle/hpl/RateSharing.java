package dev.heddle.hpl;

/** Processes that share the rate of a layer. */
public enum RateSharing {
  /** No sharing: each device has the whole rate. */
  NONE,
  /** The devices of a node. */
  DEVICES,
  /** The devices of a node, and its host as one more: its MPI library moves messages over the same channel. */
  DEVICES_AND_HOST;

  /** The number of sharers of the rate in a node of a number of devices. */
  public int sharers(int devicesPerNode) {
    switch (this) {
      case NONE :
        return 1;
      case DEVICES :
        return devicesPerNode;
      default :
        return devicesPerNode + 1;
    }
  }
}
