package dev.heddle.network.flow;

import dev.heddle.fabric.Fabric;
import dev.heddle.internal.collect.FairShare;
import dev.heddle.internal.collect.Parts;
import dev.heddle.internal.collect.PlannedCrossings;
import dev.heddle.network.MessageNumbers;
import dev.heddle.network.NetworkException;
import dev.heddle.network.RouteSelector;
import dev.heddle.network.WireTimeCache;
import dev.heddle.tier.RouteFunction;
import dev.heddle.tier.TierPlan;
import dev.heddle.units.RandomStream;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The path of one message: its links, the share of each that it takes, and its time in an idle network. One instance
 * serves all messages, one after another.
 *
 * <p>Where a tier sprays packets, a message divides at each device among the links that lead on: in equal parts under
 * random selection; under adaptive selection in inverse proportion to the flows that cross each link, itself included.
 * Each link then carries the sum of the parts that reach it, which stays linear in the max-min solver. The time in an
 * idle network is that of the path by the first of these links.
 *
 * <p>A message of {@code n} units whose head reaches a link {@code S} after its start leaves that link
 * {@code S + (n - 1) * M} later with its last unit, where {@code M} is the longest that any link so far takes for a
 * unit: the units of an undisturbed message are a pipeline. So the time is known without moving a unit.
 */
final class PathPlanner extends RouteSelector {
  private static final int MAX_HOPS = 1 << 16;
  // The loads of a hop: the link, its acknowledgements, its credits.
  private static final int LOADS = 3;

  // Detours that are examined before one is taken.
  private static final int DRAWS = 4;
  private final FlowPlan plan;
  private final Fabric fabric;
  private final WireTimeCache costs;
  private final CreditRound round;
  private final CreditLoops credits;
  private final @Nullable SteadyTransport steady;
  private final FairShare shares;
  private final int[] onward;

  private final PlannedCrossings planned;
  // With a folding, the links of flows under way before they were replaced by their representatives, and crossings.
  private @Nullable Folding folding;
  private int[][] own = new int[0][];
  private double[] crossings = new double[16];

  // The path that the time in an idle network follows.
  private int[] path = new int[16];
  private int[] pathChannels = new int[16];
  private double[] pathParts = new double[16];
  private int pathHops;

  // Devices that parts of a sprayed message have reached, with the waypoint and the size of each part.
  private final Parts parts;
  private final Parts nextParts;

  // The transport protocol that carries the planned message; null for none.
  private @Nullable SteadyTransport transport;

  /** Links of the route whose credits may limit the message. */
  final CreditedLinks credited = new CreditedLinks();
  private int[] links = new int[16];
  private int[] channels = new int[16];
  private double[] parted = new double[16];
  private double[] weights = new double[16];
  private int hops;
  private int count;
  private int entries;
  private long occupiedPs;
  private long zeroLoadPs;

  PathPlanner(FlowPlan plan, FairShare shares, long seed) {
    super(plan.fabric, seed, new RandomStream[plan.devices]);
    this.plan = plan;
    this.fabric = plan.fabric;
    this.shares = shares;
    costs = new WireTimeCache(plan.specs);
    round = new CreditRound(plan.credits, costs);
    credits = plan.credits;
    steady = plan.steady;
    onward = new int[candidates.length];
    planned = new PlannedCrossings(plan.links);
    boolean sprays = fabric.spraysPackets() || steady != null && steady.spreads();
    parts = new Parts(sprays ? plan.devices : 0);
    nextParts = new Parts(sprays ? plan.devices : 0);
  }

  @Override
  protected long load(int link) {
    return shares.flows(link) + planned.ofLink(link);
  }

  // All packets of a connection take the link that its hash names.
  @Override
  protected int hashed(long message, int device, int arrivedBy, int destination, int count) {
    return arrivedBy == RouteFunction.NONE || transport == null
        ? super.hashed(message, device, arrivedBy, destination, count)
        : SteadyTransport.hashed(MessageNumbers.connection(message, destination), device, count);
  }

  /** Counts the planned path as a flow for later ones, so that adaptive routes of one collective spread. */
  void reserve() {
    planned.add(links, hops);
  }

  /** Drops all reservations. */
  void forget() {
    planned.clear();
  }

  // A shortest path, unless its most loaded link has more than twice as many flows as that of a detour. In the packet
  // network queues that grow back from a full link show its load; flows have none, so the whole path is examined.
  @Override
  protected int ugal(int device, int waypoint, int shortest, int options) {
    int direct = candidates[0];
    long fewest = Long.MAX_VALUE;
    for (int i = 0; i < shortest; i++) {
      long flows = fullest(candidates[i], waypoint);
      if (flows < fewest) {
        direct = candidates[i];
        fewest = flows;
      }
    }
    if (fewest == 0 || shortest == options) {
      return direct;
    }
    int best = direct;
    for (int draw = 0; draw < DRAWS; draw++) {
      int detour = candidates[shortest + random(device).nextInt(options - shortest)];
      long flows = fullest(detour, waypoint);
      if (2 * flows < fewest) {
        best = detour;
        fewest = 2 * flows;
      }
    }
    return best;
  }

