package dev.heddle.fabric;

import com.google.common.base.Preconditions;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Processor;
import dev.heddle.spi.RouteFunction;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Terminal;
import dev.heddle.spi.TierPlan;
import dev.heddle.units.RandomStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The immutable graph of a cluster: devices, directed links, and routing, composed of tiers.
 *
 * <p>All instances of a tier share one {@link TierPlan}; the fabric adds offsets. Devices are numbered densely: first the
 * terminals, node by node, and the aggregators of the outermost tier, then what the tiers added, from the innermost tier
 * outwards. Links are numbered by tier and
 * instance in the order in which the plan made them; a directed link and its opposite differ in the last bit.
 *
 * <p>A route across tiers goes by <em>waypoints</em>: from the source to the NIC that its node leaves by, to the NIC of
 * the destination's node, to the destination. Between waypoints the plan of the one tier that holds both decides. The
 * NIC of a terminal is the one that its node's plan names ({@link TierPlan#exit}), else the one at the same proportion of
 * the node's NICs as the terminal is among those of its kind.
 */
public final class Fabric implements Cluster {
  /** A message's number is its source terminal, shifted by so many bits, and its number among those of the source. */
  public static final int MESSAGE_BITS = 40;

  private static final int NONE = -1;

  private final List<Tier> tiers;
  private final TierPlan[] plans;
  private final int[] instanceTier;
  private final int[] instanceLinkBase;
  private final int[] instanceFirstNode;
  private final int[] instanceNodes;
  private final int[][] instanceDevices;
  private final int[][] instanceUplinks;
  private final int[] lowerInstance;
  private final int[] lowerLocal;
  private final int[] memberInstance;
  private final int[] memberLocal;
  private final int nodeTerminals;
  private final int terminals;
  private final int devices;
  private final int links;
  private final int[] linkInstance;
  private final boolean partial;
  private final boolean byArrival;

  // Per terminal of a node: its number among those of its kind, and how many these are.
  private final int[] kindRank;
  private final int[] kindCount;

  private Fabric(List<Tier> tiers) {
    this.tiers = List.copyOf(tiers);
    Preconditions.checkArgument(!tiers.isEmpty(), "a fabric needs at least one tier");
    int levels = tiers.size();
    Preconditions.checkArgument(
        levels == 1 || tiers.get(0).nic().isPresent(), "tier %s has a tier around it but does not say how a NIC forwards",
        tiers.get(0).name());
    int[] count = new int[levels];
    count[levels - 1] = 1;
    for (int level = levels - 2; level >= 0; level--) {
      count[level] = Math.multiplyExact(count[level + 1], tiers.get(level + 1).size());
    }
    int instances = Arrays.stream(count).sum();
    plans = new TierPlan[levels];
    instanceTier = new int[instances];
    instanceLinkBase = new int[instances];
    instanceFirstNode = new int[instances];
    instanceNodes = new int[instances];
    instanceDevices = new int[instances][];
    instanceUplinks = new int[instances][];

    List<List<Terminal>> membersOf = plan(tiers);
    nodeTerminals = Math.multiplyExact(membersOf.get(0).size(), count[0]);
    terminals = nodeTerminals + plans[levels - 1].aggregators();
    int[] firstInstance = new int[levels];
    int nextDevice = terminals;
    int nextLink = 0;
    int nodesBelow = 1;
    for (int level = 0; level < levels; level++) {
      firstInstance[level] = level == 0 ? 0 : firstInstance[level - 1] + count[level - 1];
      nodesBelow *= level == 0 ? 1 : tiers.get(level).size();
      List<Terminal> members = membersOf.get(level);
      TierPlan plan = plans[level];
      for (int i = 0; i < count[level]; i++) {
        int instance = firstInstance[level] + i;
        instanceTier[instance] = level;
        instanceLinkBase[instance] = nextLink;
        instanceFirstNode[instance] = i * nodesBelow;
        instanceNodes[instance] = nodesBelow;
        nextLink = Math.addExact(nextLink, plan.links());
        int[] own = new int[plan.devices()];
        if (level == 0) {
          for (int local = 0; local < members.size(); local++) {
            own[local] = i * members.size() + local;
          }
        } else {
          int local = 0;
          int inner = tiers.get(level).size();
          for (int child = 0; child < inner; child++) {
            for (int uplink : instanceUplinks[firstInstance[level - 1] + i * inner + child]) {
              own[local++] = uplink;
            }
          }
        }
        int forwarding = own.length - plan.aggregators();
        for (int local = members.size(); local < own.length; local++) {
          own[local] = local < forwarding ? nextDevice++ : nodeTerminals + local - forwarding;
        }
        instanceDevices[instance] = own;
        instanceUplinks[instance] = uplinks(members, own, level, levels);
      }
    }
    devices = nextDevice;
    links = nextLink;
    partial = Arrays.stream(plans).anyMatch(TierPlan::partial);
    byArrival = Arrays.stream(plans).anyMatch(plan -> plan.function() != null);
    lowerInstance = new int[devices];
    lowerLocal = new int[devices];
    memberInstance = new int[levels * devices];
    memberLocal = new int[levels * devices];
    Arrays.fill(lowerInstance, NONE);
    Arrays.fill(memberInstance, NONE);
    linkInstance = new int[links];
    kindRank = new int[plans[0].terminals()];
    kindCount = new int[plans[0].terminals()];
    countKinds();
    for (int instance = 0; instance < instances; instance++) {
      int[] own = instanceDevices[instance];
      for (int local = 0; local < own.length; local++) {
        if (lowerInstance[own[local]] == NONE) {
          lowerInstance[own[local]] = instance;
          lowerLocal[own[local]] = local;
        }
        memberInstance[instanceTier[instance] * devices + own[local]] = instance;
        memberLocal[instanceTier[instance] * devices + own[local]] = local;
      }
      int base = instanceLinkBase[instance];
      Arrays.fill(linkInstance, base, base + plans[instanceTier[instance]].links(), instance);
    }
  }

