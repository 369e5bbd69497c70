package dev.heddle.network.flow;

import dev.heddle.network.LinkCounters;

/** Counters of all links, each of which has those of the representative of its class. */
record FoldedCounters(Folding folding, LinkCounters representatives) implements LinkCounters {
  @Override
  public long busyPs(int link) {
    return representatives.busyPs(folding.link(link));
  }

  @Override
  public long stallPs(int link) {
    return representatives.stallPs(folding.link(link));
  }

  @Override
  public long payloadBytes(int link) {
    return representatives.payloadBytes(folding.link(link));
  }

  @Override
  public long units(int link) {
    return representatives.units(folding.link(link));
  }

  @Override
  public long maxQueuedBytes(int link) {
    return representatives.maxQueuedBytes(folding.link(link));
  }
}
