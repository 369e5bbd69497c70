package dev.heddle.network.packet;

import dev.heddle.collective.MessageLabel;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.ControlClassed;
import dev.heddle.network.MessageNumbers;
import dev.heddle.network.RouteSelector;
import dev.heddle.tier.RouteFunction;
import dev.heddle.tier.TierPlan;

/** Selection of paths by the bytes that wait for links, and of virtual channels by traffic class. */
final class Routes extends RouteSelector {
  private final boolean changes;
  private final Links links;
  private final VirtualChannels channels;
  private final boolean byArrival;
  private final int[] arrival;
  private final int controlClass;

  Routes(NetworkPlan plan, NetworkState state, RunContext setup) {
    super(plan.fabric, setup.seed, setup.random);
    changes = !plan.fabric.changes().isEmpty();
    arrival = plan.arrival;
    controlClass = ControlClassed.of(setup.transport);
    links = state.links;
    channels = state.channels;
    byArrival = plan.fabric.routesByArrival();
  }

  /**
   * The channel by which a message leaves its source.
   *
   * @param waypoint where it goes within the tier
   * @param message its number
   * @param destination the terminal that it goes to
   */
  int inject(int source, int waypoint, int trafficClass, long message, int destination) {
    int chosen = choose(source, waypoint, RouteFunction.NONE, message, destination);
    return ofClass(chosen, trafficClass, MessageNumbers.networkClass(message));
  }

  /**
   * The channel by which a unit that has arrived leaves a device.
   *
   * @param waypoint where it goes within the tier
   */
  int onward(int device, int waypoint, PacketTable units, int unit) {
    int arrivedBy = byArrival ? arrivedBy(units.heldChannel(unit)) : RouteFunction.NONE;
    int chosen = choose(device, waypoint, arrivedBy, units.message(unit), units.destination(unit));
    int link = TierPlan.linkOf(chosen);
    if (links.queuesByArrival(link)) {
      return links.firstChannel(link) + arrival[channels.link(units.heldChannel(unit))] % links.dataChannels(link);
    }
    return ofClass(chosen, units.trafficClass(unit), MessageNumbers.networkClass(units.message(unit)));
  }

  /** Whether no route is left from a device to a waypoint, as for packets that were on their way to a fault. */
  boolean isCutOff(int device, int waypoint) {
    return changes && !present().leads(device, waypoint);
  }

  /**
   * The channel by which a packet of a connection leaves a device.
   *
   * @param waypoint where it goes within the tier
   */
  int transported(int device, int waypoint, PacketTable units, TransportHeader headers, int unit) {
    int chosen = present().isHashed()
        ? present().hashedChannel(device, waypoint, headers.flow(unit)) : among(device, waypoint, units, headers, unit);
    int link = TierPlan.linkOf(chosen);
    if (headers.isControl(unit) && links.isManaged(link)) {
      return control(link, chosen);
    }
    return ofClass(chosen, units.trafficClass(unit), headers.networkClass(unit));
  }

  private int among(int device, int waypoint, PacketTable units, TransportHeader headers, int unit) {
    int held = units.heldChannel(unit);
    int arrivedBy = byArrival && held != NetworkState.NONE && links.isManaged(channels.link(held))
        ? arrivedBy(held) : RouteFunction.NONE;
    int count = present().candidates(device, waypoint, arrivedBy, candidates);
    return count == 1 ? candidates[0]
        : present().selection(device, waypoint) == TierPlan.Selection.MESSAGE_HASH
            ? candidates[Fabric.hashed(headers.flow(unit), device, count)]
        : among(count, device, waypoint, arrivedBy, units.message(unit), units.destination(unit));
  }

  /**
   * The channel of a managed link by which control packets go.
   *
   * @param chosen a channel that leads their way
   */
  int control(int link, int chosen) {
    return links.firstChannel(link) + (controlClass == ControlClassed.BEFORE_ALL ? links.channelCount(link) - 1
        : TierPlan.virtualChannel(chosen, controlClass, links.channelsPerClass(link), links.dataChannels(link)));
  }

  // The channel that the route took, without the traffic class.
  private int arrivedBy(int channel) {
    int link = channels.link(channel);
    int virtual = Math.min(channel - links.firstChannel(link), links.dataChannels(link) - 1);
    return TierPlan.channel(link, virtual % links.channelsPerClass(link));
  }

  @Override
  protected long load(int link) {
    return links.queuedBytes(link);
  }

  // A shortest path, unless its queue is more than twice that of a detour, which is about twice as long.
  @Override
  protected int ugal(int device, int waypoint, int shortest, int count) {
    int direct = candidates[random(device).nextInt(shortest)];
    if (shortest == count) {
      return direct;
    }
    int detour = candidates[shortest + random(device).nextInt(count - shortest)];
    long queued = links.queuedBytes(TierPlan.linkOf(direct));
    return queued > 2 * links.queuedBytes(TierPlan.linkOf(detour)) ? detour : direct;
  }

  private int ofClass(int chosen, int nodeClass, int networkClass) {
    int link = TierPlan.linkOf(chosen);
    boolean isOwn = links.betweenNodes(link) && networkClass != MessageLabel.SAME_CLASS;
    int trafficClass = isOwn ? networkClass : nodeClass;
    return links.firstChannel(link)
        + TierPlan.virtualChannel(chosen, trafficClass, links.channelsPerClass(link), links.dataChannels(link));
  }
}
