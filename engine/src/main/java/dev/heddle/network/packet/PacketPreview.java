package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import dev.heddle.internal.collect.EventPreview;

/**
 * The look at packets that arrive soon: their words come from memory many at a time, as no one waits for another's, and
 * are in a cache close by when each arrives.
 */
final class PacketPreview implements EventPreview {
  private final PacketTable units;
  private long read;

  PacketPreview(PacketTable units) {
    this.units = units;
  }

  @Override
  public void look(long[] events, int first, int count) {
    long sum = 0;
    for (int at = first + 1; at < first + 2 * count; at += 2) {
      int kind = Events.kind(events[at]);
      if ((kind == Events.ARRIVE || kind == Events.DELIVER) && !ReplayedEnds.is(events[at])) {
        sum += units.sweep(Events.argument(events[at]), kind == Events.DELIVER);
      }
    }
    read += sum;
  }

  /** Sum of all words that were read, as {@link CacheSweep#read}. */
  long read() {
    return read;
  }
}
