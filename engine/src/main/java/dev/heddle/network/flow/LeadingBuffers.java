package dev.heddle.network.flow;

import dev.heddle.internal.collect.FairShare;

/** The room that the first links of a path have for the rest of a message, so that the next one may follow it. */
final class LeadingBuffers {
  private static final int NONE = -1;

  /** The share of a full link from which a message has it for itself: acknowledgements take 1 to 2 %. */
  private static final double ALONE = 0.9;

  private final FlowPlan plan;
  private final FairShare shares;
  private final CreditPools pools;

  LeadingBuffers(FlowPlan plan, FairShare shares, CreditPools pools) {
    this.pools = pools;
    this.plan = plan;
    this.shares = shares;
  }

  /**
   * Whether a message fits all buffers of its path, were they empty, or leaves a memory, whose engines turn off early:
   * the least condition for another to begin before it has left, which spares a search for the other's path.
   */
  boolean fit(long bytes, int flow, int hops) {
    if (plan.isMemory(shares.link(flow, 0))) {
      return true;
    }
    long room = 0;
    for (int hop = 0; hop < hops; hop++) {
      room += plan.buffer(shares.link(flow, hop));
    }
    return bytes <= room;
  }

  /**
   * A flow's share of the buffers of its leading links; -1 where one of them limits it, as packets of one source keep
   * their order.
   */
  double room(int flow, int leading, double rate) {
    double room = 0;
    for (int i = 0; i < leading; i++) {
      if (limits(flow, i, rate)) {
        return NONE;
      }
      room += ofLink(shares.link(flow, i));
    }
    return room;
  }

  /** A crossing's share of the buffer behind a link. */
  double ofLink(int link) {
    return plan.buffer(link) / shares.crossings(link);
  }

  /**
   * Whether a link limits a message: the link that the solver names, or whose credits it names, or a full one that it
   * has for itself but for acknowledgements, which fill both ends of an exchange at once.
   */
  boolean limits(int flow, int hop, double rate) {
    int link = shares.link(flow, hop);
    double own = shares.weight(flow, hop) / shares.crossings(flow, hop);
    return pools.crossed(shares.bottleneck(flow)) == link || rate * own >= ALONE && shares.isFull(link);
  }
}