  // The most flows on a link of the path that begins with a channel and continues by the least loaded links.
  private long fullest(int channel, int waypoint) {
    long most = load(TierPlan.linkOf(channel));
    int arrivedBy = channel;
    int device = plan.linkTarget[TierPlan.linkOf(channel)];
    while (device != waypoint) {
      int options = fabric.candidates(device, waypoint, arrivedBy, onward);
      int best = onward[0];
      for (int i = 1; i < options; i++) {
        best = load(TierPlan.linkOf(onward[i])) < load(TierPlan.linkOf(best)) ? onward[i] : best;
      }
      arrivedBy = best;
      most = Math.max(most, load(TierPlan.linkOf(best)));
      device = plan.linkTarget[TierPlan.linkOf(best)];
    }
    return most;
  }

  /** The channel by which a message leaves its source. */
  int first(int source, int destination, long id) {
    int waypoint = fabric.nextWaypoint(source, id, destination);
    return choose(source, waypoint, RouteFunction.NONE, id, destination);
  }

  /**
   * Plans the path of a message.
   *
   * @param firstLink that it leaves its source by, as chosen when it was submitted
   */
  void plan(int firstLink, long message, int destination, long bytes, int trafficClass) {
    int waypoint = route(firstLink, message, destination, FairShare.NONE, 0);
    int limit = transport != null ? transport.payload(path, pathHops)
        : waypoint == destination
            ? plan.unitLimit[plan.spec[firstLink]]
        : plan.bridgedLimit(plan.spec[firstLink], bytes);
    time(bytes, limit, trafficClass);
  }

  /** Lets paths be folded. */
  void fold(Folding found) {
    folding = found;
  }

  /** Replaces the links of the planned path by their representatives, for all equal messages; keeps them for a flow. */
  void fold(int flow, int copies) {
    Folding by = Objects.requireNonNull(folding, "nothing is folded");
    if (flow >= own.length) {
      own = Arrays.copyOf(own, Math.max(flow + 1, 2 * own.length));
    }
    if (own[flow] == null || own[flow].length < hops) {
      own[flow] = new int[2 * hops];
    }
    System.arraycopy(links, 0, own[flow], 0, hops);
    if (crossings.length < count) {
      crossings = new double[links.length];
    }
    for (int i = 0; i < count; i++) {
      crossings[i] = by.crossings(copies, links[i]);
      links[i] = by.link(links[i]);
      weights[i] *= crossings[i];
    }
    credited.fold(by, plan, copies);
  }

  /** The crossings for which that of each link stands; null where paths are not folded. */
  double @Nullable [] crossings() {
    return folding == null ? null : crossings;
  }

  private int crossed(int flow, int hop) {
    return folding == null ? shares.link(flow, hop) : own[flow][hop];
  }

  /**
   * The number of leading links that the path of a message would share with that of a flow; it is planned up to there.
   *
   * @param flow a flow that leaves by the same link
   * @param flowHops the number of links of its path
   */
  int common(int firstLink, long message, int destination, int flow, int flowHops) {
    route(firstLink, message, destination, flow, flowHops);
    int common = 0;
    while (common < Math.min(hops, flowHops) && crossed(flow, common) == links[common]) {
      common++;
    }
    return common;
  }

  // Finds the links of a message's path, up to the first that a flow does not cross, if there is one, and returns its
  // first waypoint.
  private int route(int firstLink, long message, int destination, int flow, int flowHops) {
    int source = MessageNumbers.source(message);
    hops = 0;
    pathHops = 0;
    transport = steady != null && plan.connects(source, destination) ? steady : null;
    int first = fabric.nextWaypoint(source, message, destination);
    int waypoint = first;
    int arrivedBy = TierPlan.channel(firstLink, 0);
    append(arrivedBy, 1);
    appendToPath(arrivedBy, 1);
    int device = plan.linkTarget[firstLink];
    while (device != destination
        && (flow == FairShare.NONE || hops <= flowHops && crossed(flow, hops - 1) == links[hops - 1])) {
      if (device == waypoint) {
        waypoint = fabric.nextWaypoint(device, message, destination);
      }
      if (sprays(device, waypoint)) {
        device = spray(device, waypoint);
        continue;
      }
      arrivedBy = choose(device, waypoint, arrivedBy, message, destination);
      append(arrivedBy, 1);
      appendToPath(arrivedBy, 1);
      device = plan.linkTarget[TierPlan.linkOf(arrivedBy)];
    }
    return first;
  }

