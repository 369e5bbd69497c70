package dev.heddle.network.packet;

import org.jspecify.annotations.Nullable;

/**
 * The receiver's state of one connection: the packets that have arrived, and the credit that was asked for and granted.
 */
final class ReceiveConnection {
  private static final int WORD = 64;

  final long key;
  final int sender;

  /** The lowest packet that is still missing. */
  int missing;
  private long[] words = new long[4];

  long pendingBytes;

  /**
   * The last packet whose sender waits for an acknowledgement at once; those before it are acknowledged at once too.
   */
  int urgent = -1;
  int notedMissing = -1;
  long notedAt;
  long notifiedAt = Long.MIN_VALUE / 2;
  boolean isAcknowledged;

  long asked;
  long granted;
  boolean isWaiting;
  @Nullable
  ReceiveConnection nextWaiting;

  ReceiveConnection(long key, int sender) {
    this.key = key;
    this.sender = sender;
  }

  boolean hasReceived(int packet) {
    if (packet - missing < 0) {
      return true;
    }
    if (packet - missing >= WORD * (words.length - 1)) {
      return false;
    }
    return (words[word(packet)] & 1L << packet) != 0;
  }

  /** Notes a packet that has not arrived before. */
  void receive(int packet) {
    while (packet - missing >= WORD * (words.length - 1)) {
      grow();
    }
    words[word(packet)] |= 1L << packet;
    while ((words[word(missing)] & 1L << missing) != 0) {
      words[word(missing)] &= ~(1L << missing);
      missing++;
    }
  }

  /** A bit for each of the 64 packets from one on that has arrived, as far as it is not below {@link #missing}. */
  long bits(int first) {
    long bits = 0;
    for (int i = 0; i < WORD; i++) {
      int packet = first + i;
      if (packet - missing > 0 && hasReceived(packet)) {
        bits |= 1L << i;
      }
    }
    return bits;
  }

  private int word(int packet) {
    return packet / WORD & words.length - 1;
  }

  private void grow() {
    long[] old = words;
    words = new long[2 * old.length];
    int firstWord = missing / WORD;
    for (int i = 0; i < old.length; i++) {
      words[firstWord + i & words.length - 1] = old[firstWord + i & old.length - 1];
    }
  }
}
