package dev.heddle.network.packet;

import dev.heddle.units.RandomStream;

/**
 * The receiver's state of one connection: the packets that have arrived, and the credit that was asked for and granted.
 */
final class ReceiveConnection {
  private static final int WORD = 64;

  final long key;
  /** Hash of the connection by which switches choose paths of packets back to the sender. */
  final long flow;
  final int sender;
  final int overheadBytes;

  /** The device that sent control packets last, and the waypoint to which they go from there. */
  int device = -1;
  int waypoint;

  /** The lowest packet that is still missing. */
  int missing;
  private long[] words = new long[4];

  // Bytes on the wire: since the last acknowledgement, and of distinct packets in all, modulo 2^32.
  long pendingBytes;
  int receivedBytes;

  /** Whether a sender has waited for an acknowledgement while earlier packets were missing. */
  private boolean isAwaited;
  private int next;
  int notedMissing = -1;
  long notedAt;
  long notifiedAt = Long.MIN_VALUE / 2;
  boolean isAcknowledged;

  long asked;
  long granted;
  boolean isWaiting;
  boolean isIdle;
  /** Whether the sender has nothing more to send, as far as it has said. */
  boolean isEnded;

  /**
   * A connection of which nothing has arrived.
   *
   * @param key that both its ends know
   * @param sender its number at the sender
   * @param overheadBytes bytes on the wire of a packet besides its payload
   */
  ReceiveConnection(long key, int sender, int overheadBytes) {
    this.key = key;
    flow = RandomStream.mix(Endpoints.source(key) == Endpoints.destination(key) ? key : ~key);
    this.sender = sender;
    this.overheadBytes = overheadBytes;
  }

  /** Counts the bytes of a packet, of which the sender learns by the next acknowledgement. */
  void count(int payload, boolean again) {
    int bytes = payload + overheadBytes;
    pendingBytes += bytes;
    receivedBytes += again ? 0 : bytes;
  }

  /**
   * Whether an acknowledgement is due at once because the sender waits for it: for its packet, and once more when all
   * packets before the last one have arrived [uet-htsim uec.cpp, UecSink].
   *
   * @param urgent whether the sender of the packet that has arrived waits
   */
  boolean awaits(boolean urgent) {
    isAwaited |= urgent;
    if (missing != next) {
      return urgent;
    }
    boolean due = isAwaited;
    isAwaited = false;
    return due;
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
    if (packet - next >= 0) {
      next = packet + 1;
    }
    while ((words[word(missing)] & 1L << missing) != 0) {
      words[word(missing)] &= ~(1L << missing);
      missing++;
    }
  }

  /** A bit for each of the 64 packets from one on that has arrived, as far as it is not below {@link #missing}. */
  long bits(int first) {
    int from = Math.max(first, missing + 1);
    int shift = from - first;
    if (shift >= WORD || next - from <= 0) {
      return 0;
    }
    long bits = words[word(from)] >>> from;
    if ((from & WORD - 1) != 0) {
      bits |= words[word(from + WORD)] << -from;
    }
    if (next - from < WORD) {
      bits &= (1L << next - from) - 1;
    }
    return bits << shift;
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
