package dev.heddle.network.flow;

import dev.heddle.fabric.Fabric;
import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.CongestionControl.Acknowledgement;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.units.RandomStream;
import java.util.Arrays;

/**
 * A connection whose congestion control runs on fluid queues: what it has sent and what waits for it in the network,
 * and the notifications and acknowledgements that are on their way back.
 */
final class PacedConnection implements Acknowledgement {
  private static final int NONE = -1;
  private static final double BITS_PS = 8e12;

  final CongestionControl control;
  final ConnectionPath path;
  /** Bytes on the wire per byte of payload. */
  final double wirePerPayload;
  private final RandomStream random;
  private final long notificationPs;

  /** The flow of the message under way; -1 for none. */
  int flow = NONE;
  /** Its links, of which the first {@link #hops} carry its payload, their shares and parts; last, its own limit. */
  int[] links = new int[0];
  double[] weights = new double[0];
  double[] parts = new double[0];
  int hops;
  int count;
  /** The place on the path of the first link over which the protocol runs, and of the one before which it waits. */
  int first;
  int at;
  boolean sprayed;

  /** Payload that has not been sent, of the message under way and those after it that its host has come to. */
  double unsent;
  /** Payload that waits in the network. */
  double backlog;
  /** The last message whose payload is in these, and the number of those after the one under way. */
  int reached = NONE;
  int ahead;
  /** Payload of the message that was not yet served at the last step. */
  double unserved;
  /** Payload served and sent in the last step, of all messages; the part of the backlog whose place is being sought. */
  double served;
  double sent;
  double placing;
  long since;
  long servedAt;
  double share;
  boolean isSettled;
  double ceiling;
  /** The share of its host's link for a rate of 1. */
  double hostWeight;
  double sentWire;

  // Packets that have passed the queues, from a random phase on.
  private double passed;
  private double hazard;
  private double threshold;
  private long notifiedAt = Long.MIN_VALUE / 2;
  private long[] due = new long[4];
  private int dueCount;

  private long acknowledgedAt = Long.MAX_VALUE;
  private long leavesAt;
  private long leftAt;
  private double gap;
  private long trip;
  private long roundPacket;
  private long nextPacket;
  private long nowPs;
  private double sentPackets;

  PacedConnection(CongestionControl control, ConnectionPath path, RandomStream random, long notificationPs) {
    this.control = control;
    this.path = path;
    this.random = random;
    this.notificationPs = notificationPs;
    wirePerPayload = (double) path.packetBytes() / path.payloadBytes();
    threshold = random.nextExponential();
    passed = random.nextDouble();
  }

  /** Payload per picosecond at which the control lets the connection send. */
  double rate() {
    return control.rateBitsPerSecond() / BITS_PS / wirePerPayload;
  }

  /** Whether the control leaves the connection the rate of its path. */
  boolean isUnlimited() {
    return control.rateBitsPerSecond() >= path.rateBitsPerSecond();
  }

  /**
   * A message is the first that has not left the network. Those of a connection leave the host one behind another, so
   * that a part of it may wait in the network already.
   */
  void begin(int carrier, int message, PathPlanner planned, long now, double bytes) {
    flow = carrier;
    count = planned.entries() + 1;
    hops = planned.hops();
    sprayed = hops > planned.pathHops();
    if (links.length < count) {
      links = new int[2 * count];
      weights = new double[2 * count];
      parts = new double[2 * count];
    }
    System.arraycopy(planned.links(), 0, links, 0, count - 1);
    System.arraycopy(planned.weights(), 0, weights, 0, count - 1);
    System.arraycopy(planned.parts(), 0, parts, 0, hops);
    unserved = bytes;
    servedAt = now;
    if (ahead > 0) {
      ahead--;
      return;
    }
    reached = message;
    unsent = bytes;
    backlog = 0;
    served = 0;
    since = now;
    acknowledgedAt = Long.MAX_VALUE;
    leavesAt = now;
    fire(now);
  }

  /**
   * Goes on to the queue ahead on its path with what has found no room, or takes it back into the host.
   *
   * @return whether it seeks another queue
   */
  boolean retreat(FluidQueues queues) {
    if (placing < 1) {
      placing = 0;
      return false;
    }
    if (sprayed || at == 0 || !queues.queues(links[at - 1])) {
      double refused = Math.min(sent, placing);
      sent -= refused;
      backlog -= refused;
      placing = 0;
      return false;
    }
    at--;
    return true;
  }

  /** Notes what was sent in a step. */
  void sends(long now) {
    unsent -= sent;
    sentPackets += sent / path.payloadBytes();
    sentWire += sent * wirePerPayload;
    int whole = (int) Math.min(Integer.MAX_VALUE, sentWire);
    if (whole > 0) {
      sentWire -= whole;
      control.onSent(now, whole);
    }
  }

