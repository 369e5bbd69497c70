package dev.heddle.network.packet;

import dev.heddle.spi.QueuePolicy;
import dev.heddle.spi.Switch;

/**
 * Queues of the devices over which a transport protocol runs, and their counters. The entries of a link's output queue
 * belong to the partition of its source, those of its input at a switch to that of its target.
 */
final class PortState {
  /** Per channel: data bytes in the queue before it. */
  final long[] queueBytes;
  /** Per link that defers departures: bytes of data in its queue up to which none is marked. */
  final long[] deferredBytes;
  /** Per link that defers departures: most bytes of data in its queue. */
  final long[] deferredRoom;
  /** Per link: bytes sent in all. */
  final long[] sentBytes;
  /** Per channel: bytes that came by it and are still in the buffer of its target. */
  final long[] inputBytes;
  /** Per channel: those of them in the headroom. */
  final long[] headroomBytes;
  /** Per channel: whether its target pauses it, rather than drop what has no room. */
  final boolean[] pausable;
  /** Per channel: whether its target has paused it. */
  final boolean[] pausing;
  /** Per link: time at which the last pause frame, or its end, reaches its source. */
  final long[] signalledAt;
  /** Per device: bytes in the shared buffer. */
  final long[] bufferBytes;
  /** Per device: its policy; null where it has none of its own. */
  final QueuePolicy[] policy;
  /** Per link: packets marked, trimmed, dropped, and pauses sent to its source. */
  final long[] marks;
  final long[] trims;
  final long[] drops;
  final long[] pauses;

  PortState(NetworkPlan plan) {
    queueBytes = new long[plan.channels];
    deferredRoom = new long[plan.links];
    deferredBytes = new long[plan.links];
    sentBytes = new long[plan.links];
    inputBytes = new long[plan.channels];
    headroomBytes = new long[plan.channels];
    pausable = plan.pausable;
    pausing = new boolean[plan.channels];
    signalledAt = new long[plan.links];
    marks = new long[plan.links];
    trims = new long[plan.links];
    drops = new long[plan.links];
    pauses = new long[plan.links];
    bufferBytes = new long[plan.devices];
    policy = new QueuePolicy[plan.devices];
    for (int device = 0; device < plan.devices; device++) {
      Switch model = plan.fabric.bridges(device) ? null : plan.fabric.forwarding(device);
      policy[device] = model == null ? QueuePolicy.UNLIMITED : model.queuePolicy();
    }
  }
}
