package dev.heddle.network.packet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The numbers that messages of a memoized call have been given, and their share in the fingerprint of the run. */
final class CallNumbers {
  private static final int[] NOTHING = new int[0];

  private final PendingCall call;
  private int[] numbers = NOTHING;
  // Per sender those that its first messages got in calls which this one takes over, until its outcome is known.
  private final List<int[]> inherited = new ArrayList<>();
  long fingerprint;

  CallNumbers(PendingCall call) {
    this.call = call;
  }

  /** Takes the numbers over of a call whose senders come next. */
  void inherit(PendingCall before) {
    for (int i = 0; i < before.size(); i++) {
      inherited.add(before.numbers.of(i));
    }
  }

  /** Gives messages again the numbers that they have, now that the outcome is known. */
  void restore() {
    for (int i = 0; i < inherited.size(); i++) {
      for (int number : inherited.get(i)) {
        call.sender(i).number(number);
      }
    }
    inherited.clear();
  }

  private int[] of(int place) {
    if (call.record == null) {
      return place < inherited.size() ? inherited.get(place) : NOTHING;
    }
    int first = call.outcome().first[place];
    int count = given(place);
    return count == 0 ? NOTHING : Arrays.copyOfRange(numbers, first, first + count);
  }

  /** The messages of a sender that have a number, which may be another call's by now. */
  int given(int place) {
    return call.record == null ? of(place).length : call.sender(place).cursor() - call.outcome().first[place];
  }

  /** Gives a message its number. */
  void give(int message, int source, long sequence) {
    CallRecord known = call.outcome();
    if (numbers.length == 0) {
      numbers = known.numbers();
    }
    numbers[message] = (int) sequence;
    fingerprint += known.fingerprint(message, known.id(message, call.shape.group, source, sequence), call.startPs);
  }

  /** The number of a member's message among those of its terminal. */
  long of(int position, int index) {
    return call.record == null ? of(position)[index] : numbers[call.outcome().first[position] + index];
  }

  /** Gives the array of numbers back to the record, for the next call. */
  void finish() {
    if (numbers.length > 0) {
      call.outcome().giveBack(numbers);
    }
  }
}
