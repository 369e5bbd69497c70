package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import java.util.Arrays;

/**
 * Units, credits and pauses that one partition holds for another, with their times. Those of one window are handed over
 * while those of the next are written.
 */
final class Outbox {
  // An entry begins with its time and an event; that of a unit continues with its words, that of a credit, whose kind
  // is none of an event's, with bytes (high 32) and headers (low 32).
  private static final int CREDIT = 8;
  private static final int HEADER = 2;

  private long[] words = new long[64];
  private int size;
  private long earliest = Long.MAX_VALUE;
  private long[] previous = new long[64];
  private int previousSize;

  void unit(long time, int kind, int link, PacketTable units, int unit) {
    begin(time, Events.pack(kind, link, 0), units.recordWords());
    units.copyOut(unit, words, size + HEADER);
    size += HEADER + units.recordWords();
  }

  void credit(long time, int channel, int bytes, int headers) {
    begin(time, Events.pack(CREDIT, channel, 0), 1);
    words[size + HEADER] = (long) bytes << 32 | headers;
    size += HEADER + 1;
  }

  void pause(long time, int link, int argument) {
    begin(time, Events.pack(Events.CONTROL, link, argument), 0);
    size += HEADER;
  }

  private void begin(long time, long event, int more) {
    if (size + HEADER + more > words.length) {
      words = Arrays.copyOf(words, Math.max(size + HEADER + more, 2 * words.length));
    }
    words[size] = time;
    words[size + 1] = event;
    earliest = Math.min(earliest, time);
  }

  /**
   * Ends a window: its entries are to be handed over; those of the window before must have been.
   *
   * @return the earliest time in it; {@link Long#MAX_VALUE} where it is empty
   */
  long turn() {
    long[] written = words;
    words = previous;
    previous = written;
    previousSize = size;
    size = 0;
    long least = earliest;
    earliest = Long.MAX_VALUE;
    return least;
  }

  /** Hands over all that was written before the last {@link #turn}. */
  void drainTo(Partition partition) {
    int recordWords = partition.units.recordWords();
    int at = 0;
    while (at < previousSize) {
      long time = previous[at];
      long event = previous[at + 1];
      at += HEADER;
      if (Events.kind(event) == CREDIT) {
        long amount = previous[at++];
        partition.returns.receiveCredit(Events.target(event), (int) (amount >>> 32), (int) amount, time);
      } else if (Events.kind(event) == Events.CONTROL) {
        partition.queue.pushLate(time, event);
      } else {
        partition.receiveUnit(time, event, previous, at);
        at += recordWords;
      }
    }
    previousSize = 0;
  }
}
