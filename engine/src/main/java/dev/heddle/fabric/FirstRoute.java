package dev.heddle.fabric;

import dev.heddle.tier.RouteFunction;
import dev.heddle.tier.TierPlan;
import java.util.Arrays;

/** Follows the first message from one terminal to another through an idle fabric. */
final class FirstRoute {
  private final Fabric fabric;
  private final int source;
  private final int destination;
  private final int[] candidates;
  private int[] links = new int[16];
  private int hops;
  private int arrivedBy = RouteFunction.NONE;

  FirstRoute(Fabric fabric, int source, int destination) {
    this.fabric = fabric;
    this.source = source;
    this.destination = destination;
    candidates = new int[fabric.maxCandidates()];
  }

  /** The directed links, in order; none where the source is the destination. */
  int[] links() {
    int device = source;
    int waypoint = source;
    while (device != destination) {
      if (device == waypoint) {
        waypoint = fabric.waypoint(device, source, destination);
      }
      arrivedBy = channel(device, waypoint);
      int link = TierPlan.linkOf(arrivedBy);
      append(link);
      device = fabric.linkTarget(link);
    }
    return Arrays.copyOf(links, hops);
  }

  private void append(int link) {
    if (hops == links.length) {
      links = Arrays.copyOf(links, 2 * hops);
    }
    links[hops++] = link;
  }

  private int channel(int device, int waypoint) {
    int count = fabric.candidates(device, waypoint, arrivedBy, candidates);
    return switch (fabric.selection(device, waypoint)) {
      case MESSAGE_HASH -> candidates[Fabric.hashed((long) source << Fabric.MESSAGE_BITS, device, count)];
      case SOURCE -> fabric.sourceChannel(device, waypoint, source, destination);
      case RANDOM, ADAPTIVE, UGAL -> candidates[0];
    };
  }
}
