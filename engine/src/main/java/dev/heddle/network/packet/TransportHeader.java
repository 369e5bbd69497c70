package dev.heddle.network.packet;

import dev.heddle.spi.TransportProtocol;
import org.jspecify.annotations.Nullable;

/**
 * The header of a packet of a transport protocol, in the header words of its unit.
 *
 * <p>Word 0: kind (8), flags (8), path (16), connection of the sender (32). Word 1: packet number (high 32), payload
 * that the packet had when it was sent (low 32); of an acknowledgement, the lowest packet still missing (low 32). Word
 * 2: time at which the packet was sent, which acknowledgements echo. Word 3: bytes of credit that the sender has asked
 * for in all, or the receiver granted; of an acknowledgement, a bit for each packet received from the one in word 7 on.
 * Word 4: bytes in the queue of the current device (high 32), the link by which the packet came there (low 32). Word 5:
 * source, destination and label of the connection. Word 6: hops of telemetry so far. Word 7: of an acknowledgement, the
 * bytes received in all (high 32) and the packet of the first bit (low 32). From word 8 on, four words for each hop:
 * time, bytes sent, bytes in queue, rate.
 */
final class TransportHeader {
  static final int NONE = 0;
  static final int DATA = 1;
  static final int ACKNOWLEDGEMENT = 2;
  /** A packet is missing: trimmed, or passed over by a later one. */
  static final int NEGATIVE = 3;
  static final int NOTIFICATION = 4;
  static final int GRANT = 5;

  static final int MARKED = 1;
  static final int TRIMMED = 2;
  static final int REPEATED = 4;
  static final int LAST_HOP = 8;
  /** The sender waits for an acknowledgement at once. */
  static final int URGENT = 16;
  /** The sender has nothing more to send. */
  static final int LAST = 32;

  static final int WORDS = 8;
  static final int MAX_HOPS = 8;
  static final int HOP_WORDS = 4;

  private final PacketTable units;

  /** The header words of a unit under a protocol; none without one. */
  static int words(@Nullable TransportProtocol protocol) {
    return protocol == null ? 0 : WORDS + (protocol.telemetryBytes() > 0 ? HOP_WORDS * MAX_HOPS : 0);
  }

  TransportHeader(PacketTable units) {
    this.units = units;
  }

  void start(int unit, int kind, int flags, int path, int connection) {
    units.header(unit, 0, (long) kind << 56 | (long) flags << 48 | (long) path << 32 | connection & 0xFFFFFFFFL);
    units.header(unit, 6, 0);
  }

  int kind(int unit) {
    return (int) (units.header(unit, 0) >>> 56);
  }

  boolean has(int unit, int flag) {
    return (units.header(unit, 0) >>> 48 & flag) != 0;
  }

  void set(int unit, int flag) {
    units.header(unit, 0, units.header(unit, 0) | (long) flag << 48);
  }

  int path(int unit) {
    return (int) (units.header(unit, 0) >>> 32) & 0xFFFF;
  }

  int connection(int unit) {
    return (int) units.header(unit, 0);
  }

  void packet(int unit, int number, int low) {
    units.header(unit, 1, (long) number << 32 | low & 0xFFFFFFFFL);
  }

  int packet(int unit) {
    return (int) (units.header(unit, 1) >>> 32);
  }

  /** The payload that the packet had when it was sent, or the lowest packet still missing. */
  int payloadOrMissing(int unit) {
    return (int) units.header(unit, 1);
  }

  long sentAt(int unit) {
    return units.header(unit, 2);
  }

  void sentAt(int unit, long time) {
    units.header(unit, 2, time);
  }

  /** Bytes of credit, or the received packets of an acknowledgement. */
  long creditOrBits(int unit) {
    return units.header(unit, 3);
  }

  void creditOrBits(int unit, long value) {
    units.header(unit, 3, value);
  }

  void queued(int unit, int bytes, int arrivedBy) {
    units.header(unit, 4, (long) bytes << 32 | arrivedBy & 0xFFFFFFFFL);
  }

  int queuedBytes(int unit) {
    return (int) (units.header(unit, 4) >>> 32);
  }

  int arrivedBy(int unit) {
    return (int) units.header(unit, 4);
  }

  void firstBit(int unit, int packet, int receivedBytes) {
    units.header(unit, 7, (long) receivedBytes << 32 | packet & 0xFFFFFFFFL);
  }

  /** Bytes on the wire of the packets that an acknowledgement's receiver has, modulo 2^32. */
  int receivedBytes(int unit) {
    return (int) (units.header(unit, 7) >>> 32);
  }

  int firstBit(int unit) {
    return (int) units.header(unit, 7);
  }

  long key(int unit) {
    return units.header(unit, 5);
  }

  void key(int unit, long key) {
    units.header(unit, 5, key);
  }

  int hops(int unit) {
    return (int) units.header(unit, 6);
  }

  void addHop(int unit, long time, long sentBytes, long queueBytes, long rate) {
    int hop = hops(unit);
    if (hop < MAX_HOPS) {
      int word = WORDS + HOP_WORDS * hop;
      units.header(unit, word, time);
      units.header(unit, word + 1, sentBytes);
      units.header(unit, word + 2, queueBytes);
      units.header(unit, word + 3, rate);
      units.header(unit, 6, hop + 1);
    }
  }

  long hop(int unit, int hop, int field) {
    return units.header(unit, WORDS + HOP_WORDS * hop + field);
  }

  /** Copies the telemetry of a data packet into its acknowledgement. */
  void echoHops(int data, int acknowledgement) {
    int hops = hops(data);
    units.header(acknowledgement, 6, hops);
    if (hops > 0) {
      units.copyHeader(data, acknowledgement, WORDS, HOP_WORDS * hops);
    }
  }
}
