package dev.heddle.network.packet;

import dev.heddle.engine.EventQueue;
import dev.heddle.engine.Events;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.Meter;
import dev.heddle.network.WireTimeCache;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.spi.QueuePolicy;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.units.RandomStream;
import org.jspecify.annotations.Nullable;

/**
 * The output queues of a partition's devices under a transport protocol: one for each channel of a link, in order of
 * arrival; that of control packets goes first. Switches mark, trim, drop and pause as their {@link QueuePolicy} says.
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
    units = partition.units;
    headers = new TransportHeader(units);
    queue = partition.queue;
    times = partition.times;
    ledger = partition.ledger;
    meter = partition.meter;
    observer = setup.observer;
    telemetryBytes = protocol.telemetryBytes();
    trims = protocol.acceptsTrimmed();
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
      waypoint = plan.fabric.waypoint(device, units.source(unit), units.destination(unit));
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
    boolean control = headers.kind(unit) != TransportHeader.DATA || headers.has(unit, TransportHeader.TRIMMED);
    long key = headers.key(unit);
    long flow = RandomStream.mix(units.source(unit) == Endpoints.source(key) ? key : ~key) ^ headers.path(unit);
    int channel = partition.routes.transported(device, waypoint, units, unit, flow, control);
    int link = channels.link(channel);
    units.route(unit, waypoint, channel);
    if (!links.isManaged(link)) {
      partition.enqueue(device, unit, channel, channels.requester(units.heldChannel(unit)));
      return;
    }
    if (control || arrivedBy == NONE || plan.fabric.bridges(device)) {
      append(link, channel, unit);
    } else {
      admit(device, arrivedBy, link, channel, unit);
    }
  }

  // Appends a unit that takes no room of a switch's buffer.
  private void append(int link, int channel, int unit) {
    headers.queued(unit, 0, NONE);
    state.append(units, plan.firstOutputQueue + channel, unit);
    links.queue(link, units.payload(unit));
    partition.mark(link);
  }

  // --- buffers of switches ---

  private void admit(int device, int arrivedBy, int link, int channel, int unit) {
    QueuePolicy policy = ports.policy[device];
    int bytes = (int) times.wireBytes(slot(link, unit));
    if (policy == QueuePolicy.UNLIMITED) {
      store(link, channel, unit, bytes, NONE);
      return;
    }
    long used = ports.bufferBytes[device];
    if (policy.pause().isPresent()) {
      if (reserve(policy.pause().get(), device, arrivedBy, bytes)) {
        store(link, channel, unit, bytes, arrivedBy);
        pauseIfFull(policy.pause().get(), device, arrivedBy);
      } else {
        drop(link, unit);
      }
      return;
    }
    long room = policy.bufferBytes() - used;
    boolean fits = ports.queueBytes[link] + bytes <= policy.queueBytes() && bytes <= room
        && (policy.bufferBytes() == Long.MAX_VALUE || ports.queueBytes[link] < policy.queueShare() * room);
    if (fits) {
      ports.bufferBytes[device] = used + bytes;
      store(link, channel, unit, bytes, arrivedBy);
    } else if (policy.trims() && trims) {
      trim(device, arrivedBy, link, channel, unit, bytes);
    } else {
      drop(link, unit);
    }
  }

  // Takes room for a packet of an input, in the shared buffer or else in its headroom; whether there is any.
  private boolean reserve(QueuePolicy.Pause pause, int device, int arrivedBy, int bytes) {
    long shared = ports.inputBytes[arrivedBy] - ports.headroomBytes[arrivedBy];
    long room = ports.policy[device].bufferBytes() - ports.bufferBytes[device];
    if (shared + bytes <= threshold(pause, room) && bytes <= room && ports.headroomBytes[arrivedBy] == 0) {
      ports.bufferBytes[device] += bytes;
    } else if (ports.headroomBytes[arrivedBy] + bytes <= pause.headroomBytes()) {
      ports.headroomBytes[arrivedBy] += bytes;
    } else {
      return false;
    }
    ports.inputBytes[arrivedBy] += bytes;
    return true;
  }

  private void pauseIfFull(QueuePolicy.Pause pause, int device, int arrivedBy) {
    long room = ports.policy[device].bufferBytes() - ports.bufferBytes[device];
    boolean full = ports.headroomBytes[arrivedBy] > 0 || ports.inputBytes[arrivedBy] >= threshold(pause, room);
    if (full && !ports.pausing[arrivedBy]) {
      ports.pausing[arrivedBy] = true;
      ports.pauses[arrivedBy]++;
      signal(arrivedBy, true);
    }
  }

  private void drop(int link, int unit) {
    ports.drops[link]++;
    returnCredit(unit, queue.now());
    units.release(unit);
  }

  private static long threshold(QueuePolicy.Pause pause, long room) {
    double dynamic = Math.max(0, pause.inputShare() * room);
    return dynamic >= pause.thresholdBytes() ? pause.thresholdBytes() : (long) dynamic;
  }

  // A pause frame waits for the frame on the wire, and takes its own time there.
  private void signal(int link, boolean on) {
    int back = Fabric.opposite(link);
    int slot = times.slot(links.spec(back), 0, 0);
    long arrival = Math.max(queue.now(), links.freeAt(back)) + times.wirePs(slot) + links.latencyPs(back);
    // Two frames that wait for the same one on the wire arrive in their order.
    long time = Math.max(arrival, ports.signalledAt[link] + 1);
    ports.signalledAt[link] = time;
    int owner = setup.partitionOf[links.source(link)];
    if (owner == partition.number) {
      queue.push(time, Events.pack(Events.CONTROL, link, on ? Events.PAUSE : Events.RESUME));
    } else {
      partition.outbox[owner].pause(time, link, on);
    }
  }

  /** A pause, or its end, has reached the source of a link. */
  void pause(int link, boolean on) {
    links.paused(link, on);
    if (!on) {
      partition.mark(link);
    }
  }

  private void store(int link, int channel, int unit, int bytes, int arrivedBy) {
    headers.queued(unit, bytes, arrivedBy);
    state.append(units, plan.firstOutputQueue + channel, unit);
    ports.queueBytes[link] += bytes;
    links.queue(link, units.payload(unit));
    partition.mark(link);
  }

  // A fair coin decides whether the arriving packet loses its payload, or the newest in the queue.
  private void trim(int device, int arrivedBy, int link, int channel, int unit, int bytes) {
    int newest = state.tail(plan.firstOutputQueue + channel);
    headers.queued(unit, bytes, arrivedBy);
    if (newest != NONE && headers.queuedBytes(newest) == bytes && partition.routes.random(device).nextInt(2) == 0) {
      units.swap(unit, newest);
    }
    ports.trims[link]++;
    headers.set(unit, TransportHeader.TRIMMED);
    int target = links.target(link);
    if (target == units.destination(unit) || target == units.waypoint(unit)) {
      headers.set(unit, TransportHeader.LAST_HOP);
    }
    int control = links.firstChannel(link) + links.channelCount(link) - 1;
    units.payload(unit, 0);
    units.route(unit, units.waypoint(unit), control);
    append(link, control, unit);
  }

  // Frees the buffer that a packet leaves, and lets its input go on.
  private void free(int device, int link, int unit) {
    int bytes = headers.queuedBytes(unit);
    if (bytes == 0) {
      return;
    }
    ports.queueBytes[link] -= bytes;
    int input = headers.arrivedBy(unit);
    if (input == NONE) {
      return;
    }
    QueuePolicy policy = ports.policy[device];
    if (policy.pause().isEmpty()) {
      ports.bufferBytes[device] -= bytes;
      return;
    }
    QueuePolicy.Pause pause = policy.pause().get();
    long fromHeadroom = Math.min(bytes, ports.headroomBytes[input]);
    ports.headroomBytes[input] -= fromHeadroom;
    ports.bufferBytes[device] -= bytes - fromHeadroom;
    ports.inputBytes[input] -= bytes;
    if (ports.pausing[input] && ports.headroomBytes[input] == 0) {
      long threshold = threshold(pause, policy.bufferBytes() - ports.bufferBytes[device]);
      if (ports.inputBytes[input] == 0 || ports.inputBytes[input] + pause.resumeBytes() <= threshold) {
        ports.pausing[input] = false;
        signal(input, false);
      }
    }
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
    int base = links.firstChannel(link);
    int data = links.channelCount(link) - 1;
    int urgent = state.head(plan.firstOutputQueue + base + data);
    if (urgent != NONE) {
      transmit(link, base + data, urgent, false);
      return;
    }
    if (links.isPaused(link)) {
      stall(link, base, data);
      return;
    }
    int last = links.lastVirtual(link);
    long wake = Long.MAX_VALUE;
    boolean blocked = false;
    for (int i = 1; i <= data; i++) {
      int virtual = (last + i) % data;
      int channel = base + virtual;
      int unit = state.head(plan.firstOutputQueue + channel);
      int own = channels.injectionUnit(channel);
      boolean injects = own != NONE && (unit == NONE || !channels.isInjectedLast(channel));
      unit = injects ? own : unit;
      if (unit == NONE) {
        continue;
      }
      if (covered(channel, link, unit)) {
        links.lastVirtual(link, virtual);
        channels.injectedLast(channel, injects);
        transmit(link, channel, unit, injects);
        return;
      }
      blocked = true;
      wake = Math.min(wake, ledger.nextReturn(channel));
    }
    if (blocked) {
      await(link, wake);
    }
  }

  private void stall(int link, int base, int data) {
    for (int channel = base; channel < base + data && links.stalledSince(link) == NONE; channel++) {
      if (state.head(plan.firstOutputQueue + channel) != NONE || channels.injectionUnit(channel) != NONE) {
        links.stalledSince(link, queue.now());
      }
    }
  }

  private boolean covered(int channel, int link, int unit) {
    if (channels.hasUnlimitedBytes(channel) && channels.hasUnlimitedHeaders(channel)) {
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
    if (data && (injects || plan.fabric.bridges(device))) {
      endpoints.leaves(unit);
    }
    if (injects) {
      partition.injection.injected(channel);
    } else {
      state.removeHead(units, plan.firstOutputQueue + channel);
      links.unqueue(link, units.payload(unit));
      free(device, link, unit);
    }
    if (data) {
      if (!injects && !headers.has(unit, TransportHeader.TRIMMED)) {
        markCongestion(device, link, unit);
      }
      if (telemetryBytes > 0) {
        headers.addHop(unit, now, ports.sentBytes[link], ports.queueBytes[link], plan.specs[links.spec(link)].rate()
            .bitsPerSecond());
      }
    }
    ports.sentBytes[link] += bytes;
    count(link, channel, now, end, units.payload(unit));
    send(link, unit, now, end, slot);
    if (waits(link)) {
      partition.scheduleFree(link);
    }
  }

  private void takeCredit(int channel, int unit, int slot) {
    boolean limited = !channels.hasUnlimitedBytes(channel) || !channels.hasUnlimitedHeaders(channel);
    int taken = limited ? partition.transmitters.taken(channel, unit, slot) : 0;
    int packets = limited && !channels.hasUnlimitedHeaders(channel) ? times.packets(slot) : 0;
    if (limited) {
      ledger.take(channel, taken, packets);
    }
    units.hold(unit, channel, taken, packets);
  }

  private void markCongestion(int device, int link, int unit) {
    QueuePolicy policy = ports.policy[device];
    if (policy == QueuePolicy.UNLIMITED || policy.marking().isEmpty()) {
      return;
    }
    QueuePolicy.Marking marking = policy.marking().get();
    long queued = ports.queueBytes[link];
    if (queued <= marking.minBytes()) {
      return;
    }
    if (!marking.lastHop() && plan.endpoint[links.target(link)]) {
      return;
    }
    boolean marks = queued > marking.maxBytes()
        || partition.routes.random(device).nextDouble() < marking.maxProbability()
            * (queued - marking.minBytes()) / (marking.maxBytes() - marking.minBytes());
    if (marks) {
      headers.set(unit, TransportHeader.MARKED);
      ports.marks[link]++;
    }
  }

  private void count(int link, int channel, long start, long end, int payload) {
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
    for (int channel = base; channel < base + links.channelCount(link); channel++) {
      if (state.head(plan.firstOutputQueue + channel) != NONE || channels.injectionUnit(channel) != NONE) {
        return true;
      }
    }
    return false;
  }
}
