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
  static final int IN_FLIGHT = 1;
  static final int ACKNOWLEDGED = 2;
  static final int LOST = 3;

  private static final int PAYLOAD = 32;
  private static final int ROW = 4;
  private static final int STATUS = 3;
  private static final int REPEATED_ONCE = 4;
  private static final int REPEATED_TWICE = 8;
  private static final int REPETITIONS = 12;

  // Credit is asked for in units, rounded up, so that one who has sent on credit may go on when he has it back [uec.h].
  private static final int CREDIT_UNIT = 256;

  final int number;
  final long key;
  /** Hash of the connection by which switches choose paths of its packets. */
  final long flow;
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
  // Two words for each packet: the time at which it was sent; payload (32), row of its message (28), repetitions,
  // counted up to two (2), and status (2).
  private long[] ring = new long[2 * 64];
  private final int overheadBytes;

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
    flow = RandomStream.mix(key);
    this.channel = channel;
    this.waypoint = waypoint;
    this.path = path;
    overheadBytes = path.packetBytes() - path.payloadBytes();
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
  int add(int payload, int messageRow) {
    if (next - first > mask) {
      grow();
    }
    ring[state(next)] = (long) payload << PAYLOAD | (long) messageRow << ROW | IN_FLIGHT;
    return next++;
  }

  private void grow() {
    long[] old = ring;
    ring = new long[2 * old.length];
    int oldMask = mask;
    mask = 2 * mask + 1;
    for (int packet = first; packet != next; packet++) {
      System.arraycopy(old, 2 * (packet & oldMask), ring, 2 * (packet & mask), 2);
    }
  }

  private int state(int packet) {
    return 2 * (packet & mask) + 1;
  }

  boolean holds(int packet) {
    return packet - first >= 0 && packet - next < 0;
  }

  int status(int packet) {
    return (int) ring[state(packet)] & STATUS;
  }

  private void status(int at, int status) {
    ring[at] = ring[at] & ~STATUS | status;
  }

  int payload(int packet) {
    return (int) (ring[state(packet)] >>> PAYLOAD);
  }

  /** Bytes on the wire of a packet. */
  int bytes(int packet) {
    return payload(packet) + overheadBytes;
  }

  int row(int packet) {
    return (int) ring[state(packet)] >>> ROW;
  }

  long sentAt(int packet) {
    return ring[state(packet) - 1];
  }

  /** Notes that a packet is on its way. */
  void sends(int packet, long now) {
    int at = state(packet);
    int bytes = bytes(packet);
    if (status(packet) == LOST) {
      lostBytes -= bytes;
      ring[at] += (ring[at] & REPEATED_TWICE) == 0 ? REPEATED_ONCE : 0;
    }
    status(at, IN_FLIGHT);
    ring[at - 1] = now;
    inFlightBytes += bytes;
    inFlight++;
  }

  /** Notes when a packet left its sender. */
  void leaves(int packet, long now) {
    ring[state(packet) - 1] = now;
  }

  /**
   * Whether an acknowledgement tells the round trip of one transmission of a packet that is not acknowledged yet: its
   * only one, or the only repetition.
   *
   * @param repeated whether a repetition has arrived
   */
  boolean isTimed(int packet, boolean repeated) {
    return holds(packet) && status(packet) != ACKNOWLEDGED
        && (ring[state(packet)] & REPETITIONS) == (repeated ? REPEATED_ONCE : 0);
  }

  /** Notes that a packet has arrived. */
  void acknowledge(int packet) {
    int bytes = bytes(packet);
    int status = status(packet);
    if (status == IN_FLIGHT) {
      inFlightBytes -= bytes;
      inFlight--;
    } else if (status == LOST) {
      lostBytes -= bytes;
    }
    status(state(packet), ACKNOWLEDGED);
    namedBytes += bytes;
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
    int bytes = bytes(packet);
    inFlightBytes -= bytes;
    inFlight--;
    lostBytes += bytes;
    status(state(packet), LOST);
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