  private boolean sprays(int device, int waypoint) {
    return parts.holdsDevices() && (fabric.spraysTowards(device, waypoint)
        || transport != null && transport.spreads() && fabric.hashesTowards(device, waypoint));
  }

  // Divides a message among the links from a device on, until its parts meet at the waypoint.
  private int spray(int device, int waypoint) {
    parts.clear();
    parts.add(device, 1);
    int reached = device;
    while (!parts.isOnly(waypoint)) {
      nextParts.clear();
      for (int i = 0; i < parts.count(); i++) {
        if (parts.device(i) == waypoint) {
          nextParts.add(waypoint, parts.part(i));
        } else {
          divide(parts.device(i), waypoint, parts.part(i), parts.device(i) == reached);
        }
      }
      reached = reached == waypoint ? waypoint : plan.linkTarget[path[pathHops - 1]];
      parts.take(nextParts);
    }
    return waypoint;
  }

  private void divide(int device, int waypoint, double part, boolean onPath) {
    int options = fabric.candidates(device, waypoint, RouteFunction.NONE, candidates);
    boolean adaptive = fabric.selection(device, waypoint) == TierPlan.Selection.ADAPTIVE;
    double sum = 0;
    for (int i = 0; i < options; i++) {
      sum += adaptive ? 1.0 / (1 + load(TierPlan.linkOf(candidates[i]))) : 1;
    }
    for (int i = 0; i < options; i++) {
      int link = TierPlan.linkOf(candidates[i]);
      double share = part * (adaptive ? 1.0 / (1 + load(link)) : 1) / sum;
      append(candidates[i], share);
      nextParts.add(plan.linkTarget[link], share);
      if (i == 0 && onPath) {
        appendToPath(candidates[i], share);
      }
    }
  }

  private void append(int channel, double part) {
    if (LOADS * (hops + 1) > links.length) {
      links = Arrays.copyOf(links, 2 * links.length);
      channels = Arrays.copyOf(channels, links.length);
      parted = Arrays.copyOf(parted, links.length);
      weights = Arrays.copyOf(weights, links.length);
    }
    parted[hops] = part;
    channels[hops] = channel;
    links[hops++] = TierPlan.linkOf(channel);
  }

  private void appendToPath(int channel, double part) {
    if (pathHops == MAX_HOPS) {
      throw new NetworkException("a route of more than " + MAX_HOPS + " links: the topology's routes form a loop");
    }
    if (pathHops == path.length) {
      path = Arrays.copyOf(path, 2 * pathHops);
      pathChannels = Arrays.copyOf(pathChannels, 2 * pathHops);
      pathParts = Arrays.copyOf(pathParts, 2 * pathHops);
    }
    pathParts[pathHops] = part;
    pathChannels[pathHops] = channel;
    path[pathHops++] = TierPlan.linkOf(channel);
  }

  // Follows the first unit, full but for a message of one unit, and the last one along the route.
  private void time(long bytes, int limit, int trafficClass) {
    long units = Math.max(1, (bytes + limit - 1) / limit);
    int last = (int) (bytes - (units - 1) * limit);
    int full = units == 1 ? last : limit;
    share(units, full, last, trafficClass);
    long longest = 0;
    // Of divided messages a link carries a part of the units, so that they follow each other in less time.
    boolean divided = false;
    long headStart = 0;
    long headTail = 0;
    long start = 0;
    long tail = 0;
    for (int hop = 0; hop < pathHops; hop++) {
      int link = path[hop];
      int slot = slot(link, full, trafficClass);
      long head = costs.headPs(slot);
      long headEnd = Math.max(headStart + wirePs(link, slot), headTail);
      divided |= pathParts[hop] < 1;
      longest = Math.max(
          longest, divided ? Math.round(pathParts[hop] * wirePs(link, slot)) : headEnd - headStart);
      if (units > 1) {
        start = Math.max(start, headEnd + (units - 2) * longest);
        start = Math.max(start, headStart + creditedPs(hop, units, full, trafficClass, longest));
      }
      slot = slot(link, last, trafficClass);
      long end = Math.max(start + wirePs(link, slot), tail);
      long forward = plan.latencyPs[link];
      if (hop + 1 < pathHops) {
        int device = plan.linkTarget[link];
        forward += plan.forwardPs[device];
        headStart = forward + CreditLoops.eligiblePs(plan.switching[device], headStart, headEnd, head);
        start = forward + CreditLoops.eligiblePs(plan.switching[device], start, end, costs.headPs(slot));
      }
      headTail = headEnd + forward;
      tail = end + forward;
    }
    zeroLoadPs = tail;
  }