  /**
   * Lets the signals of a step reach the receiver, and those that are due the sender.
   *
   * @param perPacket hazard of a mark for a packet
   * @param queues of the network
   */
  void signal(long now, double perPacket, FluidQueues queues) {
    double packets = served / path.payloadBytes();
    if (notificationPs > 0 && perPacket > 0 && now > since) {
      mark(now, perPacket, packets / (now - since));
    }
    passed += packets;
    fire(now);
    acknowledge(now, queues);
  }

  // Each packet is marked by chance; the first one that is, after a notification's time, sends the next.
  private void mark(long now, double perPacket, double packetsPerPs) {
    double from = Math.max(since, notifiedAt + notificationPs);
    while (from < now) {
      double before = passed + (from - since) * packetsPerPs;
      double whole = Math.floor(before);
      double marked = Math.max(1, Math.ceil((threshold - hazard) / perPacket));
      double came = Math.floor(passed + (now - since) * packetsPerPs) - whole;
      if (marked > came) {
        hazard += came * perPacket;
        return;
      }
      hazard = 0;
      threshold = random.nextExponential();
      // Packets of others come between, so that the phase of one does not last.
      passed += random.nextDouble();
      notifiedAt = (long) (from + (whole + marked - before) / packetsPerPs);
      if (dueCount == due.length) {
        due = Arrays.copyOf(due, 2 * dueCount);
      }
      due[dueCount++] = notifiedAt + back();
      from = notifiedAt + notificationPs;
    }
  }

  // From the link that marks on to the receiver, and back.
  private long back() {
    double ahead = sprayed ? 0.5 : (double) (at + 1 - first) / Math.max(1, hops - first);
    return (long) (path.baseRttPs() * (1 - ahead / 2));
  }

  // Notifications and timers up to a time, in their order.
  private void fire(long now) {
    int fired = 0;
    long timer = control.timerPs();
    while (Math.min(timer, fired < dueCount ? due[fired] : Long.MAX_VALUE) <= now) {
      if (fired < dueCount && due[fired] <= timer) {
        control.onNotification(due[fired++]);
      } else {
        control.onTimer(timer);
      }
      timer = control.timerPs();
    }
    System.arraycopy(due, fired, due, 0, dueCount - fired);
    dueCount -= fired;
  }

  // The acknowledgement of one packet of each round trip; the others tell a control of rates nothing new. The next of
  // these packets is the first to leave after it, and leaves a multiple of the time between packets after the last.
  private void acknowledge(long now, FluidQueues queues) {
    while (Math.min(leavesAt, acknowledgedAt) <= now) {
      if (leavesAt <= now) {
        trip = roundTrip(queues, now > since ? (double) (leavesAt - since) / (now - since) : 1);
        acknowledgedAt = leavesAt + trip;
        gap = Math.max(1, path.payloadBytes() * hostWeight / share);
        leftAt = leavesAt;
        leavesAt = Long.MAX_VALUE;
      } else {
        nowPs = acknowledgedAt;
        nextPacket = Math.max(roundPacket + 1, (long) sentPackets);
        control.onAcknowledgement(this);
        roundPacket = nextPacket;
        leavesAt = leftAt + (long) (gap * Math.ceil(trip / gap));
        acknowledgedAt = Long.MAX_VALUE;
      }
    }
  }

  // That of a packet which leaves now, and of its acknowledgement, which goes before all data.
  private long roundTrip(FluidQueues queues, double part) {
    double waits = 0;
    for (int hop = first; hop < hops; hop++) {
      if (queues.queues(links[hop])) {
        waits += parts[hop] * queues.waitPs(links[hop], path.packetBytes(), Math.max(0, part), random);
      }
      waits += parts[hop] * queues.residualPs(Fabric.opposite(links[hop]), path.packetBytes(), random);
    }
    return path.baseRttPs() + (long) waits;
  }

  @Override
  public long nowPs() {
    return nowPs;
  }

  @Override
  public long roundTripPs() {
    return trip;
  }

  @Override
  public long newBytes() {
    return (nextPacket - roundPacket) * path.packetBytes();
  }

  @Override
  public boolean marked() {
    return false;
  }

  @Override
  public long inFlightBytes() {
    return (long) (backlog * wirePerPayload);
  }

  @Override
  public long packet() {
    return roundPacket;
  }

  @Override
  public long nextPacket() {
    return nextPacket;
  }

  @Override
  public int hops() {
    return 0;
  }

  @Override
  public long hopTimePs(int hop) {
    throw new IndexOutOfBoundsException(hop);
  }

  @Override
  public long hopSentBytes(int hop) {
    throw new IndexOutOfBoundsException(hop);
  }

  @Override
  public long hopQueueBytes(int hop) {
    throw new IndexOutOfBoundsException(hop);
  }

  @Override
  public long hopRate(int hop) {
    throw new IndexOutOfBoundsException(hop);
  }
}
