package dev.heddle.network.flow;

import dev.heddle.network.CompiledFabric;
import dev.heddle.spi.Link;
import dev.heddle.spi.QueuePolicy;
import dev.heddle.spi.Switch;
import dev.heddle.units.RandomStream;
import java.util.Arrays;

/**
 * The output queues of switches as fluids: the bytes that wait before each link, the room for them, and the hazard of a
 * mark for a packet that leaves.
 */
final class FluidQueues {
  /** The hazard of a packet that is marked for certain. */
  private static final double CERTAIN = 50;

  private static final double BITS_PS = 8e12;

  /** The part of the band of marks by which a queue may change in a step. */
  private static final double RESOLUTION = 0.125;

  private final boolean[] queues;
  private final double[] bytesPerPs;
  private final double[] low;
  private final double[] high;
  private final double[] probability;
  private final QueuePolicy[] policies;
  private final int[] inputs;
  // Per device, the largest buffer of an input that its neighbour has credits for.
  private final int[] credits;
  // Per device, the most bytes that come by one of its links after it has paused that: those of a round trip.
  private final double[] flying;
  private final int[] source;

  private final double[] level;
  private final double[] before;
  private final double[] fresh;
  private final double[] load;
  private final int[] flows;
  private final boolean[] isUsed;
  private int[] used = new int[64];
  private int usedCount;

  FluidQueues(FlowPlan plan) {
    queues = new boolean[plan.links];
    bytesPerPs = new double[plan.links];
    low = new double[plan.links];
    high = new double[plan.links];
    probability = new double[plan.links];
    policies = new QueuePolicy[plan.links];
    source = new int[plan.links];
    level = new double[plan.links];
    before = new double[plan.links];
    fresh = new double[plan.links];
    load = new double[plan.links];
    flows = new int[plan.links];
    isUsed = new boolean[plan.links];
    inputs = new int[plan.devices];
    credits = new int[plan.devices];
    flying = new double[plan.devices];
    for (int link = 0; link < plan.links; link++) {
      inputs[plan.linkTarget[link]]++;
      credits[plan.linkTarget[link]] = Math.max(credits[plan.linkTarget[link]], plan.buffer(link));
      describe(plan, link);
      flying[plan.linkTarget[link]] =
          Math.max(flying[plan.linkTarget[link]], 2 * bytesPerPs[link] * plan.latencyPs[link] + packets(plan, link));
    }
  }

  private void describe(FlowPlan plan, int link) {
    int device = plan.fabric.linkSource(link);
    source[link] = device;
    long rate = plan.specs[plan.spec[link]].rate().bitsPerSecond();
    bytesPerPs[link] = rate / BITS_PS;
    boolean carries = CompiledFabric.carriesTransport(plan.fabric, link, plan.specs[plan.spec[link]]);
    Switch forwarding = plan.fabric.bridges(device) ? null : plan.fabric.forwarding(device);
    queues[link] = carries && forwarding != null;
    QueuePolicy policy = forwarding == null ? QueuePolicy.UNLIMITED : forwarding.queuePolicy();
    policies[link] = policy;
    QueuePolicy.Marking marking = policy.marking().orElse(null);
    int next = plan.linkTarget[link];
    boolean last = plan.fabric.forwarding(next) == null || plan.fabric.bridges(next);
    low[link] = Double.MAX_VALUE;
    high[link] = Double.MAX_VALUE;
    if (marking != null && (marking.lastHop() || !last)) {
      low[link] = scaled(policy, rate, marking.minBytes());
      high[link] =
          marking.maxBytes() == Long.MAX_VALUE ? Double.MAX_VALUE : scaled(policy, rate, marking.maxBytes());
      probability[link] = marking.maxProbability();
    }
  }

  // A packet that was on the wire when the pause came, and one before which it could not be sent.
  private static double packets(FlowPlan plan, int link) {
    Link model = plan.specs[plan.spec[link]];
    return 2.0 * model.wireBytes(model.maxPayloadBytes(), 0);
  }

  private static double scaled(QueuePolicy policy, double rate, long bytes) {
    return policy.statedRate() == 0 ? bytes : rate / policy.statedRate() * bytes;
  }

  /** Whether packets wait before a link in a switch, not in a host. */
  boolean queues(int link) {
    return queues[link];
  }

  /** Begins a step: all queues are empty, and no flow is known. */
  void clear() {
    for (int i = 0; i < usedCount; i++) {
      int link = used[i];
      before[link] = level[link];
      level[link] = 0;
      flows[link] = 0;
      load[link] = 0;
    }
  }

