package dev.heddle.network.packet;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The mutable state of links, channels and queues. Every entry belongs to one partition, which alone reads and writes
 * it: that of the link's source for transmitters and credits, that of the device for queues and requests.
 */
final class NetworkState {
  static final int NONE = -1;

  private final NetworkPlan plan;
  final Links links;
  final VirtualChannels channels;

  final Requests requests;

  // Where a transport protocol runs, else null.
  private final @Nullable PortState ports;

  /** Per queue its first unit (high 32) and its last (low 32). */
  private final long[] queues;

  NetworkState(NetworkPlan plan) {
    this.plan = plan;
    links = new Links(plan);
    channels = new VirtualChannels(plan);
    requests = new Requests(links, channels, plan);
    ports = plan.transports ? new PortState(plan) : null;
    queues = new long[plan.queues];
    Arrays.fill(queues, -1);
  }

  /** The queues under a transport protocol; there must be one. */
  PortState ports() {
    return Objects.requireNonNull(ports, "no transport protocol runs");
  }

  /** The last unit of a queue; {@link #NONE} when it is empty. */
  int tail(int queue) {
    return (int) queues[queue];
  }

  /** The first unit of a queue; {@link #NONE} when it is empty. */
  int head(int queue) {
    return (int) (queues[queue] >> 32);
  }

  /** Adds a unit at the end of a queue; whether the queue was empty before. */
  boolean append(PacketTable units, int queue, int unit) {
    units.next(unit, NONE);
    long ends = queues[queue];
    int tail = (int) ends;
    if (tail == NONE) {
      queues[queue] = (long) unit << 32 | unit;
      return true;
    }
    queues[queue] = (ends & 0xFFFFFFFF00000000L) | unit;
    units.next(tail, unit);
    return false;
  }

  /** Adds a unit at the end of a queue whose order is kept elsewhere; the unit before it, or {@link #NONE}. */
  int append(int queue, int unit) {
    long ends = queues[queue];
    int tail = (int) ends;
    queues[queue] = (tail == NONE ? (long) unit << 32 : ends & 0xFFFFFFFF00000000L) | unit;
    return tail;
  }

  /** Takes the first unit out of a queue whose order is kept elsewhere; the next is another, or {@link #NONE}. */
  void removeHead(int queue, int next) {
    queues[queue] = next == NONE ? -1 : (long) next << 32 | queues[queue] & 0xFFFFFFFFL;
  }

  /** Takes the first unit out of a queue; whether the queue holds more. */
  boolean removeHead(PacketTable units, int queue) {
    long ends = queues[queue];
    int next = units.next((int) (ends >> 32));
    if (next == NONE) {
      queues[queue] = -1;
      return false;
    }
    queues[queue] = (long) next << 32 | (ends & 0xFFFFFFFFL);
    return true;
  }

  /** Reads the state of a link, its channels and the queues for them, once a cache line. */
  long sweep(int link) {
    long sum = links.sweep(link);
    int first = links.firstChannel(link);
    int requesters = plan.requesters[links.source(link)];
    for (int channel = first; channel < first + links.channelCount(link); channel++) {
      sum += channels.sweep(channel) + requests.word(channel, 0);
      int queue = channels.firstVirtualQueue(channel);
      int end = Math.min(queue + requesters, queues.length);
      for (int at = queue; at < end; at += CacheSweep.LINE) {
        sum += queues[at];
      }
    }
    return sum;
  }

  /** Whether anything waits for a link. */
  boolean hasRequests(int link) {
    if (requests.asked(link) != 0) {
      return true;
    }
    if (plan.buffering[links.source(link)] == NetworkPlan.OUTPUT) {
      int base = links.firstChannel(link);
      for (int channel = base; channel < base + links.channelCount(link); channel++) {
        if (head(plan.firstOutputQueue + channel) != NONE) {
          return true;
        }
      }
    }
    return false;
  }
}
