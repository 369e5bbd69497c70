package dev.heddle.network.packet;

import dev.heddle.engine.CollectiveGroups;
import dev.heddle.network.MessageNumbers;
import java.util.Arrays;

/**
 * A collective call that is simulated aside: on its own links, with a clock of its own. It records the call, or, where
 * other traffic has come to the call's links, brings them to the present.
 */
final class AsideRun {
  final PendingCall call;
  final boolean recording;
  /** Whether members begin their programs. */
  boolean arriving;

  // Messages of a recording, in the order in which they are submitted.
  int count;
  int[] member = new int[256];
  int[] submitKey = new int[256];
  long[] submitted = new long[256];
  long[] delivered = new long[256];
  long[] bytes = new long[256];
  long[] label = new long[256];
  int[] destination = new int[256];
  int arrived;
  /** Per member the most messages in its injection queue at once. */
  final int[] mostQueued;
  private final int[] numbered;
  private final Partition partition;
  private final CollectiveGroups groups;

  AsideRun(PendingCall call, boolean recording, Partition partition, CollectiveGroups groups) {
    this.partition = partition;
    this.groups = groups;
    this.call = call;
    this.recording = recording;
    mostQueued = new int[call.members.length];
    numbered = new int[call.members.length];
  }

  /** The number of a message that a rank submits now. */
  long number(int rank, int to, int messageLabel, long payload) {
    int position = groups.position(call.shape.group, rank);
    if (!recording) {
      int index = numbered[position]++;
      if (index >= call.members[position].numbered()) {
        throw new IllegalStateException("a call has submitted more messages than its record");
      }
      return call.numberOf(position, index);
    }
    if (count == member.length) {
      grow(2 * count);
    }
    member[count] = position;
    submitKey[count] = arriving ? CallRecord.ARRIVAL : partition.eventKey();
    submitted[count] = partition.queue.now();
    delivered[count] = -1;
    bytes[count] = payload;
    label[count] = messageLabel;
    destination[count] = to;
    return count++;
  }

  private void grow(int rows) {
    member = Arrays.copyOf(member, rows);
    submitKey = Arrays.copyOf(submitKey, rows);
    submitted = Arrays.copyOf(submitted, rows);
    delivered = Arrays.copyOf(delivered, rows);
    bytes = Arrays.copyOf(bytes, rows);
    label = Arrays.copyOf(label, rows);
    destination = Arrays.copyOf(destination, rows);
  }

  /** Notes the length of a member's injection queue. */
  void queued(int rank, int messages) {
    int position = groups.position(call.shape.group, rank);
    mostQueued[position] = Math.max(mostQueued[position], messages);
  }

  /** A message has arrived whole. */
  void delivered(long message, long now) {
    delivered[(int) MessageNumbers.sequence(message)] = now;
    arrived++;
  }
}
