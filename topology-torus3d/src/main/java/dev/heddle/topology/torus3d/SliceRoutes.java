package dev.heddle.topology.torus3d;

import dev.heddle.tier.RouteFunction;
import dev.heddle.tier.TierPlan;
import java.util.Arrays;

/**
 * Routes of a slice: over chips in dimension order on a shortest path, and over hosts to CPUs and NICs. Around a ring a
 * message takes virtual channel 0 while it has yet to pass the ring's first chip (the dateline), then 1 [Dally, Seitz
 * 1987], so that no cycle of channels can wait for itself: within an axis by the dateline, between axes by their order.
 * Traffic between a CPU and chips crosses chips like any other, and hosts forward it to nothing but their NICs.
 */
final class SliceRoutes implements RouteFunction {
  private final Lattice lattice;
  private final Displacements displacements;
  private final boolean datelines;
  private final Places places;
  private final Links links;
  private final int endOfJoints;

  /**
   * The places of a slice's terminals.
   *
   * @param chip of each terminal that is one, by number; -1 of others
   * @param host of each terminal: that of a chip, a CPU, a NIC; -1 without hosts
   * @param firstChip of each host
   * @param nic whether a terminal is a NIC
   */
  record Places(int[] chip, int[] host, int[] firstChip, boolean[] nic) {}

  /**
   * Directed links; -1 where there is none.
   *
   * @param up of each chip and axis: the link up the axis
   * @param down of each chip and axis: the link down
   * @param host of each chip: the link to its host
   * @param nic of each terminal that is a NIC: the link to its host
   */
  record Links(int[] up, int[] down, int[] host, int[] nic) {}

  SliceRoutes(Lattice lattice, boolean datelines, Places places, Links links) {
    this.lattice = lattice;
    this.datelines = datelines;
    this.places = places;
    this.links = links;
    displacements = new Displacements(lattice);
    // Links between chips come first.
    endOfJoints = Arrays.stream(links.up()).max().orElse(0) + 2;
  }

  @Override
  public int candidates(int device, int arrivedBy, int terminal, int[] into) {
    into[0] = channel(device, terminal);
    return 1;
  }

  private int channel(int device, int terminal) {
    int chip = places.chip()[device];
    int target = places.chip()[terminal];
    int host = places.host()[terminal];
    if (chip >= 0) {
      boolean leaves = target < 0 && host == places.host()[device];
      return leaves ? TierPlan.channel(links.host()[chip], 0)
          : towards(chip, target >= 0 ? target : places.firstChip()[host]);
    }
    if (places.nic()[device]) {
      return TierPlan.channel(links.nic()[device], 0);
    }
    int own = places.host()[device];
    if (host == own && target < 0) {
      return TierPlan.channel(links.nic()[terminal] ^ 1, 0);
    }
    return TierPlan.channel(links.host()[host == own ? target : places.firstChip()[own]] ^ 1, 0);
  }

  private int towards(int chip, int target) {
    int entry = displacements.entry(chip, target);
    int axis = displacements.axis(entry);
    int steps = displacements.steps(entry);
    int position = lattice.ringPosition(chip, axis) + steps;
    boolean ring = datelines && lattice.wrap().get(axis) && lattice.ringLength(axis) > 3;
    boolean ahead = position < 0 || position >= lattice.ringLength(axis);
    int link = (steps > 0 ? links.up() : links.down())[chip * Lattice.AXES + axis];
    return TierPlan.channel(link, ring && !ahead ? 1 : 0);
  }

  @Override
  public int shortest(int device, int arrivedBy, int terminal) {
    return 1;
  }

  @Override
  public int most() {
    return 1;
  }

  @Override
  public int virtualChannels(int link) {
    return link < endOfJoints && lattice.needsDatelines() ? 2 : 1;
  }
}
