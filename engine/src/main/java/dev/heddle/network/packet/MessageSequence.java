package dev.heddle.network.packet;

import org.jspecify.annotations.Nullable;

/**
 * The numbers of the messages of a partition's terminals, in the order in which they are submitted. The messages of a
 * memoized call take theirs late: in the order of their times among those of all other calls of the same terminal, at
 * the latest when a message that is simulated needs the next number.
 */
final class MessageSequence {
  private final RunContext setup;
  private final Partition partition;
  // Per terminal the members of memoized calls that have messages without a number.
  private final PendingCall.@Nullable Sender[] open;

  MessageSequence(Partition partition, RunContext setup, int devices) {
    this.partition = partition;
    this.setup = setup;
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

  /** Lets the members of calls on a terminal begin that await the end of the instant. */
  void outrun(int source) {
    PendingCall.Sender member = open[source];
    while (member != null) {
      if (member.call.record == null) {
        partition.outrun();
        member = open[source];
      } else {
        member = member.next;
      }
    }
  }

  /** Adds a member of a memoized call. */
  void open(PendingCall.Sender member) {
    member.next = open[member.source];
    open[member.source] = member;
  }

  /**
   * Numbers all messages of a terminal up to an event of a time, that event included.
   *
   * @param stamp of the last member to arrive by that event whose messages are numbered
   */
  void takeUntil(int source, long time, int eventKey, long stamp) {
    PendingCall.Sender first = first(source);
    while (first != null && first.isBefore(time, eventKey, stamp)) {
      first.number(setup.sequence[source]++);
      first = first(source);
    }
  }

  /** Numbers all messages of a member, and removes it. */
  void close(PendingCall.Sender member) {
    while (member.hasNext()) {
      PendingCall.Sender first = first(member.source);
      if (first == null) {
        throw new IllegalStateException("a member with messages is not open");
      }
      first.number(setup.sequence[member.source]++);
    }
    remove(member);
  }

  /** Removes a member. */
  void remove(PendingCall.Sender member) {
    PendingCall.Sender before = open[member.source];
    if (before == member) {
      open[member.source] = member.next;
    } else {
      while (before != null && before.next != member) {
        before = before.next;
      }
      if (before != null) {
        before.next = member.next;
      }
    }
    member.next = null;
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
