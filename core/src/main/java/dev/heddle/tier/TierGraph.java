package dev.heddle.tier;

import dev.heddle.spi.Link;
import java.util.Arrays;

/**
 * The devices and links of a tier during planning; the first devices are the terminals.
 *
 * @param terminals number of terminals
 * @param names of the devices
 * @param forwards whether a device forwards traffic of others
 * @param linkSource the device at which a directed link begins
 * @param linkTarget the device at which it ends
 * @param linkModels the model of each directed link
 */
record TierGraph(
    int terminals, String[] names, boolean[] forwards, int[] linkSource, int[] linkTarget, Link[] linkModels) {
  int devices() {
    return names.length;
  }

  int links() {
    return linkSource.length;
  }

  /** Of each device the directed links that end at it, ascending. */
  int[][] incoming() {
    int[] count = new int[devices()];
    for (int target : linkTarget) {
      count[target]++;
    }
    int[][] incoming = new int[devices()][];
    Arrays.setAll(incoming, device -> new int[count[device]]);
    Arrays.fill(count, 0);
    for (int link = 0; link < links(); link++) {
      int target = linkTarget[link];
      incoming[target][count[target]++] = link;
    }
    return incoming;
  }
}
