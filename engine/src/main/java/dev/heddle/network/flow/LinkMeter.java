package dev.heddle.network.flow;

import dev.heddle.network.LinkCounters;
import dev.heddle.network.Meter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The payload, busy time and queues of links within the measured window. */
final class LinkMeter implements LinkCounters {
  private final Meter window;
  private final FairShare shares;
  private final FlowPlan plan;
  private final double[] busyPs;
  private final double[] payloadBytes;
  private final long[] messages;
  private final long[] queuedBytes;
  private final long[] maxQueuedBytes;

  // Per flow: the part of its payload that each link carries, where it is sprayed; else null.
  private double[] @Nullable [] parts = new double[64][];

  LinkMeter(FlowPlan plan, Meter window, FairShare shares) {
    int links = plan.links;
    this.plan = plan;
    this.window = window;
    this.shares = shares;
    busyPs = new double[links];
    payloadBytes = new double[links];
    messages = new long[links];
    queuedBytes = new long[links];
    maxQueuedBytes = new long[links];
  }

  /** Messages have come to wait for a link, or, with a negative sign, have passed it. */
  void queue(int link, long bytes) {
    long queued = queuedBytes[link] + bytes;
    queuedBytes[link] = queued;
    if (queued > maxQueuedBytes[link]) {
      maxQueuedBytes[link] = queued;
    }
  }

  /** Notes how a new flow divides among its links. */
  void divide(int flow, PathPlanner path) {
    boolean sprayed = path.hops() > path.pathHops();
    note(flow, sprayed ? Arrays.copyOf(path.parts(), path.hops()) : null);
  }

  /** Notes that all payload of a new flow crosses each of its links. */
  void undivided(int flow) {
    note(flow, null);
  }

  private void note(int flow, double @Nullable [] divided) {
    if (flow >= parts.length) {
      parts = Arrays.copyOf(parts, Math.max(flow + 1, 2 * parts.length));
    }
    parts[flow] = divided;
  }

  /** A message begins to cross its links. */
  void begin(int flow, int hops, long now) {
    if (window.within(now)) {
      for (int hop = 0; hop < hops; hop++) {
        messages[shares.link(flow, hop)]++;
      }
    }
  }

  /**
   * A flow has run at its rate for a time; of its links, the first {@code hops} carried its payload, and those that no
   * device has stand for its limit.
   */
  void carried(int flow, int hops, long start, long end) {
    long clipped = window.clip(start, end);
    if (clipped == 0) {
      return;
    }
    double bytes = shares.rate(flow) * clipped;
    double @Nullable [] divided = parts[flow];
    for (int i = 0; i < shares.links(flow); i++) {
      int link = shares.link(flow, i);
      if (link >= busyPs.length) {
        continue;
      }
      busyPs[link] += bytes * shares.weight(flow, i);
      if (i < hops) {
        payloadBytes[link] +=
            bytes * (divided == null ? plan.crossings(link, shares.weight(flow, i)) : divided[i]);
      }
    }
  }

  /** A collective begins on links that it has for itself. */
  void begin(LinkLoad footprint, long now) {
    if (window.within(now)) {
      for (int i = 0; i < footprint.links(); i++) {
        messages[footprint.link(i)] += footprint.messages(i);
      }
    }
  }

  /** A share of a collective's work was done on links that it had for itself. */
  void carried(LinkLoad footprint, double share, long start, long end) {
    long clipped = window.clip(start, end);
    if (clipped == 0) {
      return;
    }
    double within = share * clipped / (end - start);
    for (int i = 0; i < footprint.links(); i++) {
      busyPs[footprint.link(i)] += within * footprint.busyPs(i);
      payloadBytes[footprint.link(i)] += within * footprint.payloadBytes(i);
    }
  }

  @Override
  public long busyPs(int link) {
    return Math.round(busyPs[link]);
  }

  @Override
  public long stallPs(int link) {
    return 0;
  }

  @Override
  public long payloadBytes(int link) {
    return Math.round(payloadBytes[link]);
  }

  @Override
  public long units(int link) {
    return messages[link];
  }

  @Override
  public long maxQueuedBytes(int link) {
    return maxQueuedBytes[link];
  }
}
