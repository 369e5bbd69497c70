package dev.heddle.network.packet;

import dev.heddle.collective.MessageLabel;
import dev.heddle.engine.Events;
import dev.heddle.fabric.Fabric;
import dev.heddle.internal.collect.EventQueue;
import dev.heddle.internal.collect.LongLongMap;
import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.spi.TransportProtocol.ReceiverCredits;
import dev.heddle.units.RandomStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The receivers of a partition's connections: take packets in, acknowledge them, notify of marks, and grant credit to
 * senders in turn.
 */
final class Receivers {
  private static final int NONE = NetworkState.NONE;

  // A receiver repeats a negative acknowledgement for the same packet after this time [HPCC simulator, rdma-hw.cc].
  private static final long REPEAT_PS = 500_000_000L;

  // The time of a turn in which no credit is granted, as bytes [uet-htsim uec.cpp, UecPullPacer].
  private static final int LEAST_TURN_BYTES = 1024;

  private final Partition partition;
  private final ManagedPorts ports;
  private final NetworkPlan plan;
  private final Fabric fabric;
  private final PacketTable units;
  private final TransportHeader headers;
  private final EventQueue queue;
  private final TransportProtocol protocol;
  private final ConnectionPaths paths;
  private final boolean ordered;
  private final int ackBytes;
  private final long notificationPs;
  private final long seed;
  private final LongLongMap numbers = new LongLongMap(NONE);
  private @Nullable ReceiveConnection[] connections = new ReceiveConnection[16];
  private int count;

  // Per device; none where the protocol grants no credit.
  private @Nullable GrantPacer[] pacers = new GrantPacer[0];
  private boolean knowsCredits;

  /** Grants of one terminal: the connections that wait for credit, in turn, and, while none does, idle ones. */
  private static final class GrantPacer {
    final ReceiverCredits credits;
    final double rate;
    final @Nullable CongestionControl control;
    final ArrayDeque<ReceiveConnection> waiting = new ArrayDeque<>();
    final ArrayDeque<ReceiveConnection> idle = new ArrayDeque<>();
    long nextPs;
    boolean isScheduled;

    GrantPacer(ReceiverCredits credits, long rate, @Nullable CongestionControl control) {
      this.credits = credits;
      this.rate = credits.rateShare() * rate;
      this.control = control;
    }

    void enqueue(ReceiveConnection connection) {
      if (!connection.isWaiting) {
        connection.isWaiting = true;
        waiting.addLast(connection);
      }
    }

    void rest(ReceiveConnection connection) {
      if (!connection.isIdle && connection.granted - connection.asked < credits.outstandingBytes()) {
        connection.isIdle = true;
        idle.addLast(connection);
      }
    }

    long intervalPs(long bytes) {
      double now = control == null ? rate : Math.min(rate, control.rateBitsPerSecond());
      return Math.max(1, Math.round(bytes * 8e12 / now));
    }
  }

  Receivers(
      Partition partition, ManagedPorts ports, NetworkPlan plan, NetworkState state, RunContext setup,
      TransportProtocol protocol) {
    this.partition = partition;
    this.ports = ports;
    this.plan = plan;
    fabric = plan.fabric;
    units = partition.units;
    headers = new TransportHeader(units);
    queue = partition.queue;
    this.protocol = protocol;
    paths = new ConnectionPaths(plan, protocol);
    ordered = protocol.lossRecovery() == TransportProtocol.LossRecovery.GO_BACK_N;
    ackBytes = protocol.acknowledgementBytes();
    notificationPs = protocol.notificationPs();
    seed = setup.seed;
  }

  /** A data packet, whole or trimmed, has reached the receiver's device. */
  void receive(int device, int link, int unit) {
    ReceiveConnection connection = connection(unit);
    int packet = headers.packet(unit);
    observe(device, connection, unit);
    if (headers.has(unit, TransportHeader.TRIMMED)) {
      refuse(device, connection, unit, packet);
      units.release(unit);
      return;
    }
    note(device, connection, unit);
    if (headers.has(unit, TransportHeader.MARKED)) {
      notify(device, connection, unit);
    }
    boolean again = connection.hasReceived(packet);
    if (ordered && !again && packet != connection.missing) {
      passedOver(device, connection, unit);
      units.release(unit);
      return;
    }
    if (!again) {
      connection.receive(packet);
    }
    acknowledge(device, connection, unit, packet, again);
    if (again) {
      units.release(unit);
    } else {
      passOn(device, link, unit);
    }
  }

  // To the message, or, at a NIC, to the terminal within its node.
  private void passOn(int device, int link, int unit) {
    if (units.destination(unit) == device) {
      partition.delivery.accept(unit);
    } else {
      int waypoint = fabric.nextWaypoint(device, units.message(unit), units.destination(unit));
      ports.forward(device, link, waypoint, unit);
    }
  }

