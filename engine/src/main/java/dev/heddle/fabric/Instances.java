package dev.heddle.fabric;

import com.google.common.base.Preconditions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Terminal;
import dev.heddle.tier.TierPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The instances of a fabric's tiers, and the numbers of their devices and links.
 *
 * <p>Instances are numbered from the innermost tier outwards, so that the first are the nodes.
 */
final class Instances {
  static final int NONE = -1;

  final List<Tier> tiers;
  final TierPlan[] plans;

  // Of each instance its plan: its tier's, unless it has faults.
  final TierPlan[] planOf;

  // Of each instance: its tier, its first link, its first node and how many it has, its devices, and those of them that
  // are terminals of the tier around it.
  final int[] tier;
  final int[] linkBase;
  final int[] firstNode;
  final int[] nodes;
  final int[][] devicesOf;
  final int[][] uplinksOf;

  final int nodeTerminals;
  final int terminals;
  final int devices;
  final int links;

  // Of each device the innermost instance, and its number there.
  final int[] lowerInstance;
  final int[] lowerLocal;

  // Of each tier and device, tier by tier, the instance that has it, and its number there.
  final int[] memberInstance;
  final int[] memberLocal;

  final int[] linkInstance;

  // By directed link, the models of those that have a fault.
  final Map<Integer, Link> degraded = new TreeMap<>();

  // The directed links that are down.
  final BitSet downLinks = new BitSet();

  // Of each device whether it is a NIC that is cut off; empty where none is.
  boolean[] downNics = new boolean[0];

  Instances(List<Tier> tiers) {
    this.tiers = tiers;
    Preconditions.checkArgument(!tiers.isEmpty(), "a fabric needs at least one tier");
    int levels = tiers.size();
    Preconditions.checkArgument(
        levels == 1 || tiers.get(0).nic().isPresent(),
        "tier %s has a tier around it but does not say how a NIC forwards",
        tiers.get(0).name());
    int[] count = new int[levels];
    count[levels - 1] = 1;
    for (int level = levels - 2; level >= 0; level--) {
      count[level] = Math.multiplyExact(count[level + 1], tiers.get(level + 1).size());
    }
    int instances = Arrays.stream(count).sum();
    plans = new TierPlan[levels];
    tier = new int[instances];
    linkBase = new int[instances];
    firstNode = new int[instances];
    nodes = new int[instances];
    devicesOf = new int[instances][];
    uplinksOf = new int[instances][];
    List<List<Terminal>> membersOf = plan();
    nodeTerminals = Math.multiplyExact(membersOf.get(0).size(), count[0]);
    terminals = nodeTerminals + plans[levels - 1].aggregators();
    if (terminals > Fabric.MOST_TERMINALS) {
      throw new InvalidSettingException(
          "", "a cluster has at most " + Fabric.MOST_TERMINALS + " terminals, not " + terminals);
    }
    devices = number(count, membersOf);
    links = Math.addExact(linkBase[instances - 1], plans[levels - 1].links());
    lowerInstance = new int[devices];
    lowerLocal = new int[devices];
    memberInstance = new int[levels * devices];
    memberLocal = new int[levels * devices];
    Arrays.fill(lowerInstance, NONE);
    Arrays.fill(memberInstance, NONE);
    linkInstance = new int[links];
    planOf = new TierPlan[instances];
    Arrays.setAll(planOf, instance -> plans[tier[instance]]);
    for (int instance = 0; instance < instances; instance++) {
      index(instance);
    }
  }

  // Plans the tiers from the innermost outwards; the terminals that each connects.
  private List<List<Terminal>> plan() {
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

  // Numbers devices and links, instance by instance; how many devices there are.
  private int number(int[] count, List<List<Terminal>> membersOf) {
    int nextDevice = terminals;
    int nextLink = 0;
    int nodesBelow = 1;
    int instance = 0;
    for (int level = 0; level < count.length; level++) {
      nodesBelow *= level == 0 ? 1 : tiers.get(level).size();
      TierPlan plan = plans[level];
      int firstBelow = level == 0 ? 0 : instance - count[level - 1];
      for (int i = 0; i < count[level]; i++) {
        tier[instance] = level;
        linkBase[instance] = nextLink;
        firstNode[instance] = i * nodesBelow;
        nodes[instance] = nodesBelow;
        nextLink = Math.addExact(nextLink, plan.links());
        int[] own = new int[plan.devices()];
        int local = level == 0 ? numberTerminals(own, i, plan.terminals()) : takeUplinks(own, level, firstBelow, i);
        int aggregators = own.length - plan.aggregators();
        for (; local < own.length; local++) {
          own[local] = local < aggregators ? nextDevice++ : nodeTerminals + local - aggregators;
        }
        devicesOf[instance] = own;
        uplinksOf[instance] = uplinks(membersOf.get(level), own, level, count.length);
        instance++;
      }
    }
    return nextDevice;
  }

  private static int numberTerminals(int[] own, int node, int count) {
    for (int local = 0; local < count; local++) {
      own[local] = node * count + local;
    }
    return count;
  }

  // The terminals of an instance of an outer tier are the uplinks of the instances that it joins.
  private int takeUplinks(int[] own, int level, int firstBelow, int number) {
    int local = 0;
    int inner = tiers.get(level).size();
    for (int child = 0; child < inner; child++) {
      for (int uplink : uplinksOf[firstBelow + number * inner + child]) {
        own[local++] = uplink;
      }
    }
    return local;
  }

  private void index(int instance) {
    int[] own = devicesOf[instance];
    for (int local = 0; local < own.length; local++) {
      if (lowerInstance[own[local]] == NONE) {
        lowerInstance[own[local]] = instance;
        lowerLocal[own[local]] = local;
      }
      memberInstance[tier[instance] * devices + own[local]] = instance;
      memberLocal[tier[instance] * devices + own[local]] = local;
    }
    int base = linkBase[instance];
    Arrays.fill(linkInstance, base, base + plans[tier[instance]].links(), instance);
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

  Link linkModel(int link) {
    Link own = degraded.isEmpty() ? null : degraded.get(link);
    int instance = linkInstance[link];
    return own != null ? own : planOf(instance).linkModel(link - linkBase[instance]);
  }

  /** The device that a directed link leaves. */
  int source(int link) {
    int instance = linkInstance[link];
    return devicesOf[instance][planOf(instance).linkSource(link - linkBase[instance])];
  }

  /** The device that a directed link enters. */
  int target(int link) {
    int instance = linkInstance[link];
    return devicesOf[instance][planOf(instance).linkTarget(link - linkBase[instance])];
  }

  TierPlan planOf(int instance) {
    return planOf[instance];
  }

  String name(int device) {
    int instance = lowerInstance[device];
    return instanceName(instance) + "." + planOf(instance).name(lowerLocal[device]);
  }

  private String instanceName(int instance) {
    int level = tier[instance];
    return level == tiers.size() - 1
        ? tiers.get(level).name()
        : tiers.get(level).name() + firstNode[instance] / nodes[instance];
  }
}
