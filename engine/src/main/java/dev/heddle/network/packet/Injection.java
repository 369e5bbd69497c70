package dev.heddle.network.packet;

import dev.heddle.collective.MessageLabel;
import dev.heddle.engine.SteppedCollectives;
import dev.heddle.engine.Transport;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.InvariantViolation;
import dev.heddle.network.MessageNumbers;
import dev.heddle.network.MessageTable;
import dev.heddle.network.Meter;
import org.jspecify.annotations.Nullable;

/** The injection queues of a partition's ranks: takes their messages, and cuts them into units. */
final class Injection implements Transport {
  private static final int NONE = NetworkState.NONE;

  private final Partition partition;
  private final NetworkPlan plan;
  private final RunContext setup;
  private final Fabric fabric;
  private final Links links;
  private final VirtualChannels channels;
  private final Requests requests;
  private final Routes routes;
  private final PacketTable units;
  private final Messages messages;
  private final @Nullable Senders senders;
  // The flows that share injection queues with packets; none where connections of a transport take turns.
  private final @Nullable FlowSide flows;

  Injection(Partition partition, NetworkPlan plan, NetworkState state, RunContext setup) {
    this.partition = partition;
    this.plan = plan;
    this.setup = setup;
    fabric = plan.fabric;
    links = state.links;
    channels = state.channels;
    requests = state.requests;
    routes = partition.routes;
    units = partition.units;
    messages = partition.messages;
    flows = partition.ports == null ? setup.flows : null;
    senders = partition.ports == null ? null : partition.ports.endpoints().senders();
  }

  @Override
  public boolean hasRoom(int rank) {
    IsolatedRun aside = partition.aside;
    if (aside != null) {
      return !aside.call.isWaiting() || aside.recording || hasRoomAside(rank);
    }
    if (partition.memoized != null && partition.memoized.messages.hasRoomBeside(rank)) {
      return true;
    }
    partition.sequence.outrun(setup.ranks[rank]);
    if (setup.queued[rank] + setup.reservedRoom[rank] >= setup.injectionQueue && setup.reservedRoom[rank] > 0) {
      partition.makeRoom(rank);
    }
    return setup.queued[rank] < setup.injectionQueue;
  }

  // Other calls of the rank that keep room would have to make some, which they cannot while one is simulated aside.
  private boolean hasRoomAside(int rank) {
    boolean room = setup.queued[rank] + setup.reservedRoom[rank] < setup.injectionQueue;
    if (!room && setup.reservedRoom[rank] > 0) {
      throw new InvariantViolation("a call that waits has filled the injection queue of rank " + rank);
    }
    return room;
  }

  @Override
  public void refuse(int rank, int peer, long bytes) {
    partition.meter.refused(kind(setup.ranks[rank], setup.ranks[peer]), bytes, partition.queue.now());
  }

  @Override
  public void submit(int rank, int peer, long bytes, int tag, int service) {
    int source = setup.ranks[rank];
    int destination = setup.ranks[peer];
    MessageTable.require(rank, peer, bytes, source != destination || fabric.hasMemory(source));
    int trafficClass = MessageLabel.trafficClass(service);
    int networkBits = MessageNumbers.networkBits(service);
    IsolatedRun aside = partition.aside;
    if (aside == null && partition.memoized != null && tag >= 0 && source != destination && partition.memoized.messages
        .takes(rank, new PendingCall.Sent(peer, destination, bytes, tag, service))) {
      return;
    }
    long number = aside == null
        ? partition.sequence.next(source) : aside.number(rank, peer, tag, networkBits, bytes);
    long id = MessageNumbers.of(source, networkBits, number);
    int waypoint = fabric.nextWaypoint(source, id, destination);
    if (senders != null && plan.connects(source, destination)) {
      int row = messages.allocate(id, rank, destination, bytes, partition.queue.now());
      messages.plan(row, waypoint, 1, tag, trafficClass);
      setup.queued[rank]++;
      partition.meter.submitted(kind(source, destination), bytes, partition.queue.now());
      senders.submit(row, MessageNumbers.connection(id, destination, service, plan.classes > 1));
      return;
    }
    int channel = routes.inject(source, waypoint, trafficClass, id, destination);
    int message = messages.allocate(id, rank, destination, bytes, partition.queue.now());
    int limit = waypoint == destination
        ? plan.unitLimit[links.spec(channels.link(channel))]
        : plan.bridgedLimit(links.spec(channels.link(channel)), bytes);
    messages.plan(message, waypoint, limit, tag, trafficClass);
    if (flows != null) {
      messages.order(message, flows.nextPlace());
    }
    if (plan.loses) {
      partition.losses.sent(source, destination, tag, id);
    }
    setup.queued[rank]++;
    if (aside != null && aside.recording) {
      aside.queued(rank, setup.queued[rank]);
    } else {
      partition.meter.submitted(kind(source, destination), bytes, partition.queue.now());
    }
    partition.enter(channels.link(channel));
    links.queue(channels.link(channel), bytes);
    if (channels.injectionTail(channel) == NONE) {
      channels.injectionHead(channel, message);
      channels.injectionTail(channel, message);
      if (channels.injectionUnit(channel) == NONE && mayBegin(channel, message)) {
        cutUnit(channel, message);
      }
    } else if (goesAhead(message)) {
      goAhead(channel, message);
    } else {
      messages.next(channels.injectionTail(channel), message);
      channels.injectionTail(channel, message);
    }
  }

