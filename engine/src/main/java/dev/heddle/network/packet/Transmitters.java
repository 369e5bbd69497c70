package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import dev.heddle.fabric.Fabric;
import dev.heddle.internal.collect.EventQueue;
import dev.heddle.network.Meter;
import dev.heddle.network.WireTimeCache;
import dev.heddle.observe.NetworkObserver;
import org.jspecify.annotations.Nullable;

/** The transmitters of a partition's links: each takes one of the units that ask for it when it is free. */
final class Transmitters {
  private static final int NONE = NetworkState.NONE;

  private final Partition partition;
  private final NetworkPlan plan;
  private final NetworkState state;
  private final RunContext setup;
  private final @Nullable NetworkObserver observer;
  private final Links links;
  private final VirtualChannels channels;
  private final Requests requests;
  private final EventQueue queue;
  private final PacketTable units;
  private final Meter meter;
  private final CreditLedger ledger;
  private final WireTimeCache times;
  private final Arbiter arbiter;
  private final ReverseTraffic returns;
  private final Losses losses;
  private final Injection injection;
  private final OutputBuffers outputs;
  // Per link the part that flows leave to packets; empty where no flows are beside them.
  private final double[] room;

  Transmitters(
      Partition partition, NetworkPlan plan, NetworkState state, RunContext setup, Injection injection,
      OutputBuffers outputs) {
    this.partition = partition;
    this.plan = plan;
    this.state = state;
    this.setup = setup;
    this.injection = injection;
    this.outputs = outputs;
    observer = setup.observer;
    room = setup.room;
    links = state.links;
    channels = state.channels;
    requests = state.requests;
    queue = partition.queue;
    units = partition.units;
    meter = partition.meter;
    ledger = partition.ledger;
    times = partition.times;
    arbiter = partition.arbiter;
    returns = partition.returns;
    losses = partition.losses;
  }

  // Of two directions that share a wire, the one that did not carry data last goes first.
  void takeTurns(int link) {
    int first = links.wentLast(link) ? Fabric.opposite(link) : link;
    if (links.freeAt(first) <= queue.now()) {
      arbitrate(first);
    }
    if (links.freeAt(first) <= queue.now()) {
      arbitrate(Fabric.opposite(first));
    }
  }

  /** Lets the link transmit a unit, of those that ask for it, whose credit is there. */
  void arbitrate(int link) {
    int device = links.source(link);
    int virtuals = links.channelCount(link);
    int base = links.firstChannel(link);
    long now = queue.now();
    long wake = Long.MAX_VALUE;
    boolean blocked = false;
    // Outputs with a buffer may have something to send though nobody asks.
    int left = plan.buffering[device] == NetworkPlan.OUTPUT ? (1 << virtuals) - 1 : requests.asked(link);
    int after = -2 << links.lastVirtual(link);
    while (left != 0) {
      int virtual = Integer.numberOfTrailingZeros((left & after) != 0 ? left & after : left);
      left &= ~(1 << virtual);
      int channel = base + virtual;
      int requester = arbiter.pick(device, channel);
      if (requester == NONE) {
        continue;
      }
      int unit = arbiter.head(device, channel, requester);
      int slot = times.slot(links.spec(link), units.payload(unit), units.trafficClass(unit));
      if (ledger.covers(channel, taken(channel, unit, slot), times.packets(slot), now)) {
        if (virtuals > 1) {
          links.lastVirtual(link, virtual);
        }
        transmit(link, channel, requester, unit, slot);
        return;
      }
      blocked = true;
      wake = Math.min(wake, ledger.nextReturn(channel));
    }
    if (blocked) {
      if (links.stalledSince(link) == NONE) {
        links.stalledSince(link, now);
      }
      if (wake < links.creditWakeAt(link)) {
        links.creditWakeAt(link, wake);
        queue.push(wake, Events.pack(Events.CREDIT, link, 0));
      }
    }
  }

  /** The bytes of credit that a unit takes. */
  int taken(int channel, int unit, int slot) {
    long rounded = 0;
    if (!channels.hasUnlimitedBytes(channel)) {
      long bytes = channels.countsWholePackets(channel) ? times.wireBytes(slot) : units.payload(unit);
      int granule = channels.granule(channel);
      rounded = granule == 1 ? bytes : (bytes + granule - 1) / granule * granule;
    }
    if (rounded > channels.capacityBytes(channel) || times.packets(slot) > channels.capacityHeaders(channel)) {
      throw DeadlockReport.unitTooLarge(plan, channel, units.payload(unit), rounded, times.packets(slot));
    }
    return (int) rounded;
  }