  /**
   * Composes tiers, innermost first.
   *
   * @throws dev.heddle.spi.InvalidSettingException when a topology cannot connect its terminals
   * @throws IllegalArgumentException when there is no tier
   * @throws IllegalStateException when a topology's plan is inconsistent
   */
  public static Fabric of(List<Tier> tiers) {
    return new Fabric(tiers);
  }

  // Plans the tiers from the innermost outwards; the terminals that each connects.
  private List<List<Terminal>> plan(List<Tier> tiers) {
    List<List<Terminal>> membersOf = new ArrayList<>();
    for (int level = 0; level < plans.length; level++) {
      List<Terminal> members = level == 0
          ? nodeTerminals(tiers.get(0), plans.length > 1)
          : outerTerminals(tiers, level, (int) membersOf.get(level - 1).stream().filter(Terminal::uplink).count());
      TierPlan plan = tiers.get(level).topology().plan(members);
      Preconditions.checkState(
          plan.terminals() == members.size(),
          "the topology of tier %s planned %s terminals instead of %s",
          tiers.get(level).name(), plan.terminals(), members.size());
      Preconditions.checkState(
          plan.aggregators() == 0 || level == plans.length - 1,
          "switches of tier %s reduce, but only those of the outermost tier can", tiers.get(level).name());
      plans[level] = plan;
      membersOf.add(members);
    }
    return membersOf;
  }

  private void countKinds() {
    int[] count = new int[DeviceKind.values().length];
    for (int local = 0; local < kindRank.length; local++) {
      kindRank[local] = count[plans[0].kind(local).ordinal()]++;
    }
    for (int local = 0; local < kindCount.length; local++) {
      kindCount[local] = count[plans[0].kind(local).ordinal()];
    }
  }

  private static List<Terminal> nodeTerminals(Tier tier, boolean hasOuter) {
    List<Terminal> members = new ArrayList<>();
    for (Map.Entry<DeviceKind, Integer> entry : tier.terminals().entrySet()) {
      for (int i = 0; i < entry.getValue(); i++) {
        String name = entry.getKey().key() + i;
        members.add(new Terminal(name, entry.getKey(), hasOuter && entry.getKey() == DeviceKind.NIC));
      }
    }
    return members;
  }

