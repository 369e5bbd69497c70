package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import dev.heddle.internal.collect.EventQueue;
import java.util.Arrays;

/**
 * Arrivals of several units over one link at one time, which come about where lost units are sent again. Their events
 * differ by the numbers of the units, which depend on the division into partitions; here they follow from the units
 * themselves.
 */
final class TiedArrivals {
  private final EventQueue queue;
  private final PacketTable units;
  private long[] tied = new long[8];
  private int size;

  TiedArrivals(EventQueue queue, PacketTable units) {
    this.queue = queue;
    this.units = units;
  }

  /** Takes the events out of the queue that are tied with one, and sorts all; whether there are any. */
  boolean collect(long event) {
    int kind = Events.kind(event);
    size = 0;
    if (kind != Events.ARRIVE && kind != Events.DELIVER) {
      return false;
    }
    long time = queue.now();
    add(event);
    while (queue.nextTime() == time && queue.nextEvent() >>> 32 == event >>> 32) {
      queue.pop();
      add(queue.event());
    }
    return size > 1;
  }

  private void add(long event) {
    if (size == tied.length) {
      tied = Arrays.copyOf(tied, 2 * size);
    }
    int at = size++;
    while (at > 0 && precedes(event, tied[at - 1])) {
      tied[at] = tied[at - 1];
      at--;
    }
    tied[at] = event;
  }

  private boolean precedes(long one, long other) {
    int a = Events.argument(one);
    int b = Events.argument(other);
    if (units.message(a) != units.message(b)) {
      return units.message(a) < units.message(b);
    }
    if (units.ends(a) != units.ends(b)) {
      return units.ends(b);
    }
    return units.payload(a) > units.payload(b);
  }

  /** The number of events. */
  int size() {
    return size;
  }

  /** One of the events, in order. */
  long event(int place) {
    return tied[place];
  }
}