  // Whether a message tells a sender of another node that it has room. A NIC serves the queue pairs of such messages
  // and of data in turn, packet by packet, and need not send all data first that a rank has submitted before.
  private boolean goesAhead(int message) {
    return messages.bytes(message) == 0 && SteppedCollectives.makesRoom(messages.tag(message))
        && !fabric.sameNode(setup.ranks[messages.rank(message)], messages.destination(message));
  }

  // Adds a message behind the first one of a channel and others that go ahead.
  private void goAhead(int channel, int message) {
    int before = channels.injectionHead(channel);
    int next = messages.next(before);
    while (next != NONE && goesAhead(next)) {
      before = next;
      next = messages.next(next);
    }
    messages.next(before, message);
    messages.next(message, next);
    if (next == NONE) {
      channels.injectionTail(channel, message);
    }
    if (flows != null) {
      messages.order(message, messages.order(channels.injectionHead(channel)));
    }
  }

  // Messages leave a channel in the order of their submission, packets and flows alike.
  private boolean mayBegin(int channel, int message) {
    return flows == null || !flows.flowsAhead(channel, messages.order(message));
  }

  /** Whether a message of packets before a place has yet to leave by a channel. */
  boolean isAhead(int channel, long place) {
    int head = flows == null ? NONE : channels.injectionHead(channel);
    return head != NONE && messages.order(head) < place;
  }

  /** Lets the first message of a channel begin that may have waited for flows. */
  void goOn(int channel) {
    int head = flows == null ? NONE : channels.injectionHead(channel);
    if (head != NONE && channels.injectionUnit(channel) == NONE && mayBegin(channel, head)) {
      cutUnit(channel, head);
    }
  }

  // Makes the next unit of a message the head of its channel's injection queue.
  private void cutUnit(int channel, int message) {
    int unit = units.allocate();
    units.payload(unit, messages.cut(message));
    units.identity(
        unit, setup.ranks[messages.rank(message)], messages.destination(message), messages.trafficClass(message));
    units.message(
        unit, messages.id(message), messages.generated(message), messages.bytes(message), messages.tag(message));
    units.ends(unit, messages.remaining(message) == 0);
    units.route(unit, messages.waypoint(message), channel);
    units.hold(unit, NONE, 0, 0);
    units.tailAt(unit, 0);
    channels.injectionUnit(channel, unit);
    partition.request(channel, 0);
  }

  /** The unit that waited at a channel has left its terminal: the next one takes its place. */
  void injected(int channel) {
    if (senders != null && senders.isOffered(channel)) {
      senders.taken(channel);
      int waiting = channels.injectionHead(channel);
      if (waiting != NONE) {
        cutUnit(channel, waiting);
      } else if (!senders.offer(channel) && !links.isManaged(channels.link(channel))) {
        requests.clear(channel, 0);
      }
      return;
    }
    int message = channels.injectionHead(channel);
    if (messages.remaining(message) > 0) {
      if (senders == null || !offerInstead(senders, channel)) {
        cutUnit(channel, messageToCut(channel, message));
      }
      return;
    }
    int next = messages.next(message);
    channels.injectionHead(channel, next);
    if (next == NONE || !mayBegin(channel, next)) {
      channels.injectionTail(channel, next == NONE ? NONE : channels.injectionTail(channel));
      channels.injectionUnit(channel, NONE);
      if (senders == null || !senders.offer(channel)) {
        requests.clear(channel, 0);
      }
    } else {
      cutUnit(channel, next);
    }
    int rank = messages.rank(message);
    messages.release(message);
    setup.queued[rank]--;
    partition.runner.onRoom(rank);
    if (flows != null && partition.aside == null) {
      flows.packetsLeft(channel);
    }
  }

  // The message to cut next while some of the first one is left: one that goes ahead changes places with it.
  private int messageToCut(int channel, int begun) {
    int next = messages.next(begun);
    if (next == NONE || !goesAhead(next) || goesAhead(begun)) {
      return begun;
    }
    messages.next(begun, messages.next(next));
    messages.next(next, begun);
    channels.injectionHead(channel, next);
    if (channels.injectionTail(channel) == next) {
      channels.injectionTail(channel, begun);
    }
    return next;
  }

  private boolean offerInstead(Senders connections, int channel) {
    channels.injectionUnit(channel, NONE);
    return connections.offer(channel);
  }

  private int kind(int source, int destination) {
    return Meter.kind(fabric.sameNode(source, destination));
  }
}
