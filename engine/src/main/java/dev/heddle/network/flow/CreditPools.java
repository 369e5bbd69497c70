package dev.heddle.network.flow;

import dev.heddle.internal.collect.FairShare;
import java.util.Arrays;

/**
 * The credits of each virtual channel as a link of their own in the max-min solution, shared by all its flows: the
 * share taken of it is the part of the receiver's buffer that they hold, on the average over a round of the credits.
 *
 * <p>Credits that are there when a message begins let it go at the rate of the link. So the part of it that they cover
 * takes the time of the wire, the rest that of the loop; a message that they cover whole has no limit. Credits taken at
 * once come back evenly over a round, from when that part has left; those of flows are out as their rates say.
 */
final class CreditPools {
  private static final int NONE = FairShare.NONE;

  private final FairShare shares;
  private final FlowPlan plan;

  // By channel, its pool; by link of the solution beyond those of the fabric, its pool.
  private final int[] poolOf;
  private int[] poolOfLink = new int[0];

  // By pool: its link in the solution and that of the fabric; the part of the buffer that was taken at once, the time
  // from which on it comes back, and the round of the credits.
  private int count;
  private int[] linkOf = new int[16];
  private int[] crossed = new int[16];
  private double[] taken = new double[16];
  private long[] takenAt = new long[16];
  private double[] roundPs = new double[16];

  CreditPools(FlowPlan plan, FairShare shares) {
    this.plan = plan;
    this.shares = shares;
    poolOf = new int[plan.channels];
    Arrays.fill(poolOf, NONE);
  }

  private int pool(int channel, int link) {
    if (poolOf[channel] != NONE) {
      return poolOf[channel];
    }
    int pool = count++;
    if (pool == linkOf.length) {
      linkOf = Arrays.copyOf(linkOf, 2 * pool);
      crossed = Arrays.copyOf(crossed, 2 * pool);
      taken = Arrays.copyOf(taken, 2 * pool);
      takenAt = Arrays.copyOf(takenAt, 2 * pool);
      roundPs = Arrays.copyOf(roundPs, 2 * pool);
    }
    poolOf[channel] = pool;
    linkOf[pool] = shares.addLink();
    crossed[pool] = link;
    roundPs[pool] = 1;
    int place = linkOf[pool] - plan.links;
    if (place >= poolOfLink.length) {
      int old = poolOfLink.length;
      poolOfLink = Arrays.copyOf(poolOfLink, Math.max(64, 2 * place));
      Arrays.fill(poolOfLink, old, poolOfLink.length, NONE);
    }
    poolOfLink[place] = pool;
    return pool;
  }

  private int poolOfLink(int link) {
    int place = link - plan.links;
    return place < 0 || place >= poolOfLink.length ? NONE : poolOfLink[place];
  }

  /** The link of the fabric for whose credits a link of the solution stands; itself where it stands for none. */
  int crossed(int link) {
    int pool = poolOfLink(link);
    return pool == NONE ? link : crossed[pool];
  }

  /** Lets a message that begins take what credits there are, and adds the pools of the others to its links. */
  void enter(PathPlanner planned, double bytes, long now) {
    CreditedLinks credited = planned.credited;
    for (int i = 0; i < credited.count; i++) {
      int pool = pool(credited.channels[i], credited.links[i]);
      double volume = credited.carried[i] * bytes;
      double free = Math.max(0, 1 - taken(pool, now) - shares.usage(linkOf[pool]));
      double covered = Math.min(volume, free * credited.buffers[i]);
      taken[pool] = Math.min(1, taken[pool] + credited.crossings[i] * covered / credited.buffers[i]);
      takenAt[pool] = Math.max(takenAt[pool], now + (long) (covered * credited.times[i]));
      roundPs[pool] = credited.rounds[i];
      if (covered < volume) {
        planned.enter(
            linkOf[pool], credited.crossings[i] * credited.occupiedPs(i, bytes, free) / bytes, credited.crossings[i]);
      }
    }
  }

  /** Adds the pools of a pipeline to its links. */
  void enter(CoupledFlow way) {
    CreditedLinks credited = way.credited;
    for (int i = 0; i < credited.count; i++) {
      if (credited.times[i] > 0) {
        int pool = pool(credited.channels[i], credited.links[i]);
        way.enter(linkOf[pool], credited.crossings[i] * credited.times[i]);
      }
    }
  }

  // The part of a pool that was taken at once and is not back.
  private double taken(int pool, long now) {
    if (now > takenAt[pool]) {
      taken[pool] = Math.max(0, taken[pool] - (now - takenAt[pool]) / roundPs[pool]);
      takenAt[pool] = now;
    }
    return taken[pool];
  }

  /** A flow is about to end: the credits that it has out come back over a round. */
  void leave(int flow, long now) {
    for (int i = shares.links(flow) - 1; i >= 0 && shares.link(flow, i) >= plan.links; i--) {
      int pool = poolOfLink(shares.link(flow, i));
      if (pool != NONE) {
        taken[pool] = Math.min(1, taken(pool, now) + shares.rate(flow) * shares.weight(flow, i));
      }
    }
  }
}
