package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import dev.heddle.internal.collect.EventQueue;
import dev.heddle.internal.collect.LongLongMap;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.spi.TransportProtocol.ReceiverCredits;
import dev.heddle.units.RandomStream;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The senders of a partition's connections: they cut messages into packets as windows, pacing and credit allow, one
 * packet of each ready connection of a terminal in turn, and repeat lost packets.
 */
final class Senders {
  private static final int NONE = NetworkState.NONE;

  private final Partition partition;
  private final RunContext setup;
  private final Links links;
  private final VirtualChannels channels;
  private final PacketTable units;
  private final TransportHeader headers;
  private final Messages messages;
  private final EventQueue queue;
  private final TransportProtocol protocol;
  private final ConnectionPaths connectionPaths;
  private final AckSignals signals;
  private final boolean goesBack;
  private final boolean linksLose;
  private final LongLongMap numbers = new LongLongMap(NONE);
  private @Nullable SendConnection[] connections = new SendConnection[16];
  private int count;

  // Per channel the connections of its terminal that may send, in turn.
  private final @Nullable SendConnection[] readyHead;
  private final @Nullable SendConnection[] readyTail;
  private final boolean[] offered;

  private long firstCompletion = Long.MAX_VALUE;
  private long lastCompletion;
  private long repeated;

  Senders(Partition partition, NetworkPlan plan, NetworkState state, RunContext setup, TransportProtocol protocol) {
    this.partition = partition;
    this.setup = setup;
    this.protocol = protocol;
    links = state.links;
    channels = state.channels;
    units = partition.units;
    headers = new TransportHeader(units);
    messages = partition.messages;
    queue = partition.queue;
    connectionPaths = new ConnectionPaths(plan, protocol);
    signals = new AckSignals(headers);
    goesBack = protocol.lossRecovery() == TransportProtocol.LossRecovery.GO_BACK_N;
    linksLose = plan.mayLose();
    readyHead = new SendConnection[plan.channels];
    readyTail = new SendConnection[plan.channels];
    offered = new boolean[plan.channels];
  }

  /** Time at which the first message was acknowledged whole. */
  long firstCompletion() {
    return firstCompletion;
  }

  /** Time at which the last message was acknowledged whole. */
  long lastCompletion() {
    return lastCompletion;
  }

  /** Packets that were sent again. */
  long repeated() {
    return repeated;
  }

  /** Takes a message, which is a row of the partition's table and has been planned. */
  void submit(int message, long key) {
    SendConnection connection = connection(key, message);
    messages.limit(message, connection.path.payloadBytes());
    if (connection.credited && connection.credit <= 0 && connection.inFlight == 0 && !connection.hasPackets()) {
      // Nothing under way asks for credit: the first packet goes without, and asks.
      connection.credit = 1;
    }
    if (connection.head == NONE) {
      connection.head = message;
    } else {
      messages.next(connection.last, message);
    }
    connection.last = message;
    connection.backlogBytes += Math.max(1, messages.bytes(message));
    wake(connection);
  }

  private SendConnection connection(long key, int message) {
    int number = (int) numbers.get(key);
    return number == NONE ? open(key, message) : at(number);
  }

  private SendConnection at(int number) {
    return Objects.requireNonNull(connections[number], "no connection");
  }

  private SendConnection open(long key, int message) {
    if (count == connections.length) {
      connections = Arrays.copyOf(connections, 2 * count);
    }
    int source = Endpoints.source(key);
    int destination = Endpoints.destination(key);
    connectionPaths.requireClass(key);
    ConnectionPath path = connectionPaths.of(key);
    int channel = partition.routes.inject(
        source, messages.waypoint(message), messages.trafficClass(message), messages.id(message), destination);
    RandomStream random = RandomStream.of(setup.seed, "connection/" + key, "paths");
    SendConnection connection = new SendConnection(
        count, key, channel, messages.waypoint(message), path, new SendConnection.Protocol(protocol, random));
    ReceiverCredits credits = protocol.receiverCredits(path).orElse(null);
    if (credits != null) {
      connection.credited = true;
      connection.speculating = true;
      connection.credit = credits.speculativeBytes();
      connection.outstandingBytes = credits.outstandingBytes();
    }
    connections[count] = connection;
    numbers.put(key, count++);
    return connection;
  }

