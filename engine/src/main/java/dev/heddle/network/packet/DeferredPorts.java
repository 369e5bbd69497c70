package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import dev.heddle.internal.collect.EventQueue;
import dev.heddle.network.ControlClassed;
import dev.heddle.network.WireTimeCache;
import dev.heddle.spi.QueuePolicy;
import dev.heddle.spi.TransportProtocol;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Outputs of switches whose packets leave without an event for each: while the queue is so short that none is marked,
 * the departures up to now are carried out, each as of its own time, when the next packet comes, or at the latest so
 * early that the packet is still on its way: before it arrives, or, of a link to another partition, at the end of the
 * window in which it leaves. That time is one for all links whose latency lets several packets leave meanwhile, which
 * are swept together; others have an event of their own. Nothing else may look at such a queue or act on it: see
 * {@link #defers}.
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
  private final RunContext setup;
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
  // The swept links at which packets may wait, each once.
  private int[] listed = new int[16];
  private int listedCount;
  private final BitSet isListed = new BitSet();
  // No packet that waits there arrives within the partition before the first time, nor leaves for another before the
  // second.
  private long dueAt = Long.MAX_VALUE;
  private long crossingAt = Long.MAX_VALUE;

  DeferredPorts(
      Partition partition, ManagedPorts managed, NetworkPlan plan, NetworkState state, RunContext setup,
      PortBuffers buffers) {
    this.partition = partition;
    this.managed = managed;
    this.plan = plan;
    this.state = state;
    this.setup = setup;
    this.buffers = buffers;
    links = state.links;
    ports = state.ports();
    units = partition.units;
    headers = new TransportHeader(units);
    queue = partition.queue;
    times = partition.times;
  }

  /** Finds the outputs of the partition that defer, if any may: no pause, loss, credit, load or observer matters. */
  void find(TransportProtocol protocol) {
    boolean none = setup.observer != null || setup.flows != null || protocol.telemetryBytes() > 0 || plan.mayLose()
        || plan.classes > 1 || ControlClassed.of(protocol) != ControlClassed.BEFORE_ALL
        || plan.fabric.comparesLoads();
    for (int channel = 0; channel < plan.channels && !none; channel++) {
      none = plan.pausable[channel] || plan.managed[plan.channelLink[channel]] && !plan.isUnlimited(channel);
    }
    long least = Long.MAX_VALUE;
    for (int link = 0; link < plan.links && !none; link++) {
      least = defers(link) ? Math.min(least, plan.latencyPs[link]) : least;
    }
    for (int link = 0; link < plan.links && !none; link++) {
      if (defers(link)) {
        defer(link, least);
      }
    }
  }

  private void defer(int link, long least) {
    int model = plan.spec[link];
    boolean crosses = setup.partitionOf[plan.linkTarget[link]] != partition.number;
    links.defer(link, crosses, plan.specs[model].wirePs(plan.unitLimit[model], 0) <= least);
    ports.deferredBytes[link] = unmarkedBytes(link);
    QueuePolicy policy = ports.policy[plan.linkSource[link]];
    ports.deferredRoom[link] = buffers.atRate(policy, link, policy.queueBytes());
  }

  // Whether the source is a switch of the partition with one queue for data whose buffer has no limit that queues
  // share, and a packet is forwarded no earlier than it has left its queue whole.
  private boolean defers(int link) {
    int source = plan.linkSource[link];
    int target = plan.linkTarget[link];
    return setup.partitionOf[source] == partition.number && plan.managed[link] && plan.channelCount[link] == 2
        && !plan.endpoint[source] && plan.latencyPs[link] > 0
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

  /** Has a busy link looked at when its next packet leaves, if that may be marked, or else in time. */
  void schedule(int link) {
    boolean mayMark = ports.queueBytes[links.firstChannel(link)] > ports.deferredBytes[link];
    if (!mayMark && links.isSwept(link)) {
      list(link);
      return;
    }
    long due = links.freeAt(link) + (mayMark || links.crosses(link) ? 0 : links.latencyPs(link));
    if (due < links.creditWakeAt(link)) {
      links.creditWakeAt(link, due);
      queue.pushLate(due, Events.pack(Events.FREE, link, 0));
    }
  }

  // --- sweeps ---

  private void list(int link) {
    if (!isListed.get(link)) {
      isListed.set(link);
      listed = listedCount < listed.length ? listed : Arrays.copyOf(listed, 2 * listedCount);
      listed[listedCount++] = link;
    }
    awaits(link);
  }

  private void awaits(int link) {
    if (links.crosses(link)) {
      crossingAt = Math.min(crossingAt, links.freeAt(link));
    } else {
      dueAt = Math.min(dueAt, links.freeAt(link) + links.latencyPs(link));
    }
  }

  /** The time of the next event, once the departures that are due before it and a time have been carried out. */
  long nextTime(long until) {
    long time = queue.nextTime();
    while (dueAt <= time && dueAt < until) {
      sweep(dueAt);
      time = queue.nextTime();
    }
    return time;
  }

  /** The earliest time of anything to come of swept links; {@link Long#MAX_VALUE} for nothing. */
  long earliest() {
    return Math.min(dueAt, crossingAt);
  }

  /** Carries out all departures of swept links before a time, all events before which have run. */
  void sweep(long before) {
    dueAt = Long.MAX_VALUE;
    crossingAt = Long.MAX_VALUE;
    int kept = 0;
    for (int i = 0; i < listedCount; i++) {
      int link = listed[i];
      finish(link, before);
      if (waits(link)) {
        listed[kept++] = link;
        awaits(link);
      } else {
        isListed.clear(link);
      }
    }
    listedCount = kept;
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
    long time = end + (ends ? links.latencyPs(link) : links.forwardPs(link));
    int kind = ends ? Events.DELIVER : Events.ARRIVE;
    if (links.crosses(link)) {
      partition.hand(setup.partitionOf[links.target(link)], time, kind, link, unit);
    } else {
      queue.pushLate(time, Events.pack(kind, link, unit));
    }
    return true;
  }
}