  private ReceiveConnection connection(int unit) {
    long key = headers.key(unit);
    int number = (int) numbers.get(key);
    if (number == NONE) {
      if (count == connections.length) {
        connections = Arrays.copyOf(connections, 2 * count);
      }
      number = count++;
      ConnectionPath path = paths.of(key);
      connections[number] =
          new ReceiveConnection(key, headers.connection(unit), path.packetBytes() - path.payloadBytes());
      numbers.put(key, number);
    }
    ReceiveConnection connection = connections[number];
    if (connection == null) {
      throw new IllegalStateException("no connection " + number);
    }
    return connection;
  }

  // --- control packets ---

  private int control(int kind, int flags, ReceiveConnection connection, int data) {
    int unit = units.allocate();
    units.payload(unit, 0);
    units.identity(unit, Endpoints.destination(connection.key), Endpoints.source(connection.key),
        units.trafficClass(data));
    units.message(unit, answer(connection), queue.now(), 0, NONE);
    units.ends(unit, false);
    units.route(unit, 0, NONE);
    units.hold(unit, NONE, 0, 0);
    units.tailAt(unit, 0);
    headers.start(unit, kind, flags, headers.path(data), connection.sender);
    headers.sentAt(unit, headers.sentAt(data));
    headers.creditOrBits(unit, 0);
    headers.queued(unit, 0, NONE);
    headers.flow(unit, connection.flow);
    return unit;
  }

  // The number by which control packets go back, on the rail of the data.
  private static long answer(ReceiveConnection connection) {
    return Fabric.message(
        Endpoints.destination(connection.key), MessageLabel.railRoute(Endpoints.label(connection.key)));
  }

  private void send(int device, ReceiveConnection connection, int unit) {
    if (connection.device != device) {
      connection.device = device;
      connection.waypoint = fabric.nextWaypoint(device, units.message(unit), units.destination(unit));
    }
    ports.forward(device, NONE, connection.waypoint, unit);
  }

  private void acknowledge(int device, ReceiveConnection connection, int data, int packet, boolean again) {
    connection.count(headers.payloadOrMissing(data), again);
    boolean marked = headers.has(data, TransportHeader.MARKED);
    boolean awaited = connection.awaits(headers.has(data, TransportHeader.URGENT));
    boolean atOnce = again || marked || awaited || !connection.isAcknowledged || connection.pendingBytes >= ackBytes;
    if (!atOnce) {
      return;
    }
    connection.isAcknowledged = true;
    connection.pendingBytes = 0;
    int flags = (marked ? TransportHeader.MARKED : 0)
        | (headers.has(data, TransportHeader.REPEATED) ? TransportHeader.REPEATED : 0);
    int unit = control(TransportHeader.ACKNOWLEDGEMENT, flags, connection, data);
    headers.packet(unit, packet, connection.missing);
    if (!ordered) {
      int first = Math.max(packet - 63, connection.missing + 1);
      headers.firstBit(unit, first, connection.receivedBytes);
      headers.creditOrBits(unit, connection.bits(first));
    }
    headers.echoHops(data, unit);
    send(device, connection, unit);
  }

  // The payload was trimmed: the sender hears of it, and needs credit for it once more.
  private void refuse(int device, ReceiveConnection connection, int data, int packet) {
    if (connection.hasReceived(packet)) {
      acknowledge(device, connection, data, packet, true);
      return;
    }
    int flags = headers.has(data, TransportHeader.LAST_HOP) ? TransportHeader.LAST_HOP : 0;
    int unit = control(TransportHeader.NEGATIVE, flags, connection, data);
    headers.packet(unit, packet, connection.missing);
    send(device, connection, unit);
    note(device, connection, data);
  }

  private void passedOver(int device, ReceiveConnection connection, int data) {
    long now = queue.now();
    if (connection.notedMissing == connection.missing && now - connection.notedAt < REPEAT_PS) {
      return;
    }
    connection.notedMissing = connection.missing;
    connection.notedAt = now;
    int unit = control(TransportHeader.NEGATIVE, 0, connection, data);
    headers.packet(unit, connection.missing, connection.missing);
    send(device, connection, unit);
  }

  private void notify(int device, ReceiveConnection connection, int data) {
    long now = queue.now();
    if (notificationPs > 0 && now - connection.notifiedAt >= notificationPs) {
      connection.notifiedAt = now;
      send(device, connection, control(TransportHeader.NOTIFICATION, 0, connection, data));
    }
  }

  // --- credit ---

