package dev.heddle.fabric;

import com.google.common.base.Preconditions;
import dev.heddle.collective.MessageLabel;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Processor;
import dev.heddle.spi.Switch;
import dev.heddle.tier.RouteFunction;
import dev.heddle.tier.TierPlan;
import dev.heddle.units.RandomStream;
import dev.heddle.units.SimTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The immutable graph of a cluster: devices, directed links, and routing, composed of tiers.
 *
 * <p>All instances of a tier share one {@link TierPlan}; the fabric adds offsets. Devices are numbered densely: first
 * the terminals, node by node, and the aggregators of the outermost tier, then the devices that tiers added, from the
 * innermost tier outwards. Links are numbered by tier and instance in the order in which the plan made them; a directed
 * link and its opposite differ in the last bit.
 *
 * <p>A route across tiers has <em>waypoints</em>: from the source to the egress NIC of its node, to the NIC of
 * the destination's node, to the destination. Between waypoints the plan of the one tier that holds both decides. The
 * NIC of a terminal is the one that its node's plan names ({@link TierPlan#egressNic}), else the one at the same
 * proportion of the node's NICs as the terminal is among those of its kind.
 */
public final class Fabric implements Cluster {
  /**
   * A message's number is whether it takes a rail (bit 62), its source terminal, shifted by so many bits, its treatment
   * ({@link MessageLabel#networkBits}), and its number among those of the source.
   */
  public static final int MESSAGE_BITS = 40;

  /** The most terminals. */
  public static final int MOST_TERMINALS = 1 << 22;

  private static final int RAIL_SHIFT = 62 - MessageLabel.BITS;

  private static final int NONE = Instances.NONE;

  private final List<Tier> tiers;
  private final List<Fault> faults;
  private final Instances instances;
  private final Routing routing;

  private final List<FabricChange> changes;
  private final Map<DeviceKind, int[]> terminalsByKind = new ConcurrentHashMap<>();

  private Fabric(List<Tier> tiers, List<Fault> faults, long timePs) {
    this.tiers = List.copyOf(tiers);
    this.faults = List.copyOf(faults);
    instances = new Instances(this.tiers);
    FaultPlan.apply(instances, this.faults, timePs);
    routing = new Routing(instances);
    changes = timePs > 0 ? List.of() : changeTimes(faults)
        .mapToObj(time -> new FabricChange(time, new Fabric(tiers, faults, time))).toList();
  }

  private static LongStream changeTimes(List<Fault> faults) {
    return faults.stream().flatMap(fault -> Stream.concat(fault.at().stream(), fault.until().stream()))
        .mapToLong(SimTime::ps).filter(time -> time > 0).sorted().distinct();
  }

  /**
   * Composes tiers, innermost first.
   *
   * @throws dev.heddle.spi.InvalidSettingException when a topology cannot connect its terminals
   * @throws IllegalArgumentException when there is no tier
   * @throws IllegalStateException when a topology's plan is inconsistent
   */
  public static Fabric of(List<Tier> tiers) {
    return of(tiers, List.of());
  }

  /**
   * Composes tiers, innermost first, some of whose parts have faults.
   *
   * @throws dev.heddle.spi.InvalidSettingException when a topology cannot connect its terminals, a fault names no part,
   * or leaves no path
   */
  public static Fabric of(List<Tier> tiers, List<Fault> faults) {
    return new Fabric(tiers, faults, 0);
  }

  /** The states that it takes on during a run, in order of time; none where no fault begins or ends. */
  public List<FabricChange> changes() {
    return changes;
  }

  /** Whether a directed link carries nothing. */
  public boolean isLinkDown(int link) {
    return instances.downLinks.get(link);
  }

  /** Whether a route leads from a device to a waypoint. */
  public boolean leads(int device, int waypoint) {
    return routing.leads(device, waypoint);
  }

  /** The faults of its parts. */
  public List<Fault> faults() {
    return faults;
  }

  /** Whether a device is a NIC that is cut off, and replaced by another of its node. */
  public boolean isDown(int device) {
    return instances.downNics.length > 0 && instances.downNics[device];
  }

  /** The tiers, innermost first. */
  public List<Tier> tiers() {
    return tiers;
  }

  @Override
  public int devices() {
    return instances.devices;
  }

  @Override
  public int links() {
    return instances.links;
  }

