package dev.heddle.topology.dragonfly;

import dev.heddle.tier.TierPlan;

/** The routing of messages between groups. */
public enum Routing {
  /** By a shortest path; one of several by a hash of source, destination and message. */
  MINIMAL(false, TierPlan.Selection.MESSAGE_HASH),
  /** Through a group, or within a group through a switch, that is drawn at random for every burst [Valiant 1982]. */
  VALIANT(true, TierPlan.Selection.RANDOM),
  /** By a shortest path, unless its queue is more than twice that of such a detour [Kim et al. 2008]. */
  UGAL(true, TierPlan.Selection.UGAL);

  private final boolean detours;
  private final TierPlan.Selection selection;

  Routing(boolean detours, TierPlan.Selection selection) {
    this.detours = detours;
    this.selection = selection;
  }

  /** Whether a message may take a path through another group. */
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
