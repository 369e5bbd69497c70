package dev.heddle.network.packet;

import java.util.Arrays;

/**
 * The mutable state of links, channels and queues. Every entry belongs to one partition, which alone reads and writes
 * it: that of the link's source for transmitters and credits, that of the device for queues and requests.
 */
final class SharedState {
  static final int NONE = -1;

  final Links links;
  final Channels channels;

  /** Per output channel, one bit for each requester of its device. */
  final long[] requests;

  /** Per queue its first unit (high 32) and its last (low 32). */
  final long[] queues;

  SharedState(NetworkPlan plan) {
    links = new Links(plan);
    channels = new Channels(plan);
    requests = new long[plan.requestWordCount];
    queues = new long[plan.queues];
    Arrays.fill(queues, -1);
  }

  /** The first unit of a queue; {@link #NONE} when it is empty. */
  int head(int queue) {
    return (int) (queues[queue] >> 32);
  }
}
