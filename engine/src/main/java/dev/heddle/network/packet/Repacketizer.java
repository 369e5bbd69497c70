package dev.heddle.network.packet;

import dev.heddle.fabric.Fabric;
import dev.heddle.internal.collect.LongList;
import dev.heddle.internal.collect.LongLongMap;
import org.jspecify.annotations.Nullable;

/** Converts between the unit sizes of two tiers at the devices of a partition that join them. */
final class Repacketizer {
  private static final int NONE = NetworkState.NONE;

  private final Partition partition;
  private final NetworkPlan plan;
  private final Fabric fabric;
  private final Links links;
  private final VirtualChannels channels;
  private final Routes routes;
  private final PacketTable units;
  private final ReverseTraffic returns;
  private final @Nullable LongLongMap[] assembling;
  private final @Nullable LongLongMap[] assembled;

  Repacketizer(Partition partition, NetworkPlan plan, NetworkState state) {
    this.partition = partition;
    this.plan = plan;
    fabric = plan.fabric;
    links = state.links;
    channels = state.channels;
    routes = partition.routes;
    units = partition.units;
    returns = partition.returns;
    assembling = new LongLongMap[plan.devices];
    assembled = new LongLongMap[plan.devices];
  }

  /**
   * Converts between the unit sizes of two tiers: forwards, cuts, or collects until a unit of the next tier is full.
   * Packets of a transport protocol's connections, which are all that cross tiers under one, keep their size.
   */
  void convert(int device, int unit) {
    long message = units.message(unit);
    int waypoint = fabric.nextWaypoint(device, message, units.destination(unit));
    int channel = routes.onward(device, waypoint, units, unit);
    units.route(unit, waypoint, channel);
    int limit = plan.unitLimit[links.spec(channels.link(channel))];
    int requester = channels.requester(units.heldChannel(unit));
    int payload = units.payload(unit);
    boolean alone = payload == units.total(unit) && payload <= limit;
    if (alone || (plan.sendsBursts() && payload <= Math.max(limit, plan.burstBytes()))) {
      partition.enqueue(device, unit, channel, requester);
      return;
    }
    LongLongMap carriers = maps(assembling, device, NONE);
    LongLongMap passed = maps(assembled, device, 0);
    long soFar = passed.get(message) + payload;
    boolean complete = soFar == units.total(unit);
    if (complete) {
      passed.remove(message);
    } else {
      passed.put(message, soFar);
    }
    int carrier = (int) carriers.get(message);
    if (carrier != NONE) {
      absorb(unit, carrier);
      carriers.remove(message);
    }
    int rest = units.payload(unit);
    while (rest > limit) {
      int piece = units.copy(unit);
      units.payload(piece, limit);
      units.hold(piece, NONE, 0, 0);
      partition.enqueue(device, piece, channel, requester);
      rest -= limit;
    }
    units.payload(unit, rest);
    if (rest == limit || complete) {
      partition.enqueue(device, unit, channel, requester);
    } else {
      units.route(unit, waypoint, NONE);
      carriers.put(message, unit);
    }
  }

  /**
   * Adds what a device assembles to a list, and to another the bytes of each message that it has passed on.
   *
   * @param clock of times and numbers of messages
   */
  void describe(int device, RelativeClock clock, LongList into, LongList passed) {
    LongLongMap carriers = assembling[device];
    LongLongMap bytes = assembled[device];
    if (carriers == null || bytes == null) {
      return;
    }
    for (long message : carriers.keys()) {
      units.describe((int) carriers.get(message), clock, into);
    }
    for (long message : bytes.keys()) {
      into.add(message - clock.numbers());
      passed.add(bytes.get(message));
    }
  }

  /** Moves what a device assembles to a later time; returns the place behind the bytes that it passed on. */
  int delay(int device, RelativeClock.Jump by, long[] more, int place) {
    LongLongMap carriers = assembling[device];
    LongLongMap bytes = assembled[device];
    if (carriers == null || bytes == null) {
      return place;
    }
    for (long message : carriers.keys()) {
      units.delay((int) carriers.get(message), by);
    }
    int next = place;
    for (long message : bytes.keys()) {
      bytes.put(message, bytes.get(message) + more[next++]);
    }
    by.renumber(carriers);
    by.renumber(bytes);
    return next;
  }

  // Adds an earlier, incomplete unit of the same message to a later one.
  private void absorb(int unit, int earlier) {
    units.payload(unit, units.payload(unit) + units.payload(earlier));
    units.tailAt(unit, Math.max(units.tailAt(unit), units.tailAt(earlier)));
    int held = units.heldChannel(earlier);
    if (held == units.heldChannel(unit)
        && units.heldHeaders(unit) + units.heldHeaders(earlier) <= PacketTable.MAX_PACKETS) {
      units.hold(
          unit, held, units.heldBytes(unit) + units.heldBytes(earlier),
          units.heldHeaders(unit) + units.heldHeaders(earlier));
    } else if (held != NONE) {
      returns.returnCredit(held, units.heldBytes(earlier), units.heldHeaders(earlier), partition.queue.now());
    }
    units.release(earlier);
  }

  private static LongLongMap maps(@Nullable LongLongMap[] all, int device, long missing) {
    LongLongMap map = all[device];
    if (map == null) {
      map = new LongLongMap(missing);
      all[device] = map;
    }
    return map;
  }
}