  // The time by which credits hold up the last unit of a message on a link of the path: a buffer of units leaves at
  // their pace, the next one when the credit of the first is back.
  private long creditedPs(int hop, long units, int full, int trafficClass, long pacePs) {
    long last = (long) Math.ceil(pathParts[hop] * units) - 1;
    int next = hop + 1 < pathHops ? path[hop + 1] : FairShare.NONE;
    return !waitsForCredits(pathChannels[hop], next, full, trafficClass) || last < round.window ? 0
        : last / round.window * round.ps + last % round.window * pacePs;
  }

  // Whether credits may hold up units on a link.
  private boolean waitsForCredits(int chosen, int next, int full, int trafficClass) {
    int link = TierPlan.linkOf(chosen);
    // A message without payload is a header, which a buffer always has room for.
    if (full == 0 || !credits.limits(link)) {
      return false;
    }
    int virtual = plan.channel(chosen, trafficClass) - plan.firstChannel[link];
    long nextPs = next == FairShare.NONE ? next : wirePs(next, slot(next, full, trafficClass));
    int slot = slot(link, full, trafficClass);
    return round.binds(link, virtual, full, slot, wirePs(link, slot), nextPs);
  }

  private int slot(int link, int payload, int trafficClass) {
    return costs.slot(plan.spec[link], transport == null ? payload : payload + transport.extraBytes(link),
        trafficClass);
  }

  private long wirePs(int link, int slot) {
    return transport == null ? costs.wirePs(slot) : transport.slowed(link, costs.wirePs(slot));
  }

  // The share of its links that the message takes, and its acknowledgements of the opposite ones.
  private void share(long units, int full, int last, int trafficClass) {
    double volume = Math.max(1, (units - 1) * full + last);
    occupiedPs = 0;
    count = hops;
    credited.count = 0;
    for (int hop = 0; hop < hops; hop++) {
      int link = links[hop];
      int slot = slot(link, full, trafficClass);
      long wire = (units - 1) * wirePs(link, slot);
      double acknowledgements = (units - 1) * costs.ackPs(slot);
      slot = slot(link, last, trafficClass);
      wire += wirePs(link, slot);
      acknowledgements += costs.ackPs(slot);
      if (transport != null && transport.covers(link)) {
        acknowledgements = transport.controlPackets(units, volume, path, pathHops)
            * costs.wirePs(costs.slot(plan.spec[link], 0, trafficClass));
      }
      occupiedPs = Math.max(occupiedPs, (long) (parted[hop] * wire));
      weights[hop] = parted[hop] * wire / volume;
      if (acknowledgements > 0) {
        links[count] = Fabric.opposite(link);
        weights[count++] = parted[hop] * acknowledgements / volume;
      }
      // Of a divided message a link is followed by one like it, or by that at its end.
      if (waitsForCredits(channels[hop], hop + 1 < hops ? links[hop + 1] : FairShare.NONE, full, trafficClass)) {
        int channel = plan.channel(channels[hop], trafficClass);
        credited.add(
            link, channel, parted[hop], (double) round.window * full, round.ps, weights[hop] / parted[hop]);
      }
    }
    entries = count;
    for (int i = 0; i < credited.count; i++) {
      occupiedPs = Math.max(occupiedPs, (long) credited.occupiedPs(i, volume, 1));
    }
  }

  /** The links that one packet crosses, the first {@link #pathHops()} of the array. */
  int[] path() {
    return path;
  }

  /** The links of the route, then those that carry its acknowledgements. */
  int[] links() {
    return links;
  }

  /** The wire time on each link per byte of payload, in picoseconds. */
  double[] weights() {
    return weights;
  }

  /** The part of the message's payload that each link of the route carries, above 0 and at most 1. */
  double[] parts() {
    return parted;
  }

  /** The number of links that one packet crosses. */
  int pathHops() {
    return pathHops;
  }

  /** The number of links of the route. */
  int hops() {
    return hops;
  }

  /** The number of links of the route and of its acknowledgements. */
  int count() {
    return count;
  }

  /** The number of these and of those that {@link #enter} added. */
  int entries() {
    return entries;
  }

  /** Adds a link that stands for credits that the message waits for, as many times as it crosses theirs. */
  void enter(int link, double weight, double copies) {
    if (folding != null) {
      crossings = entries < crossings.length ? crossings : Arrays.copyOf(crossings, links.length);
      crossings[entries] = copies;
    }
    links[entries] = link;
    weights[entries++] = weight;
  }

  /** Time for which the message occupies the slowest link of its idle path, in picoseconds. */
  long occupiedPs() {
    return occupiedPs;
  }

  /** Time from departure to delivery on an idle path, in picoseconds. */
  long zeroLoadPs() {
    return zeroLoadPs;
  }
}
