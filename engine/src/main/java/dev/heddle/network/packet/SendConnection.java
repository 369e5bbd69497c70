package dev.heddle.network.packet;

import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.spi.PathSelector;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.units.RandomStream;
import org.jspecify.annotations.Nullable;

/**
 * The sender's state of one connection: the packets that have been sent and are not acknowledged, in a ring, and the
 * messages that wait. A congestion control that is a path selector too chooses the paths of its packets, each right
 * after it is told that the packet leaves.
 */
final class SendConnection {
  static final byte IN_FLIGHT = 1;
  static final byte ACKNOWLEDGED = 2;
  static final byte LOST = 3;

  // Credit is asked for in units, rounded up, so that one who has sent on credit may go on when he has it back [uec.h].
  private static final int CREDIT_UNIT = 256;

  final int number;
  final long key;
  final int channel;
  final int waypoint;
  final ConnectionPath path;
  final CongestionControl control;
  final PathSelector paths;
  final long timeoutPs;

  // Messages that have payload to be sent for the first time, linked by their rows.
  int head = Messages.NONE;
  int last = Messages.NONE;

  // Packets from first to next - 1 are in the ring.
  int first;
  int next;
  long inFlightBytes;
  int inFlight;
  private long lostBytes;

  // Bytes of the packets that acknowledgements have named, and most bytes that the receiver has counted, modulo 2^32.
  private int namedBytes;
  private int reportedBytes;
  long backlogBytes;
  private int mask = 63;
  private long[] sentAt = new long[64];
  private int[] payload = new int[64];
  private int[] bytes = new int[64];
  private int[] row = new int[64];
  private byte[] status = new byte[64];
  // Repetitions of each, counted up to two.
  private byte[] repetitions = new byte[64];

  // Lost packets to be sent again, in order, in a ring.
  private int[] repeats = new int[16];
  private int repeatHead;
  private int repeatCount;

  // Credit of the receiver in bytes; its use of speculative credit ends with the first signal.
  boolean credited;
  boolean speculating;
  long credit;
  long granted;
  long outstandingBytes;

  long nextSendPs;
  long paceAt = Long.MAX_VALUE;
  long timerAt = Long.MAX_VALUE;
  long deadlinePs = Long.MAX_VALUE;
  boolean isReady;
  @Nullable
  SendConnection nextReady;

  /**
   * A connection without packets.
   *
   * @param number among those of its partition
   * @param key that both its ends know
   * @param channel by which it leaves its terminal
   * @param waypoint to which it goes within its first tier
   * @param path in the idle network
   * @param protocol of which it is a connection, with the random stream of its path selection
   */
  SendConnection(int number, long key, int channel, int waypoint, ConnectionPath path, Protocol protocol) {
    this.number = number;
    this.key = key;
    this.channel = channel;
    this.waypoint = waypoint;
    this.path = path;
    control = protocol.protocol().connect(path);
    paths = control instanceof PathSelector own ? own : protocol.protocol().paths(path, protocol.random());
    timeoutPs = protocol.protocol().timeoutPs(path);
  }

  /**
   * A protocol, for one connection.
   *
   * @param protocol that makes its congestion control and path selection
   * @param random stream of its path selection
   */
  record Protocol(TransportProtocol protocol, RandomStream random) {}

  /** Adds a packet to the ring; its number. */
  int add(int packetPayload, int packetBytes, int messageRow) {
    if (next - first > mask) {
      grow();
    }
    int at = next & mask;
    payload[at] = packetPayload;
    bytes[at] = packetBytes;
    row[at] = messageRow;
    status[at] = IN_FLIGHT;
    repetitions[at] = 0;
    return next++;
  }

  private void grow() {
    int old = mask + 1;
    int size = 2 * old;
    long[] newSentAt = new long[size];
    int[] newPayload = new int[size];
    int[] newBytes = new int[size];
    int[] newRow = new int[size];
    byte[] newStatus = new byte[size];
    byte[] newRepetitions = new byte[size];
    for (int packet = first; packet != next; packet++) {
      int from = packet & mask;
      int to = packet & (size - 1);
      newSentAt[to] = sentAt[from];
      newPayload[to] = payload[from];
      newBytes[to] = bytes[from];
      newRow[to] = row[from];
      newStatus[to] = status[from];
      newRepetitions[to] = repetitions[from];
    }
    mask = size - 1;
    sentAt = newSentAt;
    payload = newPayload;
    bytes = newBytes;
    row = newRow;
    status = newStatus;
    repetitions = newRepetitions;
  }

  boolean holds(int packet) {
    return packet - first >= 0 && packet - next < 0;
  }

  byte status(int packet) {
    return status[packet & mask];
  }

  int payload(int packet) {
    return payload[packet & mask];
  }

  int bytes(int packet) {
    return bytes[packet & mask];
  }

  int row(int packet) {
    return row[packet & mask];
  }

