package dev.heddle.spi;

/** What a device is. */
public enum DeviceKind {
  /** A GPU, TPU, NPU or other accelerator. */
  ACCELERATOR,
  /** A host processor with its memory. */
  CPU,
  /** A memory that is a device of its own, such as HBM. */
  MEMORY,
  /** A drive. */
  STORAGE,
  /** A network interface: converts between the packet formats of two tiers, and is the uplink of the inner one. */
  NIC,
  /** A PCIe root port or root complex. */
  ROOT_COMPLEX,
  /** A switch. */
  SWITCH,
  /**
   * What reduces, holds or passes on what ranks send it, without a program of its own: a unit within a switch, or a buffer
   * in a host's memory.
   */
  AGGREGATOR;

  /** The name in scenarios: kebab case. */
  public String key() {
    return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
  }
}
