package dev.heddle.training;

import dev.heddle.engine.Events;
import dev.heddle.internal.collect.EventQueue;
import java.util.Arrays;

/**
 * Links that one rank's collectives share: of several at once, each progresses at its share of the bandwidth, in
 * proportion to its flows, as max-min fair sharing divides a saturated link.
 */
final class SharedMedium {
  private final EventQueue queue;
  private final int number;
  private int count;
  private int version;
  private long since;
  private int[] slots = new int[8];
  private double[] leftPs = new double[8];
  private int[] weights = new int[8];
  private int weight;

  SharedMedium(EventQueue queue, int number) {
    this.queue = queue;
    this.number = number;
  }

  /**
   * Begins the collective of a stream.
   *
   * @param slot of the stream
   * @param ps duration in isolation
   * @param flows of the collective on the links, at least 1
   */
  void begin(int slot, long ps, int flows) {
    advance();
    if (count == slots.length) {
      slots = Arrays.copyOf(slots, 2 * count);
      leftPs = Arrays.copyOf(leftPs, 2 * count);
      weights = Arrays.copyOf(weights, 2 * count);
    }
    slots[count] = slot;
    weights[count] = flows;
    weight += flows;
    leftPs[count++] = ps;
    schedule();
  }

  /**
   * Handles an event of the medium.
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
    weight -= weights[least];
    slots[least] = slots[count];
    weights[least] = weights[count];
    leftPs[least] = leftPs[count];
    schedule();
    return slot;
  }

  private void advance() {
    for (int i = 0; i < count; i++) {
      leftPs[i] = Math.max(0, leftPs[i] - (double) (queue.now() - since) * weights[i] / weight);
    }
    since = queue.now();
  }

  private int least() {
    int least = 0;
    for (int i = 1; i < count; i++) {
      least = leftPs[i] * weights[least] < leftPs[least] * weights[i] ? i : least;
    }
    return least;
  }

  private void schedule() {
    version++;
    if (count > 0) {
      int least = least();
      queue.push(
          queue.now() + Math.round(leftPs[least] * weight / weights[least]),
          Events.pack(Events.FINISH, number, version & 0xFFFF));
    }
  }
}
