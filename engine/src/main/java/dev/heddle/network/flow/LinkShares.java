package dev.heddle.network.flow;

import dev.heddle.internal.collect.FairShare;

/** The part of each link that flows take, told to the packets beside them, which have the part of a flow at least. */
final class LinkShares {
  private final FairShare shares;
  private final PacketHost host;
  private final double[] taken;
  private final int[] flows;

  LinkShares(FairShare shares, PacketHost host, int links) {
    this.shares = shares;
    this.host = host;
    taken = new double[links];
    flows = new int[links];
  }

  /** Whether no flow crosses a link. */
  boolean isFree(int link) {
    return flows[link] == 0;
  }

  /** A flow has begun. */
  void begin(int flow) {
    for (int i = 0; i < shares.links(flow); i++) {
      int link = shares.link(flow, i);
      if (link < flows.length) {
        flows[link]++;
      }
    }
  }

  /** The rate of a flow changes. */
  void change(int flow, double by) {
    for (int i = 0; i < shares.links(flow); i++) {
      int link = shares.link(flow, i);
      if (link < flows.length) {
        taken[link] += by * shares.weight(flow, i);
        tell(link);
      }
    }
  }

  /** A flow is about to end. */
  void end(int flow) {
    double rate = shares.rate(flow);
    for (int i = 0; i < shares.links(flow); i++) {
      int link = shares.link(flow, i);
      if (link < flows.length) {
        flows[link]--;
        taken[link] = flows[link] == 0 ? 0 : taken[link] - rate * shares.weight(flow, i);
        tell(link);
      }
    }
  }

  private void tell(int link) {
    double most = flows[link] / (flows[link] + 1.0);
    host.room(link, 1 - Math.max(0, Math.min(most, taken[link])));
  }
}
