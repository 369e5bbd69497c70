package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import java.util.Arrays;

/**
 * Units, credits and pauses that one partition holds for another, with their times. Those of one window are handed over
 * while those of the next are written.
 */
final class Outbox {
  private static final int CREDIT = -1;
  private static final int PAUSE = -2;
  private static final int HEADER = 3;

  private long[] words = new long[64];
  private int size;
  private long earliest = Long.MAX_VALUE;
  private long[] previous = new long[64];
  private int previousSize;

  void unit(long time, int kind, int link, PacketTable units, int unit) {
    begin(time, kind, link, units.recordWords());
    units.copyOut(unit, words, size + HEADER);
    size += HEADER + units.recordWords();
  }

  void credit(long time, int channel, int bytes, int headers) {
    begin(time, CREDIT, channel, 1);
    words[size + HEADER] = (long) bytes << 32 | headers;
    size += HEADER + 1;
  }

  void pause(long time, int link, int argument) {
    begin(time, PAUSE, link, 1);
    words[size + HEADER] = argument;
    size += HEADER + 1;
  }

  private void begin(long time, int kind, int target, int more) {
    if (size + HEADER + more > words.length) {
      words = Arrays.copyOf(words, Math.max(size + HEADER + more, 2 * words.length));
    }
    words[size] = time;
    words[size + 1] = kind;
    words[size + 2] = target;
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
    int at = 0;
    while (at < previousSize) {
      long time = previous[at];
      int target = (int) previous[at + 2];
      if (previous[at + 1] == CREDIT) {
        long amount = previous[at + HEADER];
        partition.returns.receiveCredit(target, (int) (amount >>> 32), (int) amount, time);
        at += HEADER + 1;
      } else if (previous[at + 1] == PAUSE) {
        partition.queue.push(time, Events.pack(Events.CONTROL, target, (int) previous[at + HEADER]));
        at += HEADER + 1;
      } else {
        partition.receiveUnit(time, (int) previous[at + 1], target, previous, at + HEADER);
        at += HEADER + partition.units.recordWords();
      }
    }
    previousSize = 0;
  }
}