  /** Ends a step: queues that no flow crosses are forgotten. */
  void forget() {
    int kept = 0;
    for (int i = 0; i < usedCount; i++) {
      if (flows[used[i]] > 0) {
        used[kept++] = used[i];
      } else {
        before[used[i]] = 0;
        level[used[i]] = 0;
        isUsed[used[i]] = false;
      }
    }
    usedCount = kept;
  }

  /** A flow crosses a link and takes a share of it. */
  void cross(int link, double share) {
    flows[link]++;
    load[link] += share;
    if (!isUsed[link]) {
      isUsed[link] = true;
      if (usedCount == used.length) {
        used = Arrays.copyOf(used, 2 * usedCount);
      }
      used[usedCount++] = link;
    }
  }

  /** Adds bytes to the queue before a link. */
  void add(int link, double bytes) {
    level[link] += bytes;
    fresh[link] += bytes;
  }

  /** The part of the bytes added since the last {@link #trim} for which the queue before a link has no room. */
  double excess(int link) {
    double over = level[link] - room(link);
    return over <= 0 || fresh[link] == 0 ? 0 : Math.min(1, over / fresh[link]);
  }

  /** Takes away what has no room. */
  void trim() {
    for (int i = 0; i < usedCount; i++) {
      int link = used[i];
      level[link] -= fresh[link] * excess(link);
      fresh[link] = 0;
    }
  }

  // Inputs that pause hold a share each of what they leave of the buffer together; else the queue itself does. None
  // holds more than the credits of its neighbour.
  private double room(int link) {
    QueuePolicy policy = policies[link];
    QueuePolicy.Pause pause = policy.pause().orElse(null);
    int count = pause == null ? 1 : Math.min(flows[link], inputs[source[link]]);
    double share = pause == null ? policy.queueShare() : pause.inputShare();
    double after = pause == null ? 0 : Math.min(pause.headroomBytes(), flying[source[link]]);
    double most = pause == null ? scaled(policy, bytesPerPs[link] * BITS_PS, policy.queueBytes())
        : pause.thresholdBytes() + after;
    double dynamic = policy.bufferBytes() == Long.MAX_VALUE ? Double.MAX_VALUE
        : share * policy.bufferBytes() / (1 + count * share) + after;
    double credit = (double) Math.min(flows[link], inputs[source[link]]) * credits[source[link]];
    return Math.min(credit, count * Math.min(most, dynamic));
  }

  /** Time for which a byte waits before a link, in picoseconds. */
  double delayPs(int link) {
    return level[link] / bytesPerPs[link];
  }

  /** The hazard of a mark for a packet that leaves by a link: the negative logarithm of the chance to have none. */
  double hazard(int link) {
    double queued = level[link];
    if (queued <= low[link]) {
      return 0;
    }
    if (queued > high[link]) {
      return CERTAIN;
    }
    double chance = high[link] == Double.MAX_VALUE ? probability[link]
        : probability[link] * (queued - low[link]) / (high[link] - low[link]);
    return chance >= 1 ? CERTAIN : Math.min(CERTAIN, -Math.log1p(-chance));
  }

  /**
   * Time for which a packet of a paced flow waits before a link, in picoseconds: behind a standing queue, with the
   * deviation of the others from their fluids, whose packets come at random phases; else for the rest of the packet
   * on the wire, if there is one.
   *
   * @param part of the last step after which it comes, 0 to 1
   */
  double waitPs(int link, double packetBytes, double part, RandomStream random) {
    double packet = packetBytes / bytesPerPs[link];
    double queued = before[link] + part * (level[link] - before[link]);
    if (queued < packetBytes) {
      return residualPs(link, packetBytes, random);
    }
    // Each of the others is ahead or behind by half a packet at most; their sum is nearly normal.
    double deviation = Math.sqrt((flows[link] - 1) / 12.0) * packet;
    double normal = 2 * (random.nextDouble() + random.nextDouble() + random.nextDouble() - 1.5);
    return Math.max(0, queued / bytesPerPs[link] + deviation * normal);
  }

  /** Time for which a packet that goes first waits for the one on the wire, in picoseconds. */
  double residualPs(int link, double packetBytes, RandomStream random) {
    return random.nextDouble() < load[link] ? random.nextDouble() * packetBytes / bytesPerPs[link] : 0;
  }

  /** The longest time in which no queue leaves an eighth of its band of marks, at the pace of the last step. */
  double stepPs(double lastPs, double fallbackPs) {
    double step = Double.MAX_VALUE;
    for (int i = 0; i < usedCount; i++) {
      int link = used[i];
      double change = Math.abs(level[link] - before[link]) / lastPs;
      double band = high[link] == Double.MAX_VALUE ? fallbackPs * bytesPerPs[link] : high[link];
      if (change > 0) {
        step = Math.min(step, RESOLUTION * band / change);
      }
    }
    return step;
  }
}
