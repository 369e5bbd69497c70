package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import java.util.Arrays;

/** Units, credits and pauses that one partition holds for another until the end of a window, with their times. */
final class Outbox {
  private static final int CREDIT = -1;
  private static final int PAUSE = -2;
  private static final int HEADER = 3;

  private long[] words = new long[256];
  private int size;

  void unit(long time, int kind, int link, PacketTable units, int unit) {
    ensure(HEADER + units.recordWords());
    words[size] = time;
    words[size + 1] = kind;
    words[size + 2] = link;
    units.copyOut(unit, words, size + HEADER);
    size += HEADER + units.recordWords();
  }

  void credit(long time, int channel, int bytes, int headers) {
    ensure(HEADER + 1);
    words[size] = time;
    words[size + 1] = CREDIT;
    words[size + 2] = channel;
    words[size + 3] = (long) bytes << 32 | headers;
    size += HEADER + 1;
  }

  void pause(long time, int link, boolean on) {
    ensure(HEADER + 1);
    words[size] = time;
    words[size + 1] = PAUSE;
    words[size + 2] = link;
    words[size + 3] = on ? Events.PAUSE : Events.RESUME;
    size += HEADER + 1;
  }

  /** Hands everything over and is empty again. */
  void drainTo(Partition partition) {
    int at = 0;
    while (at < size) {
      if (words[at + 1] == CREDIT) {
        long amount = words[at + 3];
        partition.returns.receiveCredit((int) words[at + 2], (int) (amount >>> 32), (int) amount, words[at]);
        at += HEADER + 1;
      } else if (words[at + 1] == PAUSE) {
        partition.queue.push(words[at], Events.pack(Events.CONTROL, (int) words[at + 2], (int) words[at + 3]));
        at += HEADER + 1;
      } else {
        partition.receiveUnit(words[at], (int) words[at + 1], (int) words[at + 2], words, at + HEADER);
        at += HEADER + partition.units.recordWords();
      }
    }
    size = 0;
  }

  private void ensure(int more) {
    if (size + more > words.length) {
      words = Arrays.copyOf(words, Math.max(size + more, 2 * words.length));
    }
  }
}
