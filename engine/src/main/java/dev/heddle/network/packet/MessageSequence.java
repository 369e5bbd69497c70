package dev.heddle.network.packet;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of the messages of a partition's terminals, in the order in which they are submitted. The messages of a
 * memoized call take theirs late: in the order of their times among those of all other calls of the same terminal, at
 * the latest when a message that is simulated needs the next number. Where calls are replayed within a tolerance, the
 * order of numbers is left open, as the fingerprint is another one anyway: a call that waits is not ended for it.
 */
final class MessageSequence {
  private final RunContext setup;
  private final Partition partition;
  // Whether numbers follow the order of submissions, for which calls that wait are ended.
  private final boolean ordered;
  // Per terminal the senders of memoized calls that have messages without a number.
  private final PendingCall.@Nullable Sender[] open;

  MessageSequence(Partition partition, RunContext setup, int devices) {
    this.partition = partition;
    this.setup = setup;
    ordered = setup.tolerancePs == 0;
    open = new PendingCall.Sender[devices];
  }

  /** The number of a message that a terminal submits now. */
  long next(int source) {
    if (open[source] != null) {
      outrun(source);
      takeUntil(source, partition.queue.now(), partition.eventKey(), partition.actingStamp());
    }
    return setup.sequence[source]++;
  }

  /**
   * The number of a message that a terminal has submitted by an event of the present time of a call that is simulated
   * aside.
   */
  long next(int source, int eventKey, long stamp) {
    takeUntil(source, partition.queue.now(), eventKey, stamp);
    return setup.sequence[source]++;
  }

  /** Lets the senders of calls on a terminal begin that await the end of the instant, or other members. */
  void outrun(int source) {
    outrunWaiting(source);
    PendingCall.Sender sender = open[source];
    while (sender != null) {
      if (sender.call.record == null && !sender.call.isWaiting()) {
        partition.outrun();
        sender = open[source];
      } else {
        sender = sender.next;
      }
    }
  }

  /** Records a call whose recording is put off, where one is on a terminal. */
  void settle(int source) {
    PendingCall waiting = ordered ? waiting(source) : null;
    if (waiting != null && waiting.putOff != null) {
      Objects.requireNonNull(partition.memoized, "no call waits").settle(waiting);
    }
  }

  /** Lets the members of a call that waits for others run message by message, where one is on a terminal. */
  void outrunWaiting(int source) {
    settle(source);
    PendingCall waiting = waiting(source);
    while (ordered && waiting != null) {
      Objects.requireNonNull(partition.memoized, "no call waits").abandon(waiting);
      waiting = waiting(source);
    }
  }

  /**
   * Whether a call with a sender on a terminal waits, other than two, beside which the order of messages would not be
   * known.
   */
  boolean isWaitedFor(int source, PendingCall one, PendingCall other) {
    PendingCall waiting = ordered ? waiting(source) : null;
    return waiting != null && waiting != one && waiting != other;
  }

  /** The call with a sender on a terminal that waits for other members or messages; null for none. */
  @Nullable
  PendingCall waiting(int source) {
    for (PendingCall.Sender each = open[source]; each != null; each = each.next) {
      if (each.call.isWaiting()) {
        return each.call;
      }
    }
    return null;
  }

  /** Adds a sender of a memoized call. */
  void open(PendingCall.Sender sender) {
    sender.next = open[sender.source];
    open[sender.source] = sender;
  }

  /**
   * Numbers all messages of a terminal up to an event of a time, that event included.
   *
   * @param stamp of the last sender to arrive by that event whose messages are numbered
   */
  void takeUntil(int source, long time, int eventKey, long stamp) {
    PendingCall.Sender first = first(source);
    while (first != null && first.isBefore(time, eventKey, stamp)) {
      first.number(setup.sequence[source]++);
      first = first(source);
    }
  }

  /** Numbers all messages of a sender, and removes it. */
  void close(PendingCall.Sender sender) {
    outrunWaiting(sender.source);
    while (sender.hasNext()) {
      if (isAlone(sender)) {
        setup.sequence[sender.source] = sender.numberRest(setup.sequence[sender.source]);
        break;
      }
      PendingCall.Sender first = first(sender.source);
      if (first == null) {
        throw new IllegalStateException("a sender with messages is not open");
      }
      first.number(setup.sequence[sender.source]++);
    }
    remove(sender);
  }

  // Whether no other sender of the terminal has messages without a number.
  private boolean isAlone(PendingCall.Sender sender) {
    for (PendingCall.Sender each = open[sender.source]; each != null; each = each.next) {
      if (each != sender && each.hasNext()) {
        return false;
      }
    }
    return true;
  }

  /** Removes a sender. */
  void remove(PendingCall.Sender sender) {
    PendingCall.Sender before = open[sender.source];
    if (before == sender) {
      open[sender.source] = sender.next;
    } else {
      while (before != null && before.next != sender) {
        before = before.next;
      }
      if (before != null) {
        before.next = sender.next;
      }
    }
    sender.next = null;
  }

  private PendingCall.@Nullable Sender first(int source) {
    PendingCall.Sender first = null;
    for (PendingCall.Sender each = open[source]; each != null; each = each.next) {
      if (each.hasNext() && (first == null || each.isBefore(first))) {
        first = each;
      }
    }
    return first;
  }
}
