package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The ends of the senders' parts of replayed calls, as events: they take the places of the events by which the parts
 * would end, and are told from them by a negative argument.
 */
final class ReplayedEnds {
  static final int NONE = -1;
  private static final int KIND_SHIFT = 28;

  private final Partition partition;
  private PendingCall.@Nullable Sender[] senders = new PendingCall.Sender[64];
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

  /** Adds the event of the end of a sender's part. */
  void plan(PendingCall.Sender sender) {
    CallRecord record = sender.call.outcome();
    plan(sender, sender.call.startPs + record.endPs[sender.position],
        CallKeys.actual(sender.call, record.endKey[sender.position]));
  }

  /**
   * Adds an event.
   *
   * @param key kind and target of the event whose place it takes
   */
  void plan(PendingCall.Sender sender, long timePs, int key) {
    int number = free;
    if (number == NONE) {
      if (count == senders.length) {
        senders = Arrays.copyOf(senders, 2 * count);
        nextFree = Arrays.copyOf(nextFree, 2 * count);
      }
      number = count++;
    } else {
      free = nextFree[number];
    }
    senders[number] = sender;
    sender.endNumber = number;
    partition.queue.push(
        timePs, Events.pack(key >>> KIND_SHIFT, key & (Events.MAX_TARGETS - 1), number | Integer.MIN_VALUE));
  }

  /** The sender whose part has ended; null where the call runs message by message by now. */
  PendingCall.@Nullable Sender take(int number) {
    PendingCall.Sender sender = senders[number];
    senders[number] = null;
    nextFree[number] = free;
    free = number;
    return sender;
  }

  /** Voids the ends of a call that have yet to come. */
  void cancel(PendingCall call) {
    for (int i = 0; i < call.size(); i++) {
      PendingCall.Sender sender = call.sender(i);
      if (sender.endNumber != NONE && senders[sender.endNumber] == sender) {
        senders[sender.endNumber] = null;
      }
    }
  }
}
