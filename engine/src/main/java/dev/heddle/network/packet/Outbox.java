package dev.heddle.network.packet;

import java.util.Arrays;

/** What one partition has for another until the end of a window: units and credits, with the times at which they count. */
final class Outbox {
  private static final int CREDIT = -1;
  private static final int HEADER = 3;

  private long[] words = new long[256];
  private int size;

  void unit(long time, int kind, int link, PacketTable units, int unit) {
    ensure(HEADER + PacketTable.STRIDE);
    words[size] = time;
    words[size + 1] = kind;
    words[size + 2] = link;
    units.copyOut(unit, words, size + HEADER);
    size += HEADER + PacketTable.STRIDE;
  }

  void credit(long time, int channel, int bytes, int headers) {
    ensure(HEADER + 1);
    words[size] = time;
    words[size + 1] = CREDIT;
    words[size + 2] = channel;
    words[size + 3] = (long) bytes << 32 | headers;
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
      } else {
        partition.receiveUnit(words[at], (int) words[at + 1], (int) words[at + 2], words, at + HEADER);
        at += HEADER + PacketTable.STRIDE;
      }
    }
    size = 0;
  }

  private void ensure(int more) {
    if (size + more > words.length) {
      words = Arrays.copyOf(words, 2 * words.length);
    }
  }
}
