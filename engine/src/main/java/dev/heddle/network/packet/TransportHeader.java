package dev.heddle.network.packet;

import dev.heddle.collective.MessageLabel;
import dev.heddle.network.MessageNumbers;
import dev.heddle.spi.TransportProtocol;
import org.jspecify.annotations.Nullable;

/**
 * The header of a packet of a transport protocol, in the header words of its unit.
 *
 * <p>Every hop looks at three words of the unit: kind (4), traffic class between nodes + 1 (4), flags (8), path (16)
 * and connection of the sender (32); bytes in the queue of the current device (high 32) and the link by which the
 * packet came there (low 32); hash of connection, direction and path. The other words are for the ends.
 * Number and payload: packet number (high 32), payload that the packet had when it was sent (low 32); of an
 * acknowledgement, the lowest packet still missing (low 32). Time at which the packet was sent, which acknowledgements
 * echo. Credit: bytes that the sender has asked for in all, or the receiver granted; of an acknowledgement, a bit for
 * each packet received from the first one on. Hops of telemetry so far. First: of an acknowledgement, the bytes
 * received in all (high 32) and the packet of the first bit (low 32); of data, source, destination and label of the
 * connection. Then four words for each hop: time, bytes sent,
 * bytes in queue, rate.
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

  static final int MAX_HOPS = 8;
  static final int HOP_WORDS = 4;

  // Words of the unit.
  static final int KIND = 3;
  private static final int QUEUED = 4;
  private static final int FLOW = 6;

  // Words for the ends; the message has the first three.
  private static final int PACKET = 3;
  private static final int SENT = 4;
  private static final int CREDIT = 5;
  private static final int HOPS = 6;
  private static final int FIRST = 7;
  private static final int KEY = 7;
  private static final int WORDS = 8;

  private final PacketTable units;

  /** The words of a unit for the ends under a protocol; none without one. */
  static int words(@Nullable TransportProtocol protocol) {
    return protocol == null ? 0 : WORDS + (protocol.telemetryBytes() > 0 ? HOP_WORDS * MAX_HOPS : 0);
  }

  TransportHeader(PacketTable units) {
    this.units = units;
  }

  /** Begins the header of a packet, whose message is known. */
  void start(int unit, int kind, int flags, int path, int connection) {
    long networkClass = MessageNumbers.networkClass(units.message(unit)) + 1;
    units.header(unit, KIND, (long) kind << 60 | networkClass << 56 | (long) flags << 48 | (long) path << 32
        | connection & 0xFFFFFFFFL);
    units.end(unit, HOPS, 0);
  }

  int kind(int unit) {
    return (int) (units.header(unit, KIND) >>> 60);
  }

  /** The traffic class between nodes, or {@link MessageLabel#SAME_CLASS}. */
  int networkClass(int unit) {
    return ((int) (units.header(unit, KIND) >>> 56) & 0xF) - 1;
  }

  /** Whether a packet takes the channel for control packets: all but data with its payload. */
  boolean isControl(int unit) {
    return kind(unit) != DATA || has(unit, TRIMMED);
  }

  /** Hash of connection, direction and path, by which switches choose among links. */
  long flow(int unit) {
    return units.header(unit, FLOW);
  }

  boolean has(int unit, int flag) {
    return (units.header(unit, KIND) >>> 48 & flag) != 0;
  }

  void set(int unit, int flag) {
    units.header(unit, KIND, units.header(unit, KIND) | (long) flag << 48);
  }

  int path(int unit) {
    return (int) (units.header(unit, KIND) >>> 32) & 0xFFFF;
  }

  int connection(int unit) {
    return (int) units.header(unit, KIND);
  }

  void packet(int unit, int number, int low) {
    units.end(unit, PACKET, (long) number << 32 | low & 0xFFFFFFFFL);
  }

  int packet(int unit) {
    return (int) (units.end(unit, PACKET) >>> 32);
  }

  /** The payload that the packet had when it was sent, or the lowest packet still missing. */
  int payloadOrMissing(int unit) {
    return (int) units.end(unit, PACKET);
  }

  long sentAt(int unit) {
    return units.end(unit, SENT);
  }

  void sentAt(int unit, long time) {
    units.end(unit, SENT, time);
  }

  /** Bytes of credit, or the received packets of an acknowledgement. */
  long creditOrBits(int unit) {
    return units.end(unit, CREDIT);
  }

  void creditOrBits(int unit, long value) {
    units.end(unit, CREDIT, value);
  }

  void queued(int unit, int bytes, int arrivedBy) {
    units.header(unit, QUEUED, (long) bytes << 32 | arrivedBy & 0xFFFFFFFFL);
  }

  int queuedBytes(int unit) {
    return (int) (units.header(unit, QUEUED) >>> 32);
  }

  int arrivedBy(int unit) {
    return (int) units.header(unit, QUEUED);
  }

  void firstBit(int unit, int packet, int receivedBytes) {
    units.end(unit, FIRST, (long) receivedBytes << 32 | packet & 0xFFFFFFFFL);
  }

  /** Bytes on the wire of the packets that an acknowledgement's receiver has, modulo 2^32. */
  int receivedBytes(int unit) {
    return (int) (units.end(unit, FIRST) >>> 32);
  }

  int firstBit(int unit) {
    return (int) units.end(unit, FIRST);
  }

  long key(int unit) {
    return units.end(unit, KEY);
  }

  /** Notes the connection of a data packet; packets of receivers have another word at its place. */
  void key(int unit, long key) {
    units.end(unit, KEY, key);
  }

  /** Notes the hash of connection and direction of a packet whose path is known. */
  void flow(int unit, long hash) {
    units.header(unit, FLOW, hash ^ path(unit));
  }

  int hops(int unit) {
    return (int) units.end(unit, HOPS);
  }

  void addHop(int unit, long time, long sentBytes, long queueBytes, long rate) {
    int hop = hops(unit);
    if (hop < MAX_HOPS) {
      int word = WORDS + HOP_WORDS * hop;
      units.end(unit, word, time);
      units.end(unit, word + 1, sentBytes);
      units.end(unit, word + 2, queueBytes);
      units.end(unit, word + 3, rate);
      units.end(unit, HOPS, hop + 1);
    }
  }

  long hop(int unit, int hop, int field) {
    return units.end(unit, WORDS + HOP_WORDS * hop + field);
  }

  /** Copies the telemetry of a data packet into its acknowledgement. */
  void echoHops(int data, int acknowledgement) {
    int hops = hops(data);
    units.end(acknowledgement, HOPS, hops);
    if (hops > 0) {
      units.copyEnd(data, acknowledgement, WORDS, HOP_WORDS * hops);
    }
  }
}