  private void transmit(int link, int channel, int requester, int unit, int slot) {
    long now = queue.now();
    int device = links.source(link);
    int payload = units.payload(unit);
    long end = Math.max(now + shared(link, times.wirePs(slot) + returns.drainAcks(link, now)), units.tailAt(unit));
    int held = units.heldChannel(unit);
    if (held != NONE) {
      returns.returnCredit(held, units.heldBytes(unit), units.heldHeaders(unit), end);
    }
    int taken = taken(channel, unit, slot);
    int packets = channels.hasUnlimitedHeaders(channel) ? 0 : times.packets(slot);
    ledger.take(channel, taken, packets);
    links.freeAt(link, end);
    if (links.isHalfDuplex(link)) {
      holdOpposite(link, end, times.transfers(slot));
    }
    if (plan.buffering[device] == NetworkPlan.OUTPUT) {
      channels.injectedLast(channel, requester == 0);
    } else {
      channels.lastGranted(channel, requester);
    }
    count(link, channel, now, end, payload, times.transfers(slot));
    leave(device, channel, requester, end, payload);
    units.hold(unit, channel, taken, packets);
    send(link, unit, now, end, slot);
    if (state.hasRequests(link) || links.isHalfDuplex(link) && state.hasRequests(Fabric.opposite(link))) {
      partition.scheduleFree(link);
    }
  }

  // The time of packets on a link of which flows take a part.
  private long shared(int link, long ps) {
    return room.length == 0 || room[link] == 1 ? ps : (long) Math.ceil(ps / room[link]);
  }

  // A burst that does not cross the wire takes no turn.
  private void holdOpposite(int link, long end, int crossings) {
    int opposite = Fabric.opposite(link);
    links.freeAt(opposite, end);
    if (crossings > 0) {
      links.wentLast(link, true);
      links.wentLast(opposite, false);
    }
  }

  // Takes the granted unit out of its queue and lets the one behind it ask.
  private void leave(int device, int channel, int requester, long end, int payload) {
    if (requester == 0) {
      injection.injected(channel);
      return;
    }
    int from = arbiter.queueOf(device, channel, requester);
    boolean more = state.removeHead(units, from);
    switch (plan.buffering[device]) {
      case NetworkPlan.INPUT :
        int input = from - plan.firstInputQueue;
        requests.clear(channel, requester);
        channels.inputFreeAt(input, end);
        partition.expose(input);
        break;
      case NetworkPlan.OUTPUT :
        channels.addOutputBytes(channel, -payload);
        outputs.mark(channel);
        break;
      default :
        if (!more) {
          requests.clear(channel, requester);
        }
    }
  }

  private void send(int link, int unit, long start, long end, int slot) {
    int target = links.target(link);
    long latency = links.latencyPs(link);
    long time;
    int kind = Events.ARRIVE;
    if (units.destination(unit) == target) {
      time = end + latency;
      kind = Events.DELIVER;
    } else {
      long forward = links.forwardPs(link);
      units.tailAt(unit, end + forward);
      switch (plan.switching[target]) {
        case NetworkPlan.CUT_THROUGH :
          time = start + forward;
          break;
        case NetworkPlan.STORE_AND_FORWARD :
          time = Math.min(end, start + times.headPs(slot)) + forward;
          break;
        default :
          time = end + forward;
      }
    }
    if (links.loses(link) && losses.loses(link, unit, times.packets(slot))) {
      lose(link, unit, end, time);
    } else {
      partition.hand(setup.partitionOf[target], time, kind, link, unit);
    }
  }

  // A lost unit takes no buffer of its receiver.
  private void lose(int link, int unit, long end, long time) {
    int held = units.heldChannel(unit);
    returns.returnCredit(held, units.heldBytes(unit), units.heldHeaders(unit), end);
    units.hold(unit, held, 0, 0);
    partition.hand(setup.partitionOf[units.source(unit)], time + losses.wayPs(unit), Events.LOST, link, unit);
  }

  private void count(int link, int channel, long start, long end, int payload, int crossings) {
    partition.hops++;
    links.unqueue(link, payload);
    long busy = meter.clip(start, end);
    if (busy > 0) {
      links.countBusy(link, room.length == 0 || room[link] == 1 ? busy : Math.round(busy * room[link]));
      if (meter.within(start)) {
        links.countUnit(link, (long) payload * crossings);
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
}
