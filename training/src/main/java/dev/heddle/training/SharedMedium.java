package dev.heddle.training;

import dev.heddle.engine.EventQueue;
import dev.heddle.engine.Events;
import java.util.Arrays;

/** Links that one rank's collectives share: with several at once, each goes on at its share of the speed. */
final class SharedMedium {
  private final EventQueue queue;
  private final int number;
  private int count;
  private int version;
  private long since;
  private int[] slots = new int[8];
  private double[] leftPs = new double[8];

  SharedMedium(EventQueue queue, int number) {
    this.queue = queue;
    this.number = number;
  }

  /** A stream's collective begins. */
  void begin(int slot, long ps) {
    advance();
    if (count == slots.length) {
      slots = Arrays.copyOf(slots, 2 * count);
      leftPs = Arrays.copyOf(leftPs, 2 * count);
    }
    slots[count] = slot;
    leftPs[count++] = ps;
    schedule();
  }

  /**
   * The event of a medium has come.
   *
   * @param argument of the event
   * @return the stream whose collective has ended, or -1 when another began in between
   */
  int ended(int argument) {
    if (argument != (version & 0xFFFF)) {
      return -1;
    }
    advance();
    int least = least();
    int slot = slots[least];
    count--;
    slots[least] = slots[count];
    leftPs[least] = leftPs[count];
    schedule();
    return slot;
  }

  private void advance() {
    for (int i = 0; i < count; i++) {
      leftPs[i] = Math.max(0, leftPs[i] - (double) (queue.now() - since) / count);
    }
    since = queue.now();
  }

  private int least() {
    int least = 0;
    for (int i = 1; i < count; i++) {
      least = leftPs[i] < leftPs[least] ? i : least;
    }
    return least;
  }

  private void schedule() {
    version++;
    if (count > 0) {
      queue.push(
          queue.now() + Math.round(leftPs[least()] * count), Events.pack(Events.FINISH, number, version & 0xFFFF));
    }
  }
}
