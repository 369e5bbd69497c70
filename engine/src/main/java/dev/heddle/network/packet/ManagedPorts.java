package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import dev.heddle.internal.collect.EventQueue;
import dev.heddle.network.Meter;
import dev.heddle.network.WireTimeCache;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.spi.QueuePolicy;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.tier.TierPlan;
import org.jspecify.annotations.Nullable;

/**
 * The output queues of a partition's devices under a transport protocol: one for each channel of a link, in order of
 * arrival; that of control packets goes first. Switches mark, trim, drop and pause as their {@link QueuePolicy} says,
 * each channel, and with it each traffic class, for itself.
 */
final class ManagedPorts {
  private static final int NONE = NetworkState.NONE;

  private final Partition partition;
  private final NetworkPlan plan;
  private final NetworkState state;
  private final RunContext setup;
  private final Links links;
  private final VirtualChannels channels;
  private final PortState ports;
  private final PortBuffers buffers;
  private final ClassScheduler scheduler;
  final DeferredPorts deferred;
  private final PacketTable units;
  private final TransportHeader headers;
  private final EventQueue queue;
  private final WireTimeCache times;
  private final CreditLedger ledger;
  private final Meter meter;
  private final Endpoints endpoints;
  private final int telemetryBytes;
  private final boolean trims;
  private final @Nullable NetworkObserver observer;

  ManagedPorts(
      Partition partition, NetworkPlan plan, NetworkState state, RunContext setup, TransportProtocol protocol) {
    this.partition = partition;
    this.plan = plan;
    this.state = state;
    this.setup = setup;
    links = state.links;
    channels = state.channels;
    ports = state.ports();
    buffers = new PortBuffers(partition, plan, state, setup);
    scheduler = new ClassScheduler(plan);
    units = partition.units;
    headers = new TransportHeader(units);
    queue = partition.queue;
    times = partition.times;
    ledger = partition.ledger;
    meter = partition.meter;
    observer = setup.observer;
    telemetryBytes = protocol.telemetryBytes();
    trims = protocol.acceptsTrimmed();
    deferred = new DeferredPorts(partition, this, plan, state, setup, buffers);
    deferred.find(protocol);
    endpoints = new Endpoints(partition, this, plan, state, setup, protocol);
  }

  Endpoints endpoints() {
    return endpoints;
  }

  /** A unit is eligible at the device at which a managed link ends. */
  void arrive(int link, int unit) {
    int device = links.target(link);
    if (!links.isManaged(link)) {
      boundOut(device, link, unit);
    } else if (units.waypoint(unit) == device) {
      returnCredit(unit, queue.now());
      endpoints.receive(device, link, unit);
    } else {
      forward(device, link, units.waypoint(unit), unit);
    }
  }

  /** Whether a unit is a packet of a connection. */
  boolean isOfConnection(int unit) {
    return headers.kind(unit) != TransportHeader.NONE;
  }

  // A data packet within the node of its sender, or of its receiver, whose NIC has taken it in.
  private void boundOut(int device, int link, int unit) {
    partition.returns.scheduleAck(link, unit);
    int waypoint = units.waypoint(unit);
    if (waypoint == device) {
      waypoint = plan.fabric.nextWaypoint(device, units.message(unit), units.destination(unit));
    }
    forward(device, link, waypoint, unit);
  }

  /** A unit has reached its destination whole. */
  void deliver(int link, int unit) {
    returnCredit(unit, queue.now());
    endpoints.receive(links.target(link), link, unit);
  }

  /**
   * Puts a unit into the output queue by which it leaves a device.
   *
   * @param arrivedBy the link by which it came; {@link NetworkState#NONE} at its origin
   */
  void forward(int device, int arrivedBy, int waypoint, int unit) {
    if (partition.routes.isCutOff(device, waypoint)) {
      discard(unit, queue.now());
      return;
    }
    int channel = partition.routes.transported(device, waypoint, units, headers, unit);
    int link = plan.channelLink[channel];
    units.route(unit, waypoint, channel);
    if (!links.isManaged(link)) {
      partition.enqueue(device, unit, channel, channels.requester(units.heldChannel(unit)));
      return;
    }
    boolean control = headers.isControl(unit);
    if (links.defers(link)) {
      deferred.catchUp(link);
      if (!control && deferred.stores(link, channel, unit)) {
        return;
      }
    }
    if (control || arrivedBy == NONE || bridges(device)) {
      append(link, channel, unit);
    } else {
      admit(device, units.heldChannel(unit), link, channel, unit);
    }
  }

