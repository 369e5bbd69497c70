package dev.heddle.network.packet;

import dev.heddle.fabric.Fabric;
import dev.heddle.spi.TierPlan;

/** Chooses among the channels that lead on, as the tier's selection says. */
final class Routes {
  private final Fabric fabric;
  private final Links links;
  private final RunSetup setup;
  private final int[] candidates;

  Routes(Fabric fabric, Links links, RunSetup setup) {
    this.fabric = fabric;
    this.links = links;
    this.setup = setup;
    candidates = new int[fabric.maxCandidates()];
  }

  /**
   * The channel by which a unit leaves a device.
   *
   * @param waypoint where it goes within the tier
   * @param message number of its message
   * @param destination the terminal that it goes to
   */
  int choose(int device, int waypoint, int trafficClass, long message, int destination) {
    int count = fabric.candidates(device, waypoint, candidates);
    int chosen = candidates[0];
    if (count > 1) {
      switch (fabric.selection(device, waypoint)) {
        case MESSAGE_HASH:
          chosen = candidates[Fabric.hashed(message, device, count)];
          break;
        case RANDOM:
          chosen = candidates[setup.random[device].nextInt(count)];
          break;
        case SOURCE:
          chosen = fabric.sourceChannel(device, waypoint, (int) (message >>> Fabric.MESSAGE_BITS), destination);
          break;
        default:
          chosen = leastQueued(device, count);
      }
    }
    int link = TierPlan.linkOf(chosen);
    return links.firstChannel(link)
        + TierPlan.virtualChannel(chosen, trafficClass, links.channelsPerClass(link), links.channelCount(link));
  }

  private int leastQueued(int device, int count) {
    int turn = (setup.turn[device]++ & Integer.MAX_VALUE) % count;
    int best = candidates[turn];
    long bestBytes = links.queuedBytes(TierPlan.linkOf(best));
    for (int i = 1; i < count; i++) {
      int candidate = candidates[(turn + i) % count];
      long bytes = links.queuedBytes(TierPlan.linkOf(candidate));
      if (bytes < bestBytes) {
        best = candidate;
        bestBytes = bytes;
      }
    }
    return best;
  }
}
