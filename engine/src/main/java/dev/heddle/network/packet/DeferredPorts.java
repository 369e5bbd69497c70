package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import dev.heddle.internal.collect.EventQueue;
import dev.heddle.network.ControlClassed;
import dev.heddle.network.WireTimeCache;
import dev.heddle.spi.QueuePolicy;
import dev.heddle.spi.TransportProtocol;
import java.util.Arrays;

/**
 * Outputs of switches whose packets leave without an event for each: while the queue is so short that none is marked,
 * the departures up to now are carried out, each as of its own time, when the next packet comes, or at the latest so
 * early that the packet is still on its way. Nothing else may look at such a queue or act on it: see {@link #defers}.
 */
final class DeferredPorts {
  private static final int NONE = NetworkState.NONE;

  private static final int PAYLOAD = 32;
  private static final int CLASS = 60;
  private static final int MOST_PAYLOAD = (1 << CLASS - PAYLOAD) - 1;
  private static final long NEXT = 0xFFFFFFFFL;

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
  // Per unit in a queue what its departure needs, in a word, as its own may be far from the processor by then: whether
  // the link ends at its destination (the sign), traffic class (3), payload (28), unit behind it or -1 (low 32).
  private long[] waiting = new long[1024];

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
        QueuePolicy policy = ports.policy[plan.linkSource[link]];
        ports.deferredRoom[link] = buffers.atRate(policy, link, policy.queueBytes());
      }
    }
  }

  // Whether both ends are of the partition and the source is a switch with one queue for data whose buffer has no limit
  // that queues share, and a packet is forwarded no earlier than it has left its queue whole.
  private boolean defers(RunContext setup, int link) {
    int source = plan.linkSource[link];
    int target = plan.linkTarget[link];
    return plan.managed[link] && plan.channelCount[link] == 2 && !plan.endpoint[source]
        && setup.partitionOf[target] == partition.number && plan.latencyPs[link] > 0
        && plan.specs[plan.spec[link]].maxPayloadBytes() <= MOST_PAYLOAD
        && plan.switching[source] != NetworkPlan.CUT_THROUGH
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

  /** Puts a packet of data into the queue of its channel, if there is room. */
  boolean stores(int link, int channel, int unit) {
    int payload = units.payload(unit);
    int bytes = (int) times.wireBytes(times.slot(links.spec(link), payload, units.trafficClass(unit)));
    if (bytes > ports.deferredRoom[link] - ports.queueBytes[channel]) {
      return false;
    }
    headers.queued(unit, bytes, NONE);
    append(link, channel, unit);
    ports.queueBytes[channel] += bytes;
    links.queue(link, payload);
    partition.mark(link);
    return true;
  }

  /** Adds a unit to the queue of a channel. */
  void append(int link, int channel, int unit) {
    if (unit >= waiting.length) {
      waiting = Arrays.copyOf(waiting, Math.max(unit + 1, 2 * waiting.length));
    }
    waiting[unit] = NEXT;
    describe(link, channel, unit);
    int before = state.append(plan.firstOutputQueue + channel, unit);
    if (before != NONE) {
      waiting[before] = waiting[before] & ~NEXT | unit;
    }
  }

  /** Notes what the departure of a unit in a queue needs, once more where another has taken its place. */
  void describe(int link, int channel, int unit) {
    units.hold(unit, channel, 0, 0);
    waiting[unit] = waiting[unit] & NEXT | (units.destination(unit) == links.target(link) ? Long.MIN_VALUE : 0)
        | (long) units.trafficClass(unit) << CLASS | (long) units.payload(unit) << PAYLOAD;
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
    long word = waiting[unit];
    int payload = (int) (word >>> PAYLOAD) & MOST_PAYLOAD;
    int slot = times.slot(links.spec(link), payload, (int) (word >>> CLASS) & 7);
    long end = start + times.wirePs(slot);
    links.freeAt(link, end);
    state.removeHead(plan.firstOutputQueue + channel, (int) word);
    if (channel == data) {
      links.unqueue(link, payload);
      ports.queueBytes[channel] -= times.wireBytes(slot);
      if (ports.queueBytes[channel] > ports.deferredBytes[link]) {
        managed.markCongestion(links.source(link), link, channel, unit);
      }
    }
    managed.count(link, channel, start, end, payload);
    boolean ends = word < 0;
    queue.pushLate(
        end + (ends ? links.latencyPs(link) : links.forwardPs(link)),
        Events.pack(ends ? Events.DELIVER : Events.ARRIVE, link, unit));
    return true;
  }
}
