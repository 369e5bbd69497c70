package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The ends of the members' parts of replayed calls, as events: they take the places of the events by which the parts
 * would end, and are told from them by a negative argument.
 */
final class ReplayedEnds {
  private static final int NONE = -1;
  private static final int KIND_SHIFT = 28;

  private final Partition partition;
  private PendingCall.@Nullable Sender[] members = new PendingCall.Sender[64];
  private int[] nextFree = new int[64];
  private int free = NONE;
  private int count;

  ReplayedEnds(Partition partition) {
    this.partition = partition;
  }

  /** Whether an event is one of these ends. */
  static boolean is(long event) {
    return (int) event < 0;
  }

  /** The number of an end. */
  static int number(long event) {
    return (int) event & Integer.MAX_VALUE;
  }

  /** Adds the event of a member's end. */
  void plan(PendingCall.Sender member) {
    int number = free;
    if (number == NONE) {
      if (count == members.length) {
        members = Arrays.copyOf(members, 2 * count);
        nextFree = Arrays.copyOf(nextFree, 2 * count);
      }
      number = count++;
    } else {
      free = nextFree[number];
    }
    members[number] = member;
    CallRecord record = member.call.outcome();
    int key = member.call.actualKey(record.endKey[member.position]);
    partition.queue.push(
        member.call.startPs + record.endPs[member.position],
        Events.pack(key >>> KIND_SHIFT, key & (Events.MAX_TARGETS - 1), number | Integer.MIN_VALUE));
  }

  /** The member whose end has come; null where the call runs message by message by now. */
  PendingCall.@Nullable Sender take(int number) {
    PendingCall.Sender member = members[number];
    members[number] = null;
    nextFree[number] = free;
    free = number;
    return member;
  }

  /** Voids the ends of a call that have yet to come. */
  void cancel(PendingCall call) {
    for (int number = 0; number < count; number++) {
      PendingCall.Sender member = members[number];
      if (member != null && member.call == call) {
        members[number] = null;
      }
    }
  }
}