  @Override
  public int terminals() {
    return instances.terminals;
  }

  @Override
  public int nodes() {
    return instances.nodes[instances.nodes.length - 1];
  }

  @Override
  public DeviceKind kind(int device) {
    return instances.planOf(instances.lowerInstance[device]).kind(instances.lowerLocal[device]);
  }

  @Override
  public String name(int device) {
    return instances.name(device);
  }

  @Override
  public int node(int device) {
    return instances.lowerInstance[device] < nodes() ? instances.lowerInstance[device] : NONE;
  }

  @Override
  public int position(int terminal) {
    Preconditions.checkElementIndex(terminal, terminals(), "terminal");
    return instances.lowerLocal[terminal];
  }

  @Override
  public int[] terminals(DeviceKind kind) {
    return terminalsByKind.computeIfAbsent(
        kind, each -> IntStream.range(0, terminals()).filter(terminal -> kind(terminal) == each).toArray()).clone();
  }

  @Override
  public int[] route(int from, int to) {
    Preconditions.checkElementIndex(from, terminals(), "terminal");
    Preconditions.checkElementIndex(to, terminals(), "terminal");
    return routeOf(message(from, 0), to);
  }

  /** The links of the first message with a number's source and treatment to a terminal, in order. */
  public int[] routeOf(long message, int to) {
    return new FirstRoute(this, message, to).links();
  }

  @Override
  public long routePs(int from, int to) {
    long sum = 0;
    for (int link : route(from, to)) {
      Switch forwarding = linkTarget(link) == to ? null : forwarding(linkTarget(link));
      sum += linkModel(link).latencyPs() + (forwarding == null ? 0 : forwarding.latencyPs());
    }
    return sum;
  }

  @Override
  public boolean spraysPackets(int from, int to) {
    return Arrays.stream(route(from, to))
        .mapToObj(link -> instances.planOf(instances.linkInstance[link]).selection())
        .anyMatch(how -> how == TierPlan.Selection.RANDOM || how == TierPlan.Selection.ADAPTIVE
            || how == TierPlan.Selection.UGAL);
  }

  /** Whether any tier chooses among several links for every packet, whatever way it came. */
  public boolean spraysPackets() {
    return Arrays.stream(instances.plans).anyMatch(Fabric::spraysPackets);
  }

  /** Whether any tier chooses routes by the loads of links. */
  public boolean comparesLoads() {
    return Arrays.stream(instances.plans).map(TierPlan::selection)
        .anyMatch(how -> how == TierPlan.Selection.ADAPTIVE || how == TierPlan.Selection.UGAL);
  }

  /** Whether any tier draws routes at random, or chooses them by the loads of links. */
  public boolean drawsRoutes() {
    return Arrays.stream(instances.plans).map(TierPlan::selection)
        .anyMatch(how -> how != TierPlan.Selection.MESSAGE_HASH && how != TierPlan.Selection.SOURCE);
  }

  /** Whether a device sprays the packets of one message towards a waypoint over the links that lead on. */
  public boolean spraysTowards(int device, int waypoint) {
    return spraysPackets(routing.plan(device, waypoint));
  }

  /** Whether a device chooses by hash among the links that lead towards a waypoint. */
  public boolean hashesTowards(int device, int waypoint) {
    TierPlan plan = routing.plan(device, waypoint);
    return plan.function() == null && plan.selection() == TierPlan.Selection.MESSAGE_HASH;
  }

  private static boolean spraysPackets(TierPlan plan) {
    return plan.function() == null && (plan.selection() == TierPlan.Selection.RANDOM
        || plan.selection() == TierPlan.Selection.ADAPTIVE);
  }

  @Override
  public Optional<Accelerator> accelerator(int terminal) {
    return kind(terminal) == DeviceKind.ACCELERATOR ? tiers.get(0).accelerator() : Optional.empty();
  }

  @Override
  public Optional<Processor> processor(int terminal) {
    return kind(terminal) == DeviceKind.CPU ? tiers.get(0).processor() : Optional.empty();
  }

  @Override
  public Link injectionLink(int terminal) {
    return firstLink(instances.lowerInstance[terminal], instances.lowerLocal[terminal], terminal);
  }

  @Override
  public Link networkLink(int terminal) {
    if (!bridges(terminal)) {
      throw new IllegalArgumentException("terminal " + name(terminal) + " has no link out of its node");
    }
    int place = devices() + terminal;
    return firstLink(instances.memberInstance[place], instances.memberLocal[place], terminal);
  }

