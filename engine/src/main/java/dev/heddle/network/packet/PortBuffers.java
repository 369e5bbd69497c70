package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import dev.heddle.fabric.Fabric;
import dev.heddle.internal.collect.EventQueue;
import dev.heddle.network.WireTimeCache;
import dev.heddle.spi.QueuePolicy;

/**
 * The buffers of a partition's switches: room for packets, and pauses of inputs that have none left. An input is a
 * channel: each traffic class of a link has thresholds, headroom and pauses of its own.
 */
final class PortBuffers {
  private static final int NONE = NetworkState.NONE;

  private final Partition partition;
  private final NetworkPlan plan;
  private final RunContext setup;
  private final Links links;
  private final VirtualChannels channels;
  private final PortState ports;
  private final EventQueue queue;
  private final WireTimeCache times;

  PortBuffers(Partition partition, NetworkPlan plan, NetworkState state, RunContext setup) {
    this.partition = partition;
    this.plan = plan;
    this.setup = setup;
    links = state.links;
    channels = state.channels;
    ports = state.ports();
    queue = partition.queue;
    times = partition.times;
  }

  /** Whether a packet of a class that is not paused has room in the queue of a channel. */
  boolean fits(QueuePolicy policy, int device, int channel, int bytes) {
    long room = policy.bufferBytes() - ports.bufferBytes[device];
    return ports.queueBytes[channel] + bytes <= atRate(policy, plan.channelLink[channel], policy.queueBytes())
        && bytes <= room
        && (policy.bufferBytes() == Long.MAX_VALUE || ports.queueBytes[channel] < policy.queueShare() * room);
  }

  /** A threshold of a policy at the output to a link, in bytes: in proportion to its rate, if it is stated for one. */
  long atRate(QueuePolicy policy, int link, long bytes) {
    if (policy.statedRate() == 0 || bytes == Long.MAX_VALUE) {
      return bytes;
    }
    return (long) ((double) plan.specs[links.spec(link)].rate().bitsPerSecond() / policy.statedRate() * bytes);
  }

  /** Takes room for a packet of an input, in the shared buffer or else in its headroom; whether there is any. */
  boolean reserve(QueuePolicy.Pause pause, int device, int input, int bytes) {
    long shared = ports.inputBytes[input] - ports.headroomBytes[input];
    long room = ports.policy[device].bufferBytes() - ports.bufferBytes[device];
    if (shared + bytes <= threshold(pause, room) && bytes <= room && ports.headroomBytes[input] == 0) {
      ports.bufferBytes[device] += bytes;
    } else if (ports.headroomBytes[input] + bytes <= pause.headroomBytes()) {
      ports.headroomBytes[input] += bytes;
    } else {
      return false;
    }
    ports.inputBytes[input] += bytes;
    return true;
  }

  /** Pauses an input that is beyond its threshold. */
  void pauseIfFull(QueuePolicy.Pause pause, int device, int input) {
    long room = ports.policy[device].bufferBytes() - ports.bufferBytes[device];
    boolean full = ports.headroomBytes[input] > 0 || ports.inputBytes[input] >= threshold(pause, room);
    if (full && !ports.pausing[input]) {
      ports.pausing[input] = true;
      ports.pauses[channels.link(input)]++;
      signal(input, true);
    }
  }

  private static long threshold(QueuePolicy.Pause pause, long room) {
    double dynamic = Math.max(0, pause.inputShare() * room);
    return dynamic >= pause.thresholdBytes() ? pause.thresholdBytes() : (long) dynamic;
  }

  // A pause frame waits for the frame on the wire, and takes its own time there.
  private void signal(int input, boolean on) {
    int link = channels.link(input);
    int back = Fabric.opposite(link);
    int slot = times.slot(links.spec(back), 0, 0);
    long arrival = Math.max(queue.now(), links.freeAt(back)) + times.wirePs(slot) + links.latencyPs(back);
    // Two frames that wait for the same one on the wire arrive in their order.
    long time = Math.max(arrival, ports.signalledAt[link] + 1);
    ports.signalledAt[link] = time;
    int argument = Events.pause(input - links.firstChannel(link), on);
    int owner = setup.partitionOf[links.source(link)];
    if (owner == partition.number) {
      queue.push(time, Events.pack(Events.CONTROL, link, argument));
    } else {
      partition.outbox[owner].pause(time, link, argument);
    }
  }

  /**
   * Frees the buffer that a packet leaves, and lets its input go on.
   *
   * @param channel in whose queue it was
   * @param bytes that it held; 0 for one that took no room
   * @param input by which it came; {@link NetworkState#NONE} where the buffer has no limit
   */
  void free(int device, int channel, int bytes, int input) {
    if (bytes == 0) {
      return;
    }
    ports.queueBytes[channel] -= bytes;
    if (input == NONE) {
      return;
    }
    QueuePolicy policy = ports.policy[device];
    if (!ports.pausable[input]) {
      ports.bufferBytes[device] -= bytes;
      return;
    }
    QueuePolicy.Pause pause = policy.pause().orElseThrow();
    long fromHeadroom = Math.min(bytes, ports.headroomBytes[input]);
    ports.headroomBytes[input] -= fromHeadroom;
    ports.bufferBytes[device] -= bytes - fromHeadroom;
    ports.inputBytes[input] -= bytes;
    if (ports.pausing[input] && ports.headroomBytes[input] == 0) {
      long threshold = threshold(pause, policy.bufferBytes() - ports.bufferBytes[device]);
      if (ports.inputBytes[input] == 0 || ports.inputBytes[input] + pause.resumeBytes() <= threshold) {
        ports.pausing[input] = false;
        signal(input, false);
      }
    }
  }
}