  private static List<Terminal> outerTerminals(List<Tier> tiers, int level, int uplinksEach) {
    List<Terminal> members = new ArrayList<>();
    boolean hasOuter = level + 1 < tiers.size();
    for (int child = 0; child < tiers.get(level).size(); child++) {
      for (int uplink = 0; uplink < uplinksEach; uplink++) {
        String name = tiers.get(level - 1).name() + child + ".nic" + uplink;
        members.add(new Terminal(name, DeviceKind.NIC, hasOuter));
      }
    }
    return members;
  }

  private static int[] uplinks(List<Terminal> members, int[] own, int level, int levels) {
    if (level + 1 == levels) {
      return new int[0];
    }
    List<Integer> uplinks = new ArrayList<>();
    for (int local = 0; local < members.size(); local++) {
      if (members.get(local).uplink()) {
        uplinks.add(own[local]);
      }
    }
    return uplinks.stream().mapToInt(Integer::intValue).toArray();
  }

  /** The tiers, innermost first. */
  public List<Tier> tiers() {
    return tiers;
  }

  @Override
  public int devices() {
    return devices;
  }

  @Override
  public int links() {
    return links;
  }

  @Override
  public int terminals() {
    return terminals;
  }

  @Override
  public int nodes() {
    return instanceNodes[instanceNodes.length - 1];
  }

  @Override
  public DeviceKind kind(int device) {
    return plans[instanceTier[lowerInstance[device]]].kind(lowerLocal[device]);
  }

  @Override
  public String name(int device) {
    int instance = lowerInstance[device];
    return instanceName(instance) + "." + plans[instanceTier[instance]].name(lowerLocal[device]);
  }

  private String instanceName(int instance) {
    int tier = instanceTier[instance];
    return tier == tiers.size() - 1
        ? tiers.get(tier).name()
        : tiers.get(tier).name() + instanceFirstNode[instance] / instanceNodes[instance];
  }

  @Override
  public int node(int device) {
    return lowerInstance[device] < nodes() ? lowerInstance[device] : NONE;
  }

  @Override
  public int position(int terminal) {
    Preconditions.checkElementIndex(terminal, terminals, "terminal");
    return lowerLocal[terminal];
  }

  @Override
  public int[] terminals(DeviceKind kind) {
    int[] found = new int[terminals];
    int count = 0;
    for (int terminal = 0; terminal < terminals; terminal++) {
      if (kind(terminal) == kind) {
        found[count++] = terminal;
      }
    }
    return Arrays.copyOf(found, count);
  }

  @Override
  public int[] route(int from, int to) {
    Preconditions.checkElementIndex(from, terminals, "terminal");
    Preconditions.checkElementIndex(to, terminals, "terminal");
    return new FirstRoute(this, from, to).links();
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
    return firstLink(lowerInstance[terminal], lowerLocal[terminal], terminal);
  }

  @Override
  public Link networkLink(int terminal) {
    if (!bridges(terminal)) {
      throw new IllegalArgumentException("terminal " + name(terminal) + " has no link out of its node");
    }
    return firstLink(memberInstance[devices + terminal], memberLocal[devices + terminal], terminal);
  }

  private Link firstLink(int instance, int local, int terminal) {
    TierPlan plan = plans[instanceTier[instance]];
    int link = plan.firstLink(local);
    if (link == NONE) {
      throw new IllegalArgumentException("terminal " + name(terminal) + " has no link within its tier");
    }
    return plan.linkModel(link);
  }

  /**
   * How a device forwards: as its tier's topology says, or, for a NIC between tiers, as the innermost tier says; null
   * where it only sends and receives.
   */
  public @Nullable Switch forwarding(int device) {
    int instance = lowerInstance[device];
    if (bridges(device)) {
      return tiers.get(instanceTier[instance]).nic().orElse(null);
    }
    return plans[instanceTier[instance]].forwarding(lowerLocal[device]);
  }

  /** Whether a device joins tiers and so converts between their packet formats. */
  public boolean bridges(int device) {
    return tiers.size() > 1 && device < nodeTerminals && memberInstance[devices + device] != NONE;
  }

  @Override
  public int linkSource(int link) {
    int instance = linkInstance[link];
    return instanceDevices[instance][plans[instanceTier[instance]].linkSource(link - instanceLinkBase[instance])];
  }

  @Override
  public int linkTarget(int link) {
    int instance = linkInstance[link];
    return instanceDevices[instance][plans[instanceTier[instance]].linkTarget(link - instanceLinkBase[instance])];
  }

