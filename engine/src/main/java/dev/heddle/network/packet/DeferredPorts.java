package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import dev.heddle.internal.collect.EventQueue;
import dev.heddle.network.ControlClassed;
import dev.heddle.network.WireTimeCache;
import dev.heddle.spi.QueuePolicy;
import dev.heddle.spi.TransportProtocol;

/**
 * Outputs of switches whose packets leave without an event for each: while the queue is so short that none is marked,
 * the departures up to now are carried out, each as of its own time, when the next packet comes, or at the latest so
 * early that the packet is still on its way. Nothing else may look at such a queue or act on it: see {@link #defers}.
 */
final class DeferredPorts {
  private static final int NONE = NetworkState.NONE;

  private final Partition partition;
  private final ManagedPorts managed;
  private final NetworkPlan plan;
  private final NetworkState state;
  private final Links links;
  private final PortState ports;
  private final PortBuffers buffers;
  private final PacketTable units;
  private final TransportHeader headers;
  private final EventQueue queue;
  private final WireTimeCache times;

  DeferredPorts(
      Partition partition, ManagedPorts managed, NetworkPlan plan, NetworkState state, PortBuffers buffers) {
    this.partition = partition;
    this.managed = managed;
    this.plan = plan;
    this.state = state;
    this.buffers = buffers;
    links = state.links;
    ports = state.ports();
    units = partition.units;
    headers = new TransportHeader(units);
    queue = partition.queue;
    times = partition.times;
  }

  /** Finds the outputs of the partition that defer, if any may: no pause, loss, credit, load or observer matters. */
  void find(RunContext setup, TransportProtocol protocol) {
    boolean none = setup.observer != null || setup.flows != null || protocol.telemetryBytes() > 0 || plan.mayLose()
        || plan.classes > 1 || ControlClassed.of(protocol) != ControlClassed.BEFORE_ALL
        || plan.fabric.comparesLoads();
    for (int channel = 0; channel < plan.channels && !none; channel++) {
      none = plan.pausable[channel] || plan.managed[plan.channelLink[channel]] && !plan.isUnlimited(channel);
    }
    for (int link = 0; link < plan.links && !none; link++) {
      if (setup.partitionOf[plan.linkSource[link]] == partition.number && defers(setup, link)) {
        links.defer(link);
        ports.deferredBytes[link] = unmarkedBytes(link);
      }
    }
  }

  // Whether both ends are of the partition, the source is a switch with one queue for data whose buffer has no limit
  // that queues share, and a packet is forwarded no earlier than it has left its queue whole.
  private boolean defers(RunContext setup, int link) {
    int source = plan.linkSource[link];
    int target = plan.linkTarget[link];
    return plan.managed[link] && plan.channelCount[link] == 2 && !plan.endpoint[source]
        && setup.partitionOf[target] == partition.number && plan.latencyPs[link] > 0
        && (plan.switching[target] != NetworkPlan.CUT_THROUGH || plan.oneTier && plan.endpoint[target])
        && ports.policy[source].bufferBytes() == Long.MAX_VALUE;
  }

  private long unmarkedBytes(int link) {
    QueuePolicy policy = ports.policy[plan.linkSource[link]];
    if (policy.marking().isEmpty() || !policy.marking().get().lastHop() && plan.endpoint[plan.linkTarget[link]]) {
      return Long.MAX_VALUE;
    }
    return buffers.atRate(policy, link, policy.marking().get().minBytes());
  }

  /** Carries out the departures of a link before a time at which nothing else happens, if it defers them. */
  void finish(int link, long before) {
    boolean more = links.defers(link);
    while (more && links.freeAt(link) < before) {
      more = depart(link, links.freeAt(link));
    }
  }

  /**
   * Carries out the departures before now, as a packet comes; one that is due now is left to the end of this instant.
   */
  void catchUp(int link) {
    if (links.isMarked(link)) {
      return;
    }
    long now = queue.now();
    long start = links.freeAt(link);
    while (start < now && depart(link, start)) {
      start = links.freeAt(link);
    }
    if (start == now && waits(link)) {
      partition.markFreed(link);
    }
  }

  /** Lets a link that is free carry the next packet. */
  void arbitrate(int link) {
    if (depart(link, queue.now()) && waits(link)) {
      schedule(link);
    }
  }

  /** The time at which a link was to be looked at has come. */
  void wake(int link) {
    if (links.creditWakeAt(link) == queue.now()) {
      links.creditWakeAt(link, Long.MAX_VALUE);
      catchUp(link);
      if (waits(link)) {
        partition.mark(link);
      }
    }
  }

  /** Has a busy link looked at when its next packet leaves, if that may be marked, or else before it arrives. */
  void schedule(int link) {
    boolean mayMark = ports.queueBytes[links.firstChannel(link)] > ports.deferredBytes[link];
    long due = links.freeAt(link) + (mayMark ? 0 : links.latencyPs(link));
    if (due < links.creditWakeAt(link)) {
      links.creditWakeAt(link, due);
      queue.pushLate(due, Events.pack(Events.FREE, link, 0));
    }
  }

  private boolean waits(int link) {
    int first = plan.firstOutputQueue + links.firstChannel(link);
    return state.head(first) != NONE || state.head(first + 1) != NONE;
  }

  // Control packets go first, and take no room.
  private boolean depart(int link, long start) {
    int data = links.firstChannel(link);
    int channel = data + 1;
    int unit = state.head(plan.firstOutputQueue + channel);
    if (unit == NONE) {
      channel = data;
      unit = state.head(plan.firstOutputQueue + channel);
      if (unit == NONE) {
        return false;
      }
    }
    int payload = units.payload(unit);
    int slot = times.slot(links.spec(link), payload, units.trafficClass(unit));
    long end = Math.max(start + times.wirePs(slot), units.tailAt(unit));
    units.hold(unit, channel, 0, 0);
    links.freeAt(link, end);
    state.removeHead(units, plan.firstOutputQueue + channel);
    if (channel == data) {
      int device = links.source(link);
      links.unqueue(link, payload);
      buffers.free(device, channel, headers.queuedBytes(unit), headers.arrivedBy(unit));
      if (ports.queueBytes[channel] > ports.deferredBytes[link]) {
        managed.markCongestion(device, link, channel, unit);
      }
    }
    managed.count(link, channel, start, end, payload);
    send(link, unit, end);
    return true;
  }

  private void send(int link, int unit, long end) {
    int kind = Events.DELIVER;
    long time = end + links.latencyPs(link);
    if (units.destination(unit) != links.target(link)) {
      kind = Events.ARRIVE;
      time = end + links.forwardPs(link);
      units.tailAt(unit, time);
    }
    queue.pushLate(time, Events.pack(kind, link, unit));
  }
}
