package dev.heddle.collectives.nccl.system;

import dev.heddle.units.DataRate;

/**
 * A PCIe link as in topology files.
 *
 * @param speed of a lane
 * @param width number of lanes
 */
record PciLink(String speed, int width) {
  /** A link of unknown speed and width. */
  static final PciLink UNKNOWN = new PciLink("", 0);

  // Data rate of a lane after line encoding, Mb/s: 8b/10b, 128b/130b, flits of 242 in 256 bytes.
  private static final double[] MEGABITS = {2000, 4000, 7876.9, 15_753.8, 31_507.7, 60_500};
  private static final String[] SPEEDS = {"2.5", "5.0", "8.0", "16.0", "32.0", "64.0"};
  private static final int[] WIDTHS = {16, 8, 4, 2, 1};

  /** The data rate of a link after line encoding, GB/s per direction. */
  static double gigabytes(String speed, int width) {
    String transfers = PciSpeed.of(speed).orElseThrow(() -> new IllegalArgumentException("no PCIe speed: " + speed));
    int lanes = width == 0 ? WIDTHS[0] : width;
    for (int i = 0; i < SPEEDS.length; i++) {
      if (Double.parseDouble(SPEEDS[i]) == Double.parseDouble(transfers)) {
        return MEGABITS[i] * lanes / 8e3;
      }
    }
    throw new IllegalArgumentException("no PCIe speed: " + speed);
  }

  /** The link whose rate is nearest to a rate, the widest of equals. */
  static PciLink nearest(DataRate rate) {
    double megabits = rate.bitsPerSecond() / 1e6;
    PciLink nearest = UNKNOWN;
    double least = Double.POSITIVE_INFINITY;
    for (int width : WIDTHS) {
      for (int i = 0; i < SPEEDS.length; i++) {
        double distance = Math.abs(Math.log(megabits / (MEGABITS[i] * width)));
        if (distance < least - .02) {
          least = distance;
          nearest = new PciLink(SPEEDS[i] + " GT/s PCIe", width);
        }
      }
    }
    return nearest;
  }
}
