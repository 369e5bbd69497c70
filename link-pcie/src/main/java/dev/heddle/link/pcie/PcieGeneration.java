package dev.heddle.link.pcie;

import dev.heddle.link.pcie.PcieLinkProvider.Encoding;

/**
 * The fixed values of a generation [PCI Express Base Specification 1.0a to 6.0, §4.2 and §3.6]; each value has a
 * setting that overrides it.
 *
 * @param laneBitsPerSecond transfers per second of a lane
 * @param encoding of the lane
 * @param internalDelayPs the delay within a port that the specification's acknowledgement timers allow: 19, 70 and 115
 * symbol times at 2.5, 5 and 8 GT/s; above 8 GT/s that of 8 GT/s is kept
 */
record PcieGeneration(long laneBitsPerSecond, Encoding encoding, long internalDelayPs) {
  private static final PcieGeneration[] GENERATIONS = {
      new PcieGeneration(2_500_000_000L, Encoding.B8B10, 19 * 4_000),
      new PcieGeneration(5_000_000_000L, Encoding.B8B10, 70 * 2_000),
      new PcieGeneration(8_000_000_000L, Encoding.B128B130, 115 * 1_000),
      new PcieGeneration(16_000_000_000L, Encoding.B128B130, 115 * 1_000),
      new PcieGeneration(32_000_000_000L, Encoding.B128B130, 115 * 1_000),
      new PcieGeneration(64_000_000_000L, Encoding.FLIT, 115 * 1_000),
  };

  /** A generation from 1 to 6. */
  static PcieGeneration of(int generation) {
    return GENERATIONS[generation - 1];
  }
}