  private boolean bridges(int device) {
    return !plan.oneTier && plan.fabric.bridges(device);
  }

  // Appends a unit that takes no room of a switch's buffer.
  private void append(int link, int channel, int unit) {
    headers.queued(unit, 0, NONE);
    if (links.defers(link)) {
      deferred.append(link, channel, unit);
    } else {
      state.append(units, plan.firstOutputQueue + channel, unit);
    }
    links.queue(link, units.payload(unit));
    partition.mark(link);
  }

  // --- buffers of switches ---

  private void admit(int device, int input, int link, int channel, int unit) {
    QueuePolicy policy = ports.policy[device];
    int bytes = (int) times.wireBytes(slot(link, unit));
    if (policy == QueuePolicy.UNLIMITED) {
      store(link, channel, unit, bytes, NONE);
    } else if (ports.pausable[input]) {
      QueuePolicy.Pause pause = policy.pause().orElseThrow();
      if (buffers.reserve(pause, device, input, bytes)) {
        store(link, channel, unit, bytes, input);
        buffers.pauseIfFull(pause, device, input);
      } else {
        drop(link, unit);
      }
    } else if (buffers.fits(policy, device, channel, bytes)) {
      ports.bufferBytes[device] += bytes;
      store(link, channel, unit, bytes, input);
    } else if (policy.trims() && trims) {
      trim(device, input, link, channel, unit, bytes);
    } else {
      drop(link, unit);
    }
  }

  private void drop(int link, int unit) {
    ports.drops[link]++;
    returnCredit(unit, queue.now());
    units.release(unit);
  }

  /** A pause of a virtual channel, or its end, has reached the source of a link. */
  void pause(int link, int virtual, boolean on) {
    links.paused(link, virtual, on);
    if (observer != null) {
      observer.paused(link, links.paused(link), queue.now());
    }
    if (!on) {
      partition.mark(link);
    }
  }

  private void store(int link, int channel, int unit, int bytes, int input) {
    headers.queued(unit, bytes, input);
    state.append(units, plan.firstOutputQueue + channel, unit);
    ports.queueBytes[channel] += bytes;
    observeQueue(link);
    links.queue(link, units.payload(unit));
    partition.mark(link);
  }

  private void observeQueue(int link) {
    if (observer != null) {
      long bytes = 0;
      int base = links.firstChannel(link);
      for (int channel = base; channel < base + links.channelCount(link); channel++) {
        bytes += ports.queueBytes[channel];
      }
      observer.queued(link, queue.now(), bytes);
    }
  }

  // A fair coin decides whether the arriving packet loses its payload, or the newest in the queue.
  private void trim(int device, int input, int link, int channel, int unit, int bytes) {
    int newest = state.tail(plan.firstOutputQueue + channel);
    headers.queued(unit, bytes, input);
    if (newest != NONE && headers.queuedBytes(newest) == bytes && partition.routes.random(device).nextInt(2) == 0) {
      units.swap(unit, newest);
      if (links.defers(link)) {
        deferred.describe(link, channel, newest);
      }
    }
    ports.trims[link]++;
    headers.set(unit, TransportHeader.TRIMMED);
    int target = links.target(link);
    if (target == units.destination(unit) || target == units.waypoint(unit)) {
      headers.set(unit, TransportHeader.LAST_HOP);
    }
    int control = partition.routes.control(
        link, TierPlan.channel(link, (channel - links.firstChannel(link)) % links.channelsPerClass(link)));
    units.payload(unit, 0);
    units.route(unit, units.waypoint(unit), control);
    append(link, control, unit);
  }

  private void returnCredit(int unit, long time) {
    int held = units.heldChannel(unit);
    if (held != NONE) {
      partition.returns.returnCredit(held, units.heldBytes(unit), units.heldHeaders(unit), time);
      units.hold(unit, held, 0, 0);
    }
  }

  // --- transmission ---