  // --- sending ---

  /** Lets a connection take its turn, if it has something to send and may. */
  private void wake(SendConnection connection) {
    if (connection.isReady || !connection.maySend()) {
      return;
    }
    if (connection.nextSendPs > queue.now()) {
      if (connection.nextSendPs < connection.paceAt) {
        connection.paceAt = connection.nextSendPs;
        queue.push(connection.paceAt, Events.pack(Events.CONNECTION, connection.number, Events.PACE));
      }
      return;
    }
    connection.isReady = true;
    int channel = connection.channel;
    SendConnection tail = readyTail[channel];
    if (tail == null) {
      readyHead[channel] = connection;
    } else {
      tail.nextReady = connection;
    }
    readyTail[channel] = connection;
    if (channels.injectionUnit(channel) == NONE) {
      offer(channel);
    }
  }

  /** Whether the unit that waits at a terminal's channel belongs to a connection. */
  boolean isOffered(int channel) {
    return offered[channel];
  }

  /** The unit of a connection has left a terminal's channel. */
  void taken(int channel) {
    offered[channel] = false;
    channels.injectionUnit(channel, NONE);
  }

  /** Makes a packet of the next ready connection the head of a terminal's channel; whether there is one. */
  boolean offer(int channel) {
    SendConnection connection = readyHead[channel];
    while (connection != null) {
      readyHead[channel] = connection.nextReady;
      if (connection.nextReady == null) {
        readyTail[channel] = null;
      }
      connection.nextReady = null;
      connection.isReady = false;
      if (connection.maySend()) {
        offered[channel] = true;
        channels.injectionUnit(channel, cut(connection));
        partition.requestInjection(channel);
        wake(connection);
        return true;
      }
      connection = readyHead[channel];
    }
    return false;
  }

  // The next packet of a connection, as a unit.
  private int cut(SendConnection connection) {
    long now = queue.now();
    int packet = connection.repeat();
    boolean again = packet != NONE;
    if (again) {
      connection.dropRepeat();
      repeated++;
    } else {
      packet = cutNew(connection);
    }
    int message = connection.row(packet);
    int bytes = connection.bytes(packet);
    connection.sends(packet, now);
    int unit = units.allocate();
    int source = setup.ranks[messages.rank(message)];
    units.payload(unit, connection.payload(packet));
    units.identity(unit, source, messages.destination(message), messages.trafficClass(message));
    units.message(
        unit, messages.id(message), messages.generated(message), messages.bytes(message), messages.tag(message));
    units.ends(unit, false);
    units.route(unit, connection.waypoint, connection.channel);
    units.hold(unit, NONE, 0, 0);
    units.tailAt(unit, 0);
    if (connection.credited) {
      connection.credit -= bytes;
    }
    long rate = connection.control.rateBitsPerSecond();
    if (rate != Long.MAX_VALUE) {
      connection.nextSendPs = Math.max(now, connection.nextSendPs) + (long) (bytes * (8e12 / rate));
    }
    boolean last = !connection.hasPackets();
    boolean urgent = again || last || !connection.maySend();
    connection.control.onSent(now, bytes);
    int flags = (again ? TransportHeader.REPEATED : 0) | (urgent ? TransportHeader.URGENT : 0)
        | (last ? TransportHeader.LAST : 0);
    headers.start(unit, TransportHeader.DATA, flags, connection.paths.next(), connection.number);
    headers.packet(unit, packet, connection.payload(packet));
    headers.sentAt(unit, now);
    headers.creditOrBits(unit, connection.credited ? connection.wanted() : 0);
    headers.queued(unit, 0, NONE);
    headers.key(unit, connection.key);
    headers.flow(unit, connection.flow);
    if (connection.inFlight == 1) {
      connection.deadlinePs = now + connection.timeoutPs;
    }
    arm(connection);
    int link = channels.link(connection.channel);
    if (!links.isManaged(link)) {
      links.queue(link, connection.payload(packet));
    }
    return unit;
  }

  private int cutNew(SendConnection connection) {
    int message = connection.head;
    int payload = messages.cut(message);
    connection.backlogBytes -= Math.max(1, payload);
    if (messages.remaining(message) == 0) {
      connection.head = messages.next(message);
      if (connection.head == NONE) {
        connection.last = NONE;
      }
    }
    return connection.add(payload, message);
  }

