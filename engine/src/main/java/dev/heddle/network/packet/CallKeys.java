package dev.heddle.network.packet;

import dev.heddle.engine.Events;

/**
 * Kinds and targets of events, as a call has them and as all calls of a pattern have them: there streams' slots,
 * channels and links are numbered by their places in the call's shape.
 */
final class CallKeys {
  private static final int KIND_SHIFT = 28;

  private CallKeys() {}

  /** The kind and target of an event of a call, from those of its record. */
  static int actual(PendingCall call, int key) {
    int kind = key >>> KIND_SHIFT;
    int local = key & (Events.MAX_TARGETS - 1);
    return kind << KIND_SHIFT | switch (kind) {
      case Events.STREAM -> slot(call, local);
      case Events.EXPOSE -> call.shape.channel(local);
      default -> call.shape.link(local);
    };
  }

  private static int slot(PendingCall call, int local) {
    int position = 0;
    int left = local;
    while (left >= call.members[position].streams.streams()) {
      left -= call.members[position].streams.streams();
      position++;
    }
    return call.members[position].streams.slot(left);
  }

  /** The kind of an event and its target's place in the shape, the same for all calls of a pattern. */
  static int local(PendingCall call, int key) {
    int kind = key >>> KIND_SHIFT;
    int target = key & (Events.MAX_TARGETS - 1);
    return kind << KIND_SHIFT | switch (kind) {
      case Events.STREAM -> localSlot(call, target);
      case Events.EXPOSE -> call.shape.indexOfChannel(target);
      default -> call.shape.indexOfLink(target);
    };
  }

  private static int localSlot(PendingCall call, int slot) {
    int before = 0;
    for (PendingCall.Member member : call.members) {
      for (int stream = 0; stream < member.streams.streams(); stream++) {
        if (member.streams.slot(stream) == slot) {
          return before + stream;
        }
      }
      before += member.streams.streams();
    }
    throw new IllegalStateException("slot " + slot + " is of no member");
  }
}