  /** Lets a link that is free carry the next packet, if there is one that may go. */
  void arbitrate(int link) {
    if (links.defers(link)) {
      deferred.arbitrate(link);
      return;
    }
    int base = links.firstChannel(link);
    int data = links.channelCount(link) - 1;
    int urgent = state.head(plan.firstOutputQueue + base + data);
    if (urgent != NONE) {
      transmit(link, base + data, urgent, false);
      return;
    }
    int paused = links.paused(link);
    boolean origin = isOfRank(link);
    boolean weighs = scheduler.orders(links.source(link));
    int best = NONE;
    int virtual = links.lastVirtual(link);
    long wake = Long.MAX_VALUE;
    boolean blocked = false;
    for (int i = 0; i < data; i++) {
      virtual = virtual + 1 >= data ? 0 : virtual + 1;
      int channel = base + virtual;
      if ((paused >>> virtual & 1) != 0) {
        continue;
      }
      int unit = origin && injects(channel) ? channels.injectionUnit(channel)
          : state.head(plan.firstOutputQueue + channel);
      if (unit == NONE || best != NONE && !scheduler.precedes(link, channel, best)) {
        continue;
      }
      if (covered(channel, link, unit)) {
        best = channel;
        if (!weighs) {
          break;
        }
      } else {
        blocked = true;
        wake = Math.min(wake, ledger.nextReturn(channel));
      }
    }
    if (best != NONE) {
      grant(link, best, origin, weighs);
    } else if (blocked) {
      await(link, wake);
    } else if (paused != 0) {
      stall(link, base, data);
    }
  }

  // Whether a rank sends by a link: of others the state of their channels need not be looked at.
  private boolean isOfRank(int link) {
    return setup.rankOf[links.source(link)] != NONE;
  }

  // Whether the unit that goes next by a channel of a rank's link is the rank's own.
  private boolean injects(int channel) {
    return channels.injectionUnit(channel) != NONE
        && (state.head(plan.firstOutputQueue + channel) == NONE || !channels.isInjectedLast(channel));
  }

  private void grant(int link, int channel, boolean origin, boolean weighs) {
    boolean injects = origin && injects(channel);
    int unit = injects ? channels.injectionUnit(channel) : state.head(plan.firstOutputQueue + channel);
    links.lastVirtual(link, channel - links.firstChannel(link));
    if (origin) {
      channels.injectedLast(channel, injects);
    }
    if (weighs) {
      scheduler.serves(link, channel, times.wireBytes(slot(link, unit)));
    }
    transmit(link, channel, unit, injects);
  }

  private void stall(int link, int base, int data) {
    for (int channel = base; channel < base + data && links.stalledSince(link) == NONE; channel++) {
      if (state.head(plan.firstOutputQueue + channel) != NONE || channels.injectionUnit(channel) != NONE) {
        links.stalledSince(link, queue.now());
      }
    }
  }

  private boolean covered(int channel, int link, int unit) {
    if (plan.isUnlimited(channel)) {
      return true;
    }
    int slot = slot(link, unit);
    return ledger.covers(channel, partition.transmitters.taken(channel, unit, slot), times.packets(slot), queue.now());
  }

  private void await(int link, long wake) {
    if (links.stalledSince(link) == NONE) {
      links.stalledSince(link, queue.now());
    }
    if (wake < links.creditWakeAt(link)) {
      links.creditWakeAt(link, wake);
      queue.push(wake, Events.pack(Events.CREDIT, link, 0));
    }
  }

  private int slot(int link, int unit) {
    int payload = units.payload(unit);
    int more = telemetryBytes > 0 && headers.kind(unit) == TransportHeader.DATA && payload > 0 ? telemetryBytes : 0;
    return times.slot(links.spec(link), payload + more, units.trafficClass(unit));
  }

  private void transmit(int link, int channel, int unit, boolean injects) {
    long now = queue.now();
    int device = links.source(link);
    int slot = slot(link, unit);
    long end = Math.max(now + times.wirePs(slot), units.tailAt(unit));
    int bytes = (int) times.wireBytes(slot);
    boolean data = headers.kind(unit) == TransportHeader.DATA;
    returnCredit(unit, end);
    takeCredit(channel, unit, slot);
    links.freeAt(link, end);
    if (data && (injects || bridges(device))) {
      endpoints.leaves(unit);
    }
    if (injects) {
      partition.injection.injected(channel);
    } else {
      state.removeHead(units, plan.firstOutputQueue + channel);
      links.unqueue(link, units.payload(unit));
      buffers.free(device, channel, headers.queuedBytes(unit), headers.arrivedBy(unit));
      observeQueue(link);
    }
    if (data) {
      if (!injects && !headers.has(unit, TransportHeader.TRIMMED)) {
        markCongestion(device, link, channel, unit);
      }
      if (telemetryBytes > 0) {
        headers.addHop(unit, now, ports.sentBytes[link], ports.queueBytes[channel], plan.specs[links.spec(link)].rate()
            .bitsPerSecond());
      }
    }
    if (telemetryBytes > 0) {
      ports.sentBytes[link] += bytes;
    }
    count(link, channel, now, end, units.payload(unit));
    send(link, unit, now, end, slot);
    if (waits(link)) {
      partition.scheduleFree(link);
    }
  }

