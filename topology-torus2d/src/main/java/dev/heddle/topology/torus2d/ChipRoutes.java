package dev.heddle.topology.torus2d;

import dev.heddle.tier.TierPlan;
import java.util.Arrays;

/** The channels that lead from chip to chip. */
final class ChipRoutes {
  private static final int NONE = -1;

  private final Torus torus;
  private final Routing routing;
  private final boolean datelines;
  // Per chip and dimension, the directed link up and the one down; -1 where there is none.
  private final int[] up;
  private final int[] down;

  /**
   * Routes over links that {@link #join} names.
   *
   * @param datelines whether virtual channels change where a ring ends; without, rings deadlock
   */
  ChipRoutes(Torus torus, Routing routing, boolean datelines) {
    this.torus = torus;
    this.routing = routing;
    this.datelines = datelines;
    up = new int[torus.chips() * torus.dimensions()];
    down = new int[up.length];
    Arrays.fill(up, NONE);
    Arrays.fill(down, NONE);
  }

  /** The virtual channels that a routing needs on every link. */
  static int channels(Torus torus, Routing routing) {
    if (routing != Routing.DIMENSION_ORDER) {
      return torus.diameter();
    }
    return torus.wrap() && torus.size().asList().stream().anyMatch(length -> length > 3) ? 2 : 1;
  }

  /** Notes the link up a dimension from a chip, and the one back. */
  void join(int chip, int dimension, int link) {
    up[chip * torus.dimensions() + dimension] = link;
    down[torus.moved(chip, dimension, 1) * torus.dimensions() + dimension] = link ^ 1;
  }

  /** The channels from a chip towards another. */
  int[] towards(int chip, int target) {
    int[] found = new int[2 * torus.dimensions()];
    int count = 0;
    for (int dimension = 0; dimension < torus.dimensions(); dimension++) {
      int distance = torus.distance(chip, target, dimension);
      if (distance == 0) {
        continue;
      }
      boolean halfway = torus.isHalfway(chip, target, dimension);
      if (routing == Routing.DIMENSION_ORDER) {
        boolean upFromHalfway = torus.size().get(dimension) == 2 || torus.coordinate(chip, dimension) % 2 == 0;
        return new int[] {ordered(chip, target, dimension, halfway ? upFromHalfway : distance > 0)};
      }
      int left = torus.hops(chip, target) - 1;
      if (halfway || distance > 0) {
        found[count++] = TierPlan.channel(link(chip, dimension, true), left);
      }
      if (halfway || distance < 0) {
        found[count++] = TierPlan.channel(link(chip, dimension, false), left);
      }
    }
    return Arrays.copyOf(found, count);
  }

  /**
   * The number of the link by which a message leaves its chip: twice the dimension, plus 1 for down; where several
   * paths are shortest, that of the first; 0 within the chip.
   */
  int departure(int chip, int target) {
    if (chip == target) {
      return 0;
    }
    int first = TierPlan.linkOf(towards(chip, target)[0]);
    int departure = 0;
    while (link(chip, departure / 2, departure % 2 == 0) != first) {
      departure++;
    }
    return departure;
  }

  // Virtual channel 0 while the end of the ring is ahead, 1 otherwise.
  private int ordered(int chip, int target, int dimension, boolean upwards) {
    int from = torus.coordinate(chip, dimension);
    int to = torus.coordinate(target, dimension);
    boolean ahead = upwards ? from > to : from < to;
    boolean ring = datelines && torus.wrap() && torus.size().get(dimension) > 3;
    return TierPlan.channel(link(chip, dimension, upwards), ring && !ahead ? 1 : 0);
  }

  private int link(int chip, int dimension, boolean upwards) {
    return (upwards ? up : down)[chip * torus.dimensions() + dimension];
  }
}
