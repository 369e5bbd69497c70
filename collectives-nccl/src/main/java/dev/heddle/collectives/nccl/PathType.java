package dev.heddle.collectives.nccl;

import java.util.Arrays;
import java.util.List;

/**
 * The type of a path between two devices of a node: the slowest kind of connection on it. The order of the constants,
 * nearest first, is NCCL's.
 */
public enum PathType {
  /** The same device. */
  LOC,
  /** NVLink, directly or through NVSwitches. */
  NVL,
  /** NVLink through one other GPU. */
  NVB,
  /** The coherent link between a GPU and its CPU; since NCCL 2.25. */
  C2C,
  /** One PCIe switch. */
  PIX,
  /** Several PCIe switches, but no host bridge. */
  PXB,
  /** The coherent link from the GPU to the CPU, then PCIe to the NIC; since NCCL 2.27. */
  P2C,
  /** NVLink to a GPU that is near the NIC, then PCIe to the NIC. */
  PXN,
  /** A PCIe host bridge. */
  PHB,
  /** The link between sockets. */
  SYS,
  /** The network. */
  NET,
  /** No connection. */
  DIS;

  /** The names of the levels that NCCL_P2P_LEVEL and NCCL_NET_GDR_LEVEL accept. */
  public static List<String> levels() {
    return Arrays.stream(values()).filter(each -> each.compareTo(SYS) <= 0).map(PathType::name).toList();
  }

  /**
   * The type of a legacy level: 0 LOC, 1 PIX, 2 PXB, 3 PHB, and SYS above [NCCL, environment variables].
   *
   * @param level at least 0
   */
  public static PathType ofLevel(int level) {
    return switch (level) {
      case 0 -> LOC;
      case 1 -> PIX;
      case 2 -> PXB;
      case 3 -> PHB;
      default -> SYS;
    };
  }

  /** Whether this type is no worse than another. */
  public boolean atMost(PathType other) {
    return ordinal() <= other.ordinal();
  }

  /** The worse of two types. */
  public static PathType worse(PathType a, PathType b) {
    return a.compareTo(b) >= 0 ? a : b;
  }
}