  private void takeCredit(int channel, int unit, int slot) {
    boolean limited = !plan.isUnlimited(channel);
    int taken = limited ? partition.transmitters.taken(channel, unit, slot) : 0;
    int packets = limited && !channels.hasUnlimitedHeaders(channel) ? times.packets(slot) : 0;
    if (limited) {
      ledger.take(channel, taken, packets);
    }
    units.hold(unit, channel, taken, packets);
  }

  /** Marks a packet that leaves a queue, as the policy of its switch says. */
  void markCongestion(int device, int link, int channel, int unit) {
    QueuePolicy policy = ports.policy[device];
    if (policy == QueuePolicy.UNLIMITED || policy.marking().isEmpty()) {
      return;
    }
    QueuePolicy.Marking marking = policy.marking().get();
    long queued = ports.queueBytes[channel];
    long low = buffers.atRate(policy, link, marking.minBytes());
    if (queued <= low) {
      return;
    }
    if (!marking.lastHop() && plan.endpoint[links.target(link)]) {
      return;
    }
    long high = buffers.atRate(policy, link, marking.maxBytes());
    boolean marks = queued > high || partition.routes.random(device)
        .nextDouble() < (high == Long.MAX_VALUE ? marking.maxProbability()
            : marking.maxProbability() * (queued - low) / (high - low));
    if (marks) {
      headers.set(unit, TransportHeader.MARKED);
      ports.marks[link]++;
      if (observer != null) {
        observer.marked(link, queue.now());
      }
    }
  }

  /** Counts a packet that crosses a link. */
  void count(int link, int channel, long start, long end, int payload) {
    partition.hops++;
    long busy = meter.clip(start, end);
    if (busy > 0) {
      links.countBusy(link, busy);
      if (meter.within(start)) {
        links.countUnit(link, payload);
      }
    }
    if (links.stalledSince(link) != NONE) {
      links.countStall(link, meter.clip(links.stalledSince(link), start));
      links.stalledSince(link, NONE);
    }
    if (observer != null) {
      observer.transmitted(link, channel, start, end, payload);
    }
  }

  private void send(int link, int unit, long start, long end, int slot) {
    int target = links.target(link);
    long time = end + links.latencyPs(link);
    int kind = Events.ARRIVE;
    if (units.destination(unit) == target) {
      kind = Events.DELIVER;
    } else {
      long forward = links.forwardPs(link);
      units.tailAt(unit, end + forward);
      if (plan.switching[target] == NetworkPlan.CUT_THROUGH) {
        time = start + forward;
      } else {
        time = end + forward;
      }
    }
    if (links.isDown(link) || links.loses(link) && lost(link, times.packets(slot))) {
      discard(unit, end);
    } else {
      partition.hand(setup.partitionOf[target], time, kind, link, unit);
    }
  }

  private void discard(int unit, long time) {
    partition.dropped++;
    returnCredit(unit, time);
    units.release(unit);
  }

  private boolean lost(int link, int packets) {
    double each = plan.specs[links.spec(link)].loss();
    double any = packets == 1 ? each : -StrictMath.expm1(packets * StrictMath.log1p(-each));
    return partition.routes.random(links.source(link)).nextDouble() < any;
  }

  /** Whether anything waits for a link. */
  boolean waits(int link) {
    int base = links.firstChannel(link);
    boolean origin = isOfRank(link);
    for (int channel = base; channel < base + links.channelCount(link); channel++) {
      if (state.head(plan.firstOutputQueue + channel) != NONE
          || origin && channels.injectionUnit(channel) != NONE) {
        return true;
      }
    }
    return false;
  }
}
