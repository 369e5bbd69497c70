package dev.heddle.fabric;

import dev.heddle.tier.RouteFunction;
import dev.heddle.tier.TierPlan;
import java.util.Arrays;

/** Follows a message from one terminal to another through an idle fabric. */
final class FirstRoute {
  private final Fabric fabric;
  private final long message;
  private final int source;
  private final int destination;
  private final int[] candidates;
  private int[] links = new int[16];
  private int hops;
  private int arrivedBy = RouteFunction.NONE;

  FirstRoute(Fabric fabric, long message, int destination) {
    this.fabric = fabric;
    this.message = message;
    source = Fabric.source(message);
    this.destination = destination;
    candidates = new int[fabric.maxCandidates()];
  }

  /** The directed links, in order; none where the source is the destination. */
  int[] links() {
    int device = source;
    int waypoint = source;
    while (device != destination) {
      if (device == waypoint) {
        waypoint = fabric.nextWaypoint(device, message, destination);
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
      case MESSAGE_HASH -> candidates[Fabric.hashed(message, device, count)];
      case SOURCE -> fabric.sourceChannel(device, waypoint, message, destination);
      case RANDOM, ADAPTIVE, UGAL -> candidates[0];
    };
  }
}
