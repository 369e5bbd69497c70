package dev.heddle.link.infiniband;

import dev.heddle.units.DataRate;

/**
 * Line coding of the generations [InfiniBand Architecture Specification vol. 2; InfiniBand Trade Association roadmap].
 *
 * @param laneBitsPerSecond signalling rate of a lane
 * @param codedPart data bits of a code group
 * @param codedWhole bits of a code group on the wire
 */
record Speed(long laneBitsPerSecond, long codedPart, long codedWhole) {
  // PAM4 generations transcode 256 to 257 bits and add RS(544, 514): 53.125 Gb/s carry 50 Gb/s.
  private static final long PAM4_PART = 256L * 514;
  private static final long PAM4_WHOLE = 257L * 544;

  static Speed of(InfinibandLinkProvider.Generation generation) {
    return switch (generation) {
      case SDR -> new Speed(2_500_000_000L, 8, 10);
      case DDR -> new Speed(5_000_000_000L, 8, 10);
      case QDR -> new Speed(10_000_000_000L, 8, 10);
      case FDR10 -> new Speed(10_312_500_000L, 64, 66);
      case FDR -> new Speed(14_062_500_000L, 64, 66);
      case EDR -> new Speed(25_781_250_000L, 64, 66);
      case HDR -> new Speed(53_125_000_000L, PAM4_PART, PAM4_WHOLE);
      case NDR -> new Speed(106_250_000_000L, PAM4_PART, PAM4_WHOLE);
      case XDR -> new Speed(212_500_000_000L, PAM4_PART, PAM4_WHOLE);
    };
  }

  /** The data rate of a number of lanes, rounded down to whole bits per second. */
  DataRate dataRate(int lanes) {
    return DataRate.ofBitsPerSecond(
        Math.multiplyExact(Math.multiplyExact(laneBitsPerSecond, lanes), codedPart) / codedWhole);
  }
}
