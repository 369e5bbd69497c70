package dev.heddle.network.packet;

import org.jspecify.annotations.Nullable;

/**
 * The order of traffic classes at the outputs of switches: classes of strict priority first, the highest before the
 * others; the rest share a link by their weights, by start-time fair queueing [Goyal, Vin and Cheng, SIGCOMM 1996].
 * Times of the queueing are bytes by weight.
 */
final class ClassScheduler {
  // Bytes over weights are kept as whole numbers: weights are at most 1000, so that a part of 10^-3 remains.
  private static final long SCALE = 1 << 20;

  private final NetworkPlan plan;
  // Per device the weights of its classes; null where classes take turns.
  private final int[] @Nullable [] weights;
  // Per link the start of the packet that was served last, per channel the end of the class's last one.
  private final long[] started;
  private final long[] finished;

  ClassScheduler(NetworkPlan plan) {
    this.plan = plan;
    weights = plan.weights;
    boolean any = plan.classes > 1;
    started = new long[any ? plan.links : 0];
    finished = new long[any ? plan.channels : 0];
  }

  /** Whether the classes of a device are ordered; otherwise the channels of its links take turns. */
  boolean orders(int device) {
    return weights[device] != null;
  }

  private int classOf(int link, int channel) {
    return (channel - plan.firstChannel[link]) / Math.max(1, plan.channelsPerClass[link]);
  }

  private int weight(int link, int ofClass) {
    int[] own = weights[plan.linkSource[link]];
    return own == null ? 1 : own[Math.min(ofClass, own.length - 1)];
  }

  /** Whether the packet of a channel goes before that of another, whose turn would be earlier. */
  boolean precedes(int link, int channel, int other) {
    int one = classOf(link, channel);
    int two = classOf(link, other);
    boolean strict = weight(link, one) == 0;
    boolean otherStrict = weight(link, two) == 0;
    if (strict || otherStrict) {
      return strict && (!otherStrict || one > two);
    }
    return start(link, one) < start(link, two);
  }

  private long start(int link, int ofClass) {
    return Math.max(started[link], finished[plan.firstChannel[link] + ofClass]);
  }

  /** A channel of a device that orders its classes is served. */
  void serves(int link, int channel, long bytes) {
    int ofClass = classOf(link, channel);
    int weight = weight(link, ofClass);
    if (weight > 0) {
      long start = start(link, ofClass);
      started[link] = start;
      finished[plan.firstChannel[link] + ofClass] = start + bytes * SCALE / weight;
    }
  }
}