  /** A packet leaves its terminal, or its node: the time from which its round trip counts. */
  void leaves(int unit) {
    headers.sentAt(unit, queue.now());
    SendConnection connection = at(headers.connection(unit));
    int packet = headers.packet(unit);
    if (connection.holds(packet)) {
      connection.leaves(packet, queue.now());
    }
  }

  // --- signals ---

  /** An acknowledgement, a notification or a grant has arrived. */
  void receive(int unit) {
    SendConnection connection = at(headers.connection(unit));
    switch (headers.kind(unit)) {
      case TransportHeader.ACKNOWLEDGEMENT :
        acknowledge(connection, unit);
        break;
      case TransportHeader.NEGATIVE :
        if (goesBack) {
          goBack(connection, unit);
        } else {
          trimmed(connection, unit);
        }
        break;
      case TransportHeader.NOTIFICATION :
        connection.control.onNotification(queue.now());
        break;
      default :
        grant(connection, headers.creditOrBits(unit));
    }
    arm(connection);
    wake(connection);
  }

  private void grant(SendConnection connection, long granted) {
    connection.stopSpeculating();
    if (granted > connection.granted) {
      connection.credit = Math.min(connection.outstandingBytes, connection.credit + granted - connection.granted);
      connection.granted = granted;
    }
  }

  private void acknowledge(SendConnection connection, int unit) {
    connection.stopSpeculating();
    long now = queue.now();
    long before = connection.inFlightBytes;
    int packet = headers.packet(unit);
    boolean again = headers.has(unit, TransportHeader.REPEATED);
    boolean timed = goesBack ? !again : connection.isTimed(packet, again);
    long roundTrip = timed ? now - headers.sentAt(unit) : -1;
    long bytes = collect(connection, unit);
    long counted = goesBack ? bytes : connection.report(headers.receivedBytes(unit));
    if (goesBack && bytes > 0) {
      connection.deadlinePs = now + connection.timeoutPs;
    }
    rest(connection);
    if (protocol.reorderingPackets() > 0 && before > 0) {
      infer(connection, packet, headers.sentAt(unit));
    }
    signals.show(unit, now, roundTrip, counted, connection);
    connection.control.onAcknowledgement(signals);
    connection.paths.onAcknowledgement(headers.path(unit), headers.has(unit, TransportHeader.MARKED));
  }

  // Takes in the packets that an acknowledgement names; their bytes.
  private long collect(SendConnection connection, int unit) {
    long bytes = 0;
    int missing = headers.payloadOrMissing(unit);
    for (int packet = connection.first; packet - missing < 0; packet++) {
      bytes += settle(connection, packet);
    }
    int base = headers.firstBit(unit);
    long bits = headers.creditOrBits(unit);
    while (bits != 0) {
      bytes += settle(connection, base + Long.numberOfTrailingZeros(bits));
      bits &= bits - 1;
    }
    while (connection.first != connection.next
        && connection.status(connection.first) == SendConnection.ACKNOWLEDGED) {
      connection.first++;
    }
    return bytes;
  }

  private long settle(SendConnection connection, int packet) {
    if (!connection.holds(packet) || connection.status(packet) == SendConnection.ACKNOWLEDGED) {
      return 0;
    }
    connection.acknowledge(packet);
    int message = connection.row(packet);
    if (messages.acknowledge(message, connection.payload(packet))) {
      complete(message);
    }
    return connection.bytes(packet);
  }

  private void complete(int message) {
    int rank = messages.rank(message);
    long now = queue.now();
    firstCompletion = Math.min(firstCompletion, now);
    lastCompletion = now;
    messages.release(message);
    setup.queued[rank]--;
    partition.runner.onRoom(rank);
  }

  // Packets that were sent before one that has arrived, and are several packets behind it, are lost.
  private void infer(SendConnection connection, int packet, long sentAt) {
    int limit = packet - protocol.reorderingPackets();
    long lost = 0;
    for (int each = connection.first; each - limit <= 0 && connection.holds(each); each++) {
      if (connection.status(each) == SendConnection.IN_FLIGHT && connection.sentAt(each) < sentAt) {
        lost += connection.bytes(each);
        connection.lose(each);
      }
    }
    if (lost > 0) {
      connection.control.onLoss(queue.now(), lost);
    }
  }

