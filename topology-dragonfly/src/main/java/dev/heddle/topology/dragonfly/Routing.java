package dev.heddle.topology.dragonfly;

import dev.heddle.tier.TierPlan;

/** How a message finds its way between groups. */
public enum Routing {
  /** By a shortest way; one of several by a hash of source, destination and message. */
  MINIMAL(false, TierPlan.Selection.MESSAGE_HASH),
  /** By way of a group, or within a group of a switch, that is drawn at random for every unit [Valiant 1982]. */
  VALIANT(true, TierPlan.Selection.RANDOM),
  /** By a shortest way, unless its queue is more than twice that of such a detour [Kim et al. 2008]. */
  UGAL(true, TierPlan.Selection.UGAL);

  private final boolean detours;
  private final TierPlan.Selection selection;

  Routing(boolean detours, TierPlan.Selection selection) {
    this.detours = detours;
    this.selection = selection;
  }

  /** Whether a message may go by way of another group. */
  boolean detours() {
    return detours;
  }

  TierPlan.Selection selection() {
    return selection;
  }

  /** The virtual channels of a link within a group: before, in and after the other group, or before and after. */
  int localChannels() {
    return detours ? 3 : 2;
  }

  /** The virtual channels of a link between groups. */
  int globalChannels() {
    return detours ? 2 : 1;
  }
}
