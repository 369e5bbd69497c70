package dev.heddle.training;

import dev.heddle.engine.Events;
import dev.heddle.internal.collect.EventQueue;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The links that one rank's collectives share: of several at once, each progresses as fast as alone, unless they fill a
 * link together; its flows are then max-min fair.
 */
final class SharedLinks {
  private final EventQueue queue;
  private final int number;
  private final Map<List<LinkUse>, double[]> known = new LinkedHashMap<>();
  private int count;
  private int version;
  private long since;
  private int[] slots = new int[8];
  private double[] leftPs = new double[8];
  private LinkUse[] uses = new LinkUse[8];
  private double[] progress = new double[0];

  SharedLinks(EventQueue queue, int number) {
    this.queue = queue;
    this.number = number;
  }

  /**
   * Begins the collective of a stream.
   *
   * @param slot of the stream
   * @param ps duration in isolation
   * @param use of links in isolation
   */
  void begin(int slot, long ps, LinkUse use) {
    advance();
    if (count == slots.length) {
      slots = Arrays.copyOf(slots, 2 * count);
      leftPs = Arrays.copyOf(leftPs, 2 * count);
      uses = Arrays.copyOf(uses, 2 * count);
    }
    slots[count] = slot;
    uses[count] = use;
    leftPs[count++] = ps;
    schedule();
  }

  /**
   * Handles an event of the links.
   *
   * @param argument of the event
   * @return the stream whose collective has ended, or -1 when another began in between
   */
  int ended(int argument) {
    if (argument != (version & 0xFFFF)) {
      return -1;
    }
    advance();
    int first = first();
    int slot = slots[first];
    count--;
    slots[first] = slots[count];
    uses[first] = uses[count];
    leftPs[first] = leftPs[count];
    schedule();
    return slot;
  }

  private void advance() {
    for (int i = 0; i < count; i++) {
      leftPs[i] = Math.max(0, leftPs[i] - (queue.now() - since) * progress[i]);
    }
    since = queue.now();
  }

  private int first() {
    int first = 0;
    for (int i = 1; i < count; i++) {
      first = leftPs[i] * progress[first] < leftPs[first] * progress[i] ? i : first;
    }
    return first;
  }

  private void schedule() {
    version++;
    if (count > 0) {
      progress = count == 1
          ? new double[] {1} : known.computeIfAbsent(List.of(Arrays.copyOf(uses, count)), FairProgress::of);
      int first = first();
      queue.push(Math.addExact(queue.now(), Math.round(leftPs[first] / progress[first])),
          Events.pack(Events.FINISH, number, version & 0xFFFF));
    }
  }
}
