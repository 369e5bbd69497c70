package dev.heddle.internal.collect;

import java.util.Arrays;

/** Sorter of the events of one instant, which many devices in step make thousands. */
public final class InstantSort {
  // Fewer events are inserted one by one, and more as long as each passes over so many on average: devices act in an
  // order that is nearly that of their events.
  private static final int LEAST_COUNTED = 48;
  private static final int MOST_PASSED = 8;
  private static final int DIGIT_BITS = 8;

  private final int[] start = new int[1 << DIGIT_BITS];
  private long[] events = new long[256];
  private long[] moved = new long[256];

  /**
   * Sorts a run of events whose times are equal.
   *
   * @param words time and event of each, from {@code head} on, around the end where the mask is that of a ring
   * @param mask of places in the words
   */
  public void sort(long[] words, int head, int count, int mask) {
    if (events.length < count) {
      events = new long[2 * count];
      moved = new long[2 * count];
    }
    long differing = 0;
    for (int i = 0; i < count; i++) {
      events[i] = words[(head + 2 * i + 1) & mask];
      differing |= events[i] ^ events[0];
    }
    if (!insert(count, MOST_PASSED * Math.max(LEAST_COUNTED, count))) {
      // Few events have an equal upper half, which holds kind and target.
      int lowest = Long.numberOfTrailingZeros(differing & -1L << 32);
      for (int down = lowest; down < 64 && differing >>> down != 0; down += DIGIT_BITS) {
        distribute(count, down);
      }
      insert(count, Integer.MAX_VALUE);
    }
    for (int i = 0; i < count; i++) {
      words[(head + 2 * i + 1) & mask] = events[i];
    }
  }

  // Orders by one digit and leaves events of equal digits in their order.
  private void distribute(int count, int down) {
    Arrays.fill(start, 0);
    int digits = start.length - 1;
    for (int i = 0; i < count; i++) {
      start[(int) (events[i] >>> down) & digits]++;
    }
    int sum = 0;
    for (int digit = 0; digit <= digits; digit++) {
      int own = start[digit];
      start[digit] = sum;
      sum += own;
    }
    for (int i = 0; i < count; i++) {
      moved[start[(int) (events[i] >>> down) & digits]++] = events[i];
    }
    long[] held = events;
    events = moved;
    moved = held;
  }

  // Inserts one by one; whether no more than so many were passed over in all.
  private boolean insert(int count, int most) {
    int left = most;
    for (int i = 1; i < count && left >= 0; i++) {
      long event = events[i];
      int at = i;
      while (at > 0 && events[at - 1] > event) {
        events[at] = events[at - 1];
        at--;
      }
      events[at] = event;
      left -= i - at;
    }
    return left >= 0;
  }
}