  // Tells the control of the device's pacer of a packet, and lets it adjust the rate when it is time to.
  private void observe(int device, ReceiveConnection connection, int data) {
    GrantPacer pacer = pacer(device, connection);
    CongestionControl control = pacer == null ? null : pacer.control;
    if (control == null) {
      return;
    }
    long now = queue.now();
    int bytes = headers.payloadOrMissing(data) + connection.overheadBytes;
    if (headers.has(data, TransportHeader.TRIMMED)) {
      control.onTrimmed(now, bytes, headers.has(data, TransportHeader.LAST_HOP));
    } else {
      control.onSent(now, bytes);
      if (headers.has(data, TransportHeader.MARKED)) {
        control.onNotification(now);
      }
    }
    if (control.timerPs() <= now) {
      control.onTimer(now);
    }
  }

  // Notes the credit that a packet asks for. A connection whose packet was trimmed takes a turn even if it has it; one
  // that has used what it had in advance may have it again.
  private void note(int device, ReceiveConnection connection, int data) {
    GrantPacer pacer = pacer(device, connection);
    if (pacer == null) {
      return;
    }
    connection.asked = Math.max(connection.asked, headers.creditOrBits(data));
    connection.isEnded = headers.has(data, TransportHeader.LAST) && !headers.has(data, TransportHeader.TRIMMED);
    if (connection.asked > connection.granted || headers.has(data, TransportHeader.TRIMMED)) {
      pacer.enqueue(connection);
    } else {
      pacer.rest(connection);
    }
    schedule(device, pacer);
  }

  private @Nullable GrantPacer pacer(int device, ReceiveConnection connection) {
    if (knowsCredits && pacers.length == 0) {
      return null;
    }
    GrantPacer pacer = knowsCredits ? pacers[device] : null;
    if (pacer == null) {
      ConnectionPath path = paths.of(connection.key);
      ReceiverCredits credits = protocol.receiverCredits(path).orElse(null);
      if (!knowsCredits) {
        knowsCredits = true;
        pacers = new GrantPacer[credits == null ? 0 : plan.devices];
      }
      if (credits == null) {
        return null;
      }
      RandomStream random = RandomStream.of(seed, "receiver/" + device, "credit");
      pacer =
          new GrantPacer(credits, path.rateBitsPerSecond(), protocol.creditControl(path, random).orElse(null));
      pacers[device] = pacer;
    }
    return pacer;
  }

  private void schedule(int device, GrantPacer pacer) {
    if (!pacer.isScheduled && !(pacer.waiting.isEmpty() && pacer.idle.isEmpty())) {
      pacer.isScheduled = true;
      queue.push(Math.max(queue.now(), pacer.nextPs), Events.pack(Events.CONTROL, device, Events.GRANT));
    }
  }

  /**
   * The pacer of a device grants credit to the connection whose turn it is: what it asked for, or, while none asks, a
   * grant in advance to one that has what it asked for, up to the most that a sender may hold [uet-htsim uec.cpp,
   * UecPullPacer]. A sender that has nothing more to send, for which the time of credit does not matter, gets all of it
   * in one grant.
   */
  void grant(int device) {
    GrantPacer pacer = pacers[device];
    if (pacer == null) {
      return;
    }
    pacer.isScheduled = false;
    ReceiveConnection connection = pacer.waiting.pollFirst();
    long turn = pacer.credits.bytesPerGrant();
    if (connection != null) {
      connection.isWaiting = false;
      turn = Math.min(turn, Math.max(0, connection.asked - connection.granted));
      connection.granted += turn;
    } else {
      connection = pacer.idle.pollFirst();
      if (connection == null) {
        return;
      }
      connection.isIdle = false;
      long rest = pacer.credits.outstandingBytes() - (connection.granted - connection.asked);
      connection.granted += connection.isEnded ? Math.max(turn, (rest + turn - 1) / turn * turn) : turn;
    }
    pacer.nextPs = queue.now() + pacer.intervalPs(turn == 0 ? LEAST_TURN_BYTES : turn);
    int unit = units.allocate();
    units.payload(unit, 0);
    units.identity(unit, Endpoints.destination(connection.key), Endpoints.source(connection.key), 0);
    units.message(unit, answer(connection), queue.now(), 0, NONE);
    units.ends(unit, false);
    units.route(unit, 0, NONE);
    units.hold(unit, NONE, 0, 0);
    units.tailAt(unit, 0);
    headers.start(unit, TransportHeader.GRANT, 0, (int) (connection.granted >>> 8) & 0xFFFF, connection.sender);
    headers.creditOrBits(unit, connection.granted);
    headers.queued(unit, 0, NONE);
    headers.flow(unit, connection.flow);
    send(device, connection, unit);
    if (connection.asked > connection.granted) {
      pacer.enqueue(connection);
    } else {
      pacer.rest(connection);
    }
    schedule(device, pacer);
  }
}
