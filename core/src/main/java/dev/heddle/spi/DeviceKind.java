package dev.heddle.spi;

/** Kind of a device. */
public enum DeviceKind {
  /** A GPU, TPU, NPU or other accelerator. */
  ACCELERATOR,
  /** A host processor with its memory. */
  CPU,
  /** A memory that is a separate device, such as HBM. */
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
   * An engine that reduces, holds or forwards the data that ranks send it, without a program of its own: within a
   * switch, or a buffer in a host's memory.
   */
  AGGREGATOR;

  /** The name in scenarios: kebab case. */
  public String key() {
    return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
  }
}