  private Link firstLink(int instance, int local, int terminal) {
    TierPlan plan = instances.planOf(instance);
    int link = plan.firstLink(local);
    if (link == NONE) {
      throw new IllegalArgumentException("terminal " + name(terminal) + " has no link within its tier");
    }
    return instances.linkModel(instances.linkBase[instance] + link);
  }

  /** As its tier's topology says, or, for a NIC between tiers, as the innermost tier says. */
  @Override
  public @Nullable Switch forwarding(int device) {
    int instance = instances.lowerInstance[device];
    if (bridges(device)) {
      return tiers.get(instances.tier[instance]).nic().orElse(null);
    }
    return instances.planOf(instance).forwarding(instances.lowerLocal[device]);
  }

  /** Whether a device joins tiers and so converts between their packet formats. */
  public boolean bridges(int device) {
    return tiers.size() > 1 && device < instances.nodeTerminals
        && instances.memberInstance[devices() + device] != NONE;
  }

  @Override
  public int linkSource(int link) {
    return instances.source(link);
  }

  @Override
  public int linkTarget(int link) {
    return instances.target(link);
  }

  @Override
  public Link linkModel(int link) {
    return instances.linkModel(link);
  }

  @Override
  public Link nominalLink(int link) {
    int instance = instances.linkInstance[link];
    return instances.plans[instances.tier[instance]].linkModel(link - instances.linkBase[instance]);
  }

  /** The virtual channels of a directed link that the routes of one traffic class take. */
  public int channelsPerClass(int link) {
    int instance = instances.linkInstance[link];
    return instances.planOf(instance).channelsPerClass(link - instances.linkBase[instance]);
  }

  /** Whether a directed link's virtual channels go by the link by which messages come to its source. */
  public boolean queuesByArrival(int link) {
    int instance = instances.linkInstance[link];
    return instances.planOf(instance).queuesByArrival(link - instances.linkBase[instance]);
  }

  @Override
  public boolean hasMemory(int terminal) {
    int local = instances.lowerLocal[terminal];
    return terminal < instances.nodeTerminals && instances.plans[0].routeEntry(local, local) != NONE;
  }

  /** The position of a directed link's tier, 0 for the innermost. */
  public int linkTier(int link) {
    return instances.tier[instances.linkInstance[link]];
  }

  /** The name of a directed link: source, arrow, target. */
  public String linkName(int link) {
    return name(linkSource(link)) + " -> " + name(linkTarget(link));
  }

  /** The first directed link that loses packets, if any does. */
  public OptionalInt losingLink() {
    return IntStream.range(0, links()).filter(link -> linkModel(link).loss() > 0).findFirst();
  }

  /** Whether any switch marks packets on congestion. */
  public boolean marksPackets() {
    return IntStream.range(0, devices()).mapToObj(this::forwarding)
        .anyMatch(each -> each != null && each.queuePolicy().marking().isPresent());
  }

  /** Whether any switch has queues for several traffic classes. */
  public boolean hasTrafficClasses() {
    return IntStream.range(0, devices()).mapToObj(this::forwarding)
        .anyMatch(each -> each != null && each.queuePolicy().weights().size() > 1);
  }

  /** The directed link that runs the other way. */
  public static int opposite(int link) {
    return link ^ 1;
  }

  /** Whether two terminals lie in the same node; aggregators of outer tiers lie in none. */
  public boolean sameNode(int a, int b) {
    return instances.lowerInstance[a] == instances.lowerInstance[b] && a < instances.nodeTerminals;
  }

  /**
   * The node by which a device is owned: its own, or, for devices of outer tiers, a number from {@link #nodes()} up
   * that is the same for all devices of one instance.
   */
  public int owner(int device) {
    return instances.lowerInstance[device];
  }

  /** The channels that lead from a device, where a message begins, towards a waypoint of a common tier. */
  public int candidates(int device, int waypoint, int[] into) {
    return candidates(device, waypoint, RouteFunction.NONE, into);
  }

  /**
   * The next waypoint on the way from one waypoint to the final terminal.
   *
   * @param device the source terminal, or a NIC reached as waypoint
   * @param source the terminal that the message came from
   * @param destination the terminal that it goes to, other than {@code device}
   */
  public int waypoint(int device, int source, int destination) {
    return routing.waypoint(device, source, destination, 0);
  }