  private void trimmed(SendConnection connection, int unit) {
    connection.stopSpeculating();
    int packet = headers.packet(unit);
    if (!connection.holds(packet) || connection.status(packet) != SendConnection.IN_FLIGHT) {
      return;
    }
    int bytes = connection.bytes(packet);
    boolean lastHop = headers.has(unit, TransportHeader.LAST_HOP);
    connection.lose(packet);
    rest(connection);
    connection.control.onTrimmed(queue.now(), bytes, lastHop);
    if (lastHop) {
      connection.paths.onAcknowledgement(headers.path(unit), false);
    } else {
      connection.paths.onTrimmed(headers.path(unit));
    }
  }

  private void goBack(SendConnection connection, int unit) {
    collect(connection, unit);
    long lost = loseFrom(connection, Long.MAX_VALUE);
    if (lost > 0) {
      connection.control.onLoss(queue.now(), lost);
    }
  }

  // Takes for lost all packets that were sent up to a time; their bytes.
  private long loseFrom(SendConnection connection, long sentUntil) {
    long lost = 0;
    if (goesBack) {
      connection.clearRepeats();
    }
    for (int packet = connection.first; packet != connection.next; packet++) {
      int status = connection.status(packet);
      if (status == SendConnection.IN_FLIGHT && connection.sentAt(packet) <= sentUntil) {
        lost += connection.bytes(packet);
        connection.lose(packet);
      } else if (goesBack && status == SendConnection.LOST) {
        connection.loseAgain(packet);
      }
    }
    return lost;
  }

  /** The pacing of a connection lets its next packet go. */
  void pace(int number) {
    SendConnection connection = at(number);
    if (connection.paceAt <= queue.now()) {
      connection.paceAt = Long.MAX_VALUE;
      wake(connection);
    }
  }

  /** A timer of a connection has expired. */
  void timer(int number) {
    SendConnection connection = at(number);
    long now = queue.now();
    if (connection.timerAt > now) {
      return;
    }
    connection.timerAt = Long.MAX_VALUE;
    if (connection.control.timerPs() <= now) {
      connection.control.onTimer(now);
    }
    if (connection.deadlinePs <= now) {
      expire(connection, now);
    }
    arm(connection);
    wake(connection);
  }

  // Nothing in flight can time out.
  private static void rest(SendConnection connection) {
    connection.deadlinePs = connection.inFlight == 0 ? Long.MAX_VALUE : connection.deadlinePs;
  }

  private void expire(SendConnection connection, long now) {
    long since = goesBack ? Long.MAX_VALUE : now - connection.timeoutPs;
    for (int packet = connection.first; packet != connection.next; packet++) {
      if (connection.status(packet) == SendConnection.IN_FLIGHT && connection.sentAt(packet) <= since) {
        connection.paths.onTimeout(0, now);
        break;
      }
    }
    long lost = loseFrom(connection, since);
    if (lost > 0) {
      connection.control.onTimeout(now, lost);
    }
    if (connection.credited && connection.credit <= 0 && connection.inFlight == 0 && (lost > 0 || linksLose)) {
      // The request for credit, or the grant, may have been lost: one packet goes without.
      connection.credit = 1;
    }
    long earliest = Long.MAX_VALUE;
    for (int packet = connection.first; packet != connection.next; packet++) {
      if (connection.status(packet) == SendConnection.IN_FLIGHT) {
        earliest = Math.min(earliest, connection.sentAt(packet) + connection.timeoutPs);
      }
    }
    connection.deadlinePs = earliest;
  }

  // One event is pending for the earlier of the deadline and the control's timer.
  private void arm(SendConnection connection) {
    boolean active = connection.inFlight > 0 || connection.hasPackets();
    if (!active) {
      return;
    }
    if (connection.inFlight == 0 && connection.credited && linksLose && connection.deadlinePs == Long.MAX_VALUE) {
      connection.deadlinePs = queue.now() + connection.timeoutPs;
    }
    long due = Math.min(connection.deadlinePs, connection.control.timerPs());
    if (due < connection.timerAt) {
      connection.timerAt = Math.max(due, queue.now() + 1);
      queue.push(connection.timerAt, Events.pack(Events.CONNECTION, connection.number, Events.TIMER));
    }
  }
}