  long sentAt(int packet) {
    return sentAt[packet & mask];
  }

  /** Notes that a packet is on its way. */
  void sends(int packet, long now) {
    int at = packet & mask;
    if (status[at] == LOST) {
      lostBytes -= bytes[at];
      repetitions[at] = (byte) Math.min(2, repetitions[at] + 1);
    }
    status[at] = IN_FLIGHT;
    sentAt[at] = now;
    inFlightBytes += bytes[at];
    inFlight++;
  }

  /** Notes when a packet left its sender. */
  void leaves(int packet, long now) {
    sentAt[packet & mask] = now;
  }

  /**
   * Whether an acknowledgement tells the round trip of one transmission of a packet that is not acknowledged yet: its
   * only one, or the only repetition.
   *
   * @param repeated whether a repetition has arrived
   */
  boolean isTimed(int packet, boolean repeated) {
    return holds(packet) && status(packet) != ACKNOWLEDGED && repetitions[packet & mask] == (repeated ? 1 : 0);
  }

  /** Notes that a packet has arrived. */
  void acknowledge(int packet) {
    int at = packet & mask;
    if (status[at] == IN_FLIGHT) {
      inFlightBytes -= bytes[at];
      inFlight--;
    } else if (status[at] == LOST) {
      lostBytes -= bytes[at];
    }
    status[at] = ACKNOWLEDGED;
    namedBytes += bytes[at];
  }

  /**
   * Takes the receiver's count of bytes, which is ahead of the packets that acknowledgements name where one stands for
   * several packets.
   *
   * @return the bytes that are new to the sender
   */
  int report(int receivedBytes) {
    int more = Math.max(0, receivedBytes - reportedBytes);
    reportedBytes += more;
    return more;
  }

  /** Bytes in flight, without those that the receiver has counted. */
  long outstanding() {
    return Math.max(0, inFlightBytes - Math.max(0, reportedBytes - namedBytes));
  }

  /** Notes that a packet in flight is lost, and has to be sent again. */
  void lose(int packet) {
    int at = packet & mask;
    inFlightBytes -= bytes[at];
    inFlight--;
    lostBytes += bytes[at];
    status[at] = LOST;
    append(packet);
  }

  /**
   * Credit in all that lets the connection send what waits, as far as it may ask ahead and its window allows. Credit
   * that the last packet took in advance counts too. Speculative credit ends with the first signal: a connection with a
   * backlog asks for a packet at least, whatever speculative credit it has [uet-htsim uec.cpp, computePullTarget].
   */
  long wanted() {
    long packets = (backlogBytes + path.payloadBytes() - 1) / path.payloadBytes();
    long waiting = backlogBytes + packets * (path.packetBytes() - path.payloadBytes()) + lostBytes;
    long window = control.windowBytes();
    long most = window < outstandingBytes ? Math.min(outstandingBytes, window + path.packetBytes()) : outstandingBytes;
    long least = speculating && backlogBytes > 0 ? path.packetBytes() : 0;
    long wanted = granted + Math.max(least, Math.min(waiting, most) - credit);
    return wanted + CREDIT_UNIT - 1 & -CREDIT_UNIT;
  }

  private void append(int packet) {
    if (repeatCount == repeats.length) {
      int[] grown = new int[2 * repeatCount];
      for (int i = 0; i < repeatCount; i++) {
        grown[i] = repeats[(repeatHead + i) % repeatCount];
      }
      repeats = grown;
      repeatHead = 0;
    }
    repeats[(repeatHead + repeatCount) % repeats.length] = packet;
    repeatCount++;
  }

  /** Puts a lost packet behind those to be sent again. */
  void loseAgain(int packet) {
    append(packet);
  }

  /** The first packet to be sent again that is still missing; {@link NetworkState#NONE} for none. */
  int repeat() {
    while (repeatCount > 0) {
      int packet = repeats[repeatHead];
      if (holds(packet) && status(packet) == LOST) {
        return packet;
      }
      dropRepeat();
    }
    return NetworkState.NONE;
  }

  /** Takes the first packet to be sent again out of those that wait. */
  void dropRepeat() {
    repeatHead = (repeatHead + 1) % repeats.length;
    repeatCount--;
  }

  /** Forgets which packets wait to be sent again. */
  void clearRepeats() {
    repeatCount = 0;
  }

  /** Whether there is a packet to send, for the first time or again. */
  boolean hasPackets() {
    return head != Messages.NONE || repeat() != NetworkState.NONE;
  }

  /** Whether the connection has a packet that its window and credit allow to leave. */
  boolean maySend() {
    if (!hasPackets()) {
      return false;
    }
    if (credited && credit <= 0) {
      return false;
    }
    return inFlight == 0
        || outstanding() + path.packetBytes() <= control.windowBytes();
  }

  /** Ends the use of speculative credit. */
  void stopSpeculating() {
    if (speculating) {
      speculating = false;
      credit = Math.min(0, credit);
    }
  }
}