  /**
   * The next waypoint of a message on the way from one waypoint to its final terminal. A message with a rail leaves and
   * enters by the NICs at its position, where both nodes have as many and neither is cut off.
   *
   * @param device the source terminal, or a NIC reached as waypoint
   * @param message number of the message
   * @param destination the terminal that it goes to, other than {@code device}
   */
  public int nextWaypoint(int device, long message, int destination) {
    return routing.waypoint(device, source(message), destination, label(message));
  }

  /** The terminal that sent a message. */
  public static int source(long message) {
    return (int) (message >>> MESSAGE_BITS) & MOST_TERMINALS - 1;
  }

  /** The treatment of a message by networks between nodes ({@link MessageLabel#networkBits}). */
  public static int label(long message) {
    return (int) (message >>> RAIL_SHIFT) & MessageLabel.RAILED
        | (int) (message >>> MESSAGE_BITS - MessageLabel.BITS) & MessageLabel.RAILED - 1;
  }

  /** The number of the first message of a terminal with a treatment. */
  public static long message(int source, int label) {
    return (long) (label & MessageLabel.RAILED) << RAIL_SHIFT | (long) source << MESSAGE_BITS
        | (long) (label & MessageLabel.RAILED - 1) << MESSAGE_BITS - MessageLabel.BITS;
  }

  /**
   * The channels that lead from a device towards a waypoint of a common tier.
   *
   * @param device where the unit is
   * @param waypoint where it goes within the tier
   * @param arrivedBy the channel by which it came, with its global link number, or {@link RouteFunction#NONE}; matters
   *     where {@link #routesByArrival}
   * @param into receives the channels ({@link TierPlan#channel}, with global link numbers); long enough for all
   * @return how many there are
   */
  public int candidates(int device, int waypoint, int arrivedBy, int[] into) {
    return routing.candidates(device, waypoint, arrivedBy, into);
  }

  /** Whether the fabric is one tier with a table of routes among which all devices choose by hash. */
  public boolean isHashed() {
    return routing.isHashed();
  }

  /**
   * The channel that a device takes towards a waypoint by a hash, where {@link #isHashed}: the candidate at
   * {@link #hashed}.
   */
  public int hashedChannel(int device, int waypoint, long hash) {
    return routing.hashedChannel(device, waypoint, hash);
  }

  /** The number of candidates, from the first, on shortest paths; all where the tier has no detours. */
  public int shortest(int device, int waypoint, int arrivedBy, int candidates) {
    return routing.shortest(device, waypoint, arrivedBy, candidates);
  }

  /**
   * The channel that leads from a device towards a waypoint where the source decides
   * ({@link TierPlan.Selection#SOURCE}).
   *
   * @param device where the unit is
   * @param waypoint where it goes within the tier
   * @param message number of the message
   * @param destination the terminal that it goes to
   * @return the channel with its global link number
   */
  public int sourceChannel(int device, int waypoint, long message, int destination) {
    return routing.sourceChannel(device, waypoint, source(message), destination, label(message));
  }

  /** The rule of selection among candidates in the tier that holds both devices. */
  public TierPlan.Selection selection(int device, int waypoint) {
    return routing.selection(device, waypoint);
  }

  /** Whether routes of some tier depend on the channel by which a message came. */
  public boolean routesByArrival() {
    return Arrays.stream(instances.plans).anyMatch(plan -> plan.function() != null);
  }

  /** The candidate, from 0, that {@link TierPlan.Selection#MESSAGE_HASH} takes at a device. */
  public static int hashed(long message, int device, int candidates) {
    long hash = RandomStream.mix(message ^ (long) device << 20);
    return (candidates & candidates - 1) == 0
        ? (int) hash & candidates - 1 : (int) Long.remainderUnsigned(hash, candidates);
  }

  /** The largest number of candidates of any route. */
  public int maxCandidates() {
    return Arrays.stream(instances.plans).mapToInt(TierPlan::maxCandidates).max().orElse(1);
  }

  /** One line: devices, links and tiers, for reports. */
  @Override
  public String toString() {
    return "fabric of " + nodes() + " nodes, " + terminals() + " terminals, " + devices() + " devices, " + links()
        + " links";
  }
}
