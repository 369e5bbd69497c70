package dev.heddle.collectives.nccl.timing;

/** The memory of hosts, through which data of GPUs pass that may not access each other. */
final class HostMemory {
  /**
   * Share of a PCIe port's rate at which GPUs load from the host's memory while they store to it: 11 of 24.8 GB/s
   * [NVIDIA/nvbandwidth issue 53] and 12 to 13 of 25 to 26 [issue 11], by copies without NCCL on hosts of A100.
   */
  static final double LOADS = 0.47;

  private HostMemory() {}
}
