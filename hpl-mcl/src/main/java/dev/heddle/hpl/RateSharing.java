package dev.heddle.hpl;

/** Who divides the rate of a layer among themselves. */
public enum RateSharing {
  /** Nobody: each device has the whole rate. */
  NONE,
  /** The devices of a node. */
  DEVICES,
  /** The devices of a node, and its host as one more: its MPI library moves messages over the same channel. */
  DEVICES_AND_HOST;

  /** By how many the rate is divided in a node of so many devices. */
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