  @Override
  public Link linkModel(int link) {
    int instance = linkInstance[link];
    return plans[instanceTier[instance]].linkModel(link - instanceLinkBase[instance]);
  }

  /** The virtual channels of a directed link that the routes of one traffic class take. */
  public int channelsPerClass(int link) {
    int instance = linkInstance[link];
    return plans[instanceTier[instance]].channelsPerClass(link - instanceLinkBase[instance]);
  }

  @Override
  public boolean hasMemory(int terminal) {
    return terminal < nodeTerminals && plans[0].routeEntry(lowerLocal[terminal], lowerLocal[terminal]) != NONE;
  }

  /** The position of a directed link's tier, 0 for the innermost. */
  public int linkTier(int link) {
    return instanceTier[linkInstance[link]];
  }

  /** The name of a directed link: source, arrow, target. */
  public String linkName(int link) {
    return name(linkSource(link)) + " -> " + name(linkTarget(link));
  }

  /** The first directed link that loses packets, if any does. */
  public OptionalInt losingLink() {
    return IntStream.range(0, links()).filter(link -> linkModel(link).loss() > 0).findFirst();
  }

  /** The directed link that runs the other way. */
  public static int opposite(int link) {
    return link ^ 1;
  }

  /** Whether two terminals lie in the same node; aggregators of outer tiers lie in none. */
  public boolean sameNode(int a, int b) {
    return lowerInstance[a] == lowerInstance[b] && a < nodeTerminals;
  }

  /**
   * The node by which a device is owned: its own, or, for devices of outer tiers, a number from {@link #nodes()} up that
   * is the same for all devices of one instance.
   */
  public int owner(int device) {
    return lowerInstance[device];
  }

  /**
   * The next waypoint on the way from one waypoint to the final terminal.
   *
   * @param device the source terminal, or a NIC reached as waypoint
   * @param source the terminal that the message came from
   * @param destination the terminal that it goes to, other than {@code device}
   */
  public int waypoint(int device, int source, int destination) {
    for (int at = device; at < memberInstance.length; at += devices) {
      int instance = memberInstance[at];
      if (instance != NONE && contains(instance, destination)) {
        return entrance(instance, destination);
      }
    }
    return exit(source, destination);
  }

  // The NIC of the source, or, where no route leads from it to that of the destination, the first NIC from which one does.
  private int exit(int source, int destination) {
    int own = uplink(source);
    if (!partial) {
      return own;
    }
    int entrance = destination < nodeTerminals ? uplink(destination) : destination;
    int instance = common(own, entrance);
    TierPlan plan = plans[instanceTier[instance]];
    if (own == entrance || plan.routeEntry(local(own, instance), local(entrance, instance)) != NONE) {
      return own;
    }
    for (int nic : instanceUplinks[lowerInstance[source]]) {
      if (plan.routeEntry(local(nic, instance), local(entrance, instance)) != NONE) {
        return nic;
      }
    }
    throw new IllegalStateException("no route leads from the node of " + name(source) + " to " + name(destination));
  }

  private boolean contains(int instance, int terminal) {
    if (terminal >= nodeTerminals) {
      return instance == lowerInstance[terminal];
    }
    int node = lowerInstance[terminal];
    int first = instanceFirstNode[instance];
    return node >= first && node < first + instanceNodes[instance];
  }

  // The terminal itself where it belongs to the instance, else its uplink, which belongs to every outer tier.
  private int entrance(int instance, int terminal) {
    return memberInstance[instanceTier[instance] * devices + terminal] == instance ? terminal : uplink(terminal);
  }

  // The NIC of a terminal: the one that its node's plan names, else each kind of terminal of a node shares all of the
  // node's NICs out, in blocks.
  private int uplink(int terminal) {
    int[] uplinks = instanceUplinks[lowerInstance[terminal]];
    int local = lowerLocal[terminal];
    int exit = plans[0].exit(local);
    if (exit != NONE) {
      return instanceDevices[lowerInstance[terminal]][exit];
    }
    return uplinks[(int) ((long) kindRank[local] * uplinks.length / kindCount[local])];
  }

