package dev.heddle.network.flow;

import dev.heddle.internal.collect.FairShare;
import dev.heddle.network.InvariantViolation;
import dev.heddle.network.Meter;
import dev.heddle.observe.NetworkObserver;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Traffic of links that flows carry at changing rates. */
final class LinkMeter extends LinkTraffic {
  private static final double TOLERANCE = 1e-6;

  private final FairShare shares;
  private final FlowPlan plan;

  // Per flow: the part of its payload that each link carries, where it is sprayed; else null.
  private double[] @Nullable [] parts = new double[64][];

  LinkMeter(FlowPlan plan, Meter window, FairShare shares) {
    super(plan.links, window);
    this.plan = plan;
    this.shares = shares;
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
        messages[shares.link(flow, hop)] += shares.crossings(flow, hop);
      }
    }
  }

  /** Tells an observer that a message has crossed its links. */
  void report(NetworkObserver observer, int flow, int hops, long since, long now, int bytes) {
    for (int hop = 0; hop < hops; hop++) {
      int link = shares.link(flow, hop);
      observer.transmitted(link, plan.firstChannel[link], since, now, bytes);
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
        double crossings = shares.crossings(flow, i);
        payloadBytes[link] += bytes
            * (divided == null ? crossings * plan.crossings(link, shares.weight(flow, i) / crossings) : divided[i]);
      }
    }
  }

  /** A link of the fabric was busy for some time within a span, besides what flows took. */
  void busy(int link, double ps, long start, long end) {
    if (end > start) {
      busyPs[link] += ps * window.clip(start, end) / (end - start);
    }
  }

  /**
   * Checks at the end of a run that no byte was lost or made, and that no link carries more than it can.
   *
   * @param waiting bytes at their sources
   * @param flying bytes under way
   * @param places messages too many in the injection queues
   * @throws InvariantViolation when one was, or one does
   */
  void check(long waiting, long flying, int places) {
    if (places != 0 || window.totalSubmittedBytes() != window.totalDeliveredBytes() + waiting + flying) {
      throw new InvariantViolation(
          "bytes are not conserved: " + window.totalSubmittedBytes() + " submitted, " + window.totalDeliveredBytes()
              + " delivered, " + waiting + " at their sources, " + flying + " under way; " + places
              + " messages too many in the injection queues");
    }
    for (int link = 0; link < plan.links; link++) {
      if (shares.usage(link) > 1 + TOLERANCE) {
        throw new InvariantViolation(
            "link " + plan.fabric.linkName(link) + " carries " + shares.usage(link) + " times what it can");
      }
    }
  }
}