  /** The channels that lead from a device, where a message begins, towards a waypoint of a common tier. */
  public int candidates(int device, int waypoint, int[] into) {
    return candidates(device, waypoint, RouteFunction.NONE, into);
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
    int instance = common(device, waypoint);
    TierPlan plan = plans[instanceTier[instance]];
    int shift = instanceLinkBase[instance] * TierPlan.MAX_VIRTUAL_CHANNELS;
    RouteFunction function = plan.function();
    if (function != null) {
      int count = function.candidates(
          local(device, instance), within(arrivedBy, instance), local(waypoint, instance), into);
      for (int i = 0; i < count; i++) {
        into[i] += shift;
      }
      return count;
    }
    int entry = plan.routeEntry(local(device, instance), local(waypoint, instance));
    if (entry >= 0) {
      into[0] = entry + shift;
      return 1;
    }
    if (entry == NONE) {
      throw new IllegalStateException("no route leads from " + name(device) + " to " + name(waypoint));
    }
    return plan.copyCandidates(entry, shift, into);
  }

  /** How many of so many candidates, from the first, lie on a shortest way; all where the tier knows no detours. */
  public int shortest(int device, int waypoint, int arrivedBy, int candidates) {
    int instance = common(device, waypoint);
    RouteFunction function = plans[instanceTier[instance]].function();
    return function == null
        ? candidates
        : function.shortest(local(device, instance), within(arrivedBy, instance), local(waypoint, instance));
  }

  /** Whether routes of some tier depend on the channel by which a message came. */
  public boolean routesByArrival() {
    return byArrival;
  }

  // The channel in the numbers of an instance's plan; none where it is of another tier.
  private int within(int arrivedBy, int instance) {
    return arrivedBy != RouteFunction.NONE && linkInstance[TierPlan.linkOf(arrivedBy)] == instance
        ? arrivedBy - instanceLinkBase[instance] * TierPlan.MAX_VIRTUAL_CHANNELS
        : RouteFunction.NONE;
  }

  /**
   * The channel that leads from a device towards a waypoint where the source decides
   * ({@link TierPlan.Selection#SOURCE}).
   *
   * @param device where the unit is
   * @param waypoint where it goes within the tier
   * @param source the terminal that the message came from
   * @param destination the terminal that it goes to
   * @return the channel with its global link number
   */
  public int sourceChannel(int device, int waypoint, int source, int destination) {
    int instance = common(device, waypoint);
    TierPlan plan = plans[instanceTier[instance]];
    int entry = plan.routeEntry(local(device, instance), local(waypoint, instance));
    if (entry < 0) {
      // The number in the tier is that of the device by which the message entered it.
      int origin = contains(instance, source) ? entrance(instance, source) : uplink(destination);
      entry = plan.candidate(entry, local(origin, instance));
    }
    return entry + instanceLinkBase[instance] * TierPlan.MAX_VIRTUAL_CHANNELS;
  }

  /** The candidate, from 0, that {@link TierPlan.Selection#MESSAGE_HASH} takes at a device. */
  public static int hashed(long message, int device, int candidates) {
    return (int) Long.remainderUnsigned(RandomStream.mix(message ^ (long) device << 20), candidates);
  }

  /** How one of several candidates is taken in the tier that holds both devices. */
  public TierPlan.Selection selection(int device, int waypoint) {
    return plans[instanceTier[common(device, waypoint)]].selection();
  }

  /** The largest number of candidates of any route. */
  public int maxCandidates() {
    return Arrays.stream(plans).mapToInt(TierPlan::maxCandidates).max().orElse(1);
  }

  private int common(int device, int waypoint) {
    int other = waypoint;
    for (int at = device; at < memberInstance.length; at += devices) {
      if (memberInstance[at] != NONE && memberInstance[at] == memberInstance[other]) {
        return memberInstance[at];
      }
      other += devices;
    }
    throw new IllegalArgumentException(
        "no tier holds both " + name(device) + " and " + name(waypoint));
  }

  private int local(int device, int instance) {
    return memberLocal[instanceTier[instance] * devices + device];
  }

  /** One line: devices, links and tiers, for reports. */
  @Override
  public String toString() {
    return "fabric of " + nodes() + " nodes, " + terminals + " terminals, " + devices + " devices, " + links + " links";
  }
}
