package dev.heddle.fabric;

import dev.heddle.collective.MessageLabel;
import dev.heddle.spi.DeviceKind;
import dev.heddle.tier.RouteFunction;
import dev.heddle.tier.TierPlan;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Paths of messages over a fabric: from waypoint to waypoint across tiers, and within each tier by its plan. The
 * methods are those of {@link Fabric}.
 */
final class Routing {
  private static final int NONE = Instances.NONE;

  private final Instances instances;
  private final int devices;
  private final int[] memberInstance;
  private final int[] memberLocal;
  private final boolean partial;
  // The plan of the only tier, where its routes are a table: its numbers are those of the fabric.
  private final @Nullable TierPlan only;
  // The routes of that plan where they are a table, in fewer cache lines.
  private final @Nullable PagedTable paged;
  // Whether devices choose in that table by hash, and then per set of candidates their number and they themselves.
  private final boolean hashes;
  private final int setPlaces;
  private final int[] sets;

  // Per terminal of a node: its number among those of its kind, and how many these are.
  private final int[] kindRank;
  private final int[] kindCount;

  Routing(Instances instances) {
    this.instances = instances;
    devices = instances.devices;
    memberInstance = instances.memberInstance;
    memberLocal = instances.memberLocal;
    partial = Arrays.stream(instances.planOf).anyMatch(TierPlan::partial);
    only = instances.planOf.length == 1 && instances.plans[0].function() == null ? instances.planOf[0] : null;
    paged = only == null ? null : paged(only);
    // With faults, its routes are not those of the tier's plan.
    TierPlan routes = instances.planOf[0];
    hashes = paged != null && routes.selection() == TierPlan.Selection.MESSAGE_HASH;
    setPlaces = routes.maxCandidates() + 1;
    sets = paged == null || !hashes ? new int[0] : sets(routes, paged.least(), setPlaces);
    kindRank = new int[instances.plans[0].terminals()];
    kindCount = new int[instances.plans[0].terminals()];
    countKinds(instances.plans[0]);
  }

  /** Whether a tier without a routing function is small enough for a table of routes. */
  static boolean fitsTable(TierPlan plan) {
    return (long) plan.devices() * plan.terminals() <= TierPlan.MOST_ENTRIES;
  }

  private static @Nullable PagedTable paged(TierPlan plan) {
    return plan.aggregators() == 0 && fitsTable(plan)
        ? new PagedTable(plan.devices(), plan.terminals(), plan::routeEntry) : null;
  }

  private static int[] sets(TierPlan plan, int leastEntry, int places) {
    int[] sets = new int[Math.multiplyExact(Math.max(0, -1 - leastEntry), places)];
    int[] channels = new int[places];
    for (int set = 0; set * places < sets.length; set++) {
      int count = plan.copyCandidates(-2 - set, 0, channels);
      sets[set * places] = count;
      System.arraycopy(channels, 0, sets, set * places + 1, count);
    }
    return sets;
  }

  private void countKinds(TierPlan node) {
    int[] count = new int[DeviceKind.values().length];
    for (int local = 0; local < kindRank.length; local++) {
      kindRank[local] = count[node.kind(local).ordinal()]++;
    }
    for (int local = 0; local < kindCount.length; local++) {
      kindCount[local] = count[node.kind(local).ordinal()];
    }
  }

  int waypoint(int device, int source, int destination, int label) {
    for (int at = device; at < memberInstance.length; at += devices) {
      int instance = memberInstance[at];
      if (instance != NONE && contains(instance, destination)) {
        return entrance(instance, destination, rail(source, destination, label));
      }
    }
    int rail = rail(source, destination, label);
    return rail == NONE ? exit(source, destination) : nic(source, rail);
  }

  // The terminal itself where it belongs to the instance, else its NIC, which belongs to every outer tier.
  private int entrance(int instance, int terminal, int rail) {
    return memberInstance[instances.tier[instance] * devices + terminal] == instance ? terminal : nic(terminal, rail);
  }

  // The position of the NICs that a label names; none where it names none, the ends lack it, or it joins them not.
  private int rail(int source, int destination, int label) {
    if (label == 0 || source >= instances.nodeTerminals || destination >= instances.nodeTerminals) {
      return NONE;
    }
    int[] out = instances.uplinksOf[instances.lowerInstance[source]];
    int rail = out.length == 0 ? NONE : MessageLabel.railPosition(label, out.length);
    if (rail == NONE) {
      return NONE;
    }
    int[] in = instances.uplinksOf[instances.lowerInstance[destination]];
    boolean fits = in.length == out.length && !isDown(out[rail]) && !isDown(in[rail]);
    return fits && (!partial || joined(out[rail], in[rail])) ? rail : NONE;
  }

  private boolean isDown(int nic) {
    return instances.downNics.length > 0 && instances.downNics[nic];
  }

  private int nic(int terminal, int rail) {
    return rail == NONE ? uplink(terminal) : instances.uplinksOf[instances.lowerInstance[terminal]][rail];
  }

  // The NIC of the source, or, where no route leads from it to that of the destination, the first NIC from which one
  // does.
  private int exit(int source, int destination) {
    int own = uplink(source);
    if (!partial) {
      return own;
    }
    int entrance = destination < instances.nodeTerminals ? uplink(destination) : destination;
    if (joined(own, entrance)) {
      return own;
    }
    for (int nic : instances.uplinksOf[instances.lowerInstance[source]]) {
      if (joined(nic, entrance)) {
        return nic;
      }
    }
    throw new IllegalStateException(
        "no route leads from the node of " + instances.name(source) + " to " + instances.name(destination));
  }

  // Whether a route leads from one NIC to another, or is it.
  private boolean joined(int one, int other) {
    int instance = common(one, other);
    return one == other
        || instances.planOf(instance).routeEntry(local(one, instance), local(other, instance)) != NONE;
  }

  private boolean contains(int instance, int terminal) {
    if (terminal >= instances.nodeTerminals) {
      return instance == instances.lowerInstance[terminal];
    }
    int node = instances.lowerInstance[terminal];
    int first = instances.firstNode[instance];
    return node >= first && node < first + instances.nodes[instance];
  }

  // The NIC of a terminal: the one that its node's plan names, else each kind of terminal of a node shares all of the
  // node's NICs out, in blocks.
  private int uplink(int terminal) {
    int[] uplinks = instances.uplinksOf[instances.lowerInstance[terminal]];
    int local = instances.lowerLocal[terminal];
    int exit = instances.plans[0].egressNic(local);
    int nic = exit != NONE
        ? instances.devicesOf[instances.lowerInstance[terminal]][exit]
        : uplinks[(int) ((long) kindRank[local] * uplinks.length / kindCount[local])];
    return isDown(nic) ? replacement(nic, uplinks) : nic;
  }

  // The next NIC of the node, in their order around, that is not cut off.
  private int replacement(int nic, int[] uplinks) {
    int at = 0;
    while (uplinks[at] != nic) {
      at++;
    }
    while (instances.downNics[uplinks[at]]) {
      at = (at + 1) % uplinks.length;
    }
    return uplinks[at];
  }

  int candidates(int device, int waypoint, int arrivedBy, int[] into) {
    if (only != null) {
      int entry = paged != null
          ? paged.entry(device, waypoint) : only.routeEntry(memberLocal[device], memberLocal[waypoint]);
      return candidates(only, entry, 0, device, waypoint, into);
    }
    int instance = common(device, waypoint);
    TierPlan plan = instances.planOf(instance);
    int shift = instances.linkBase[instance] * TierPlan.MAX_VIRTUAL_CHANNELS;
    RouteFunction function = plan.function();
    if (function != null) {
      int count = function.candidates(
          local(device, instance), within(arrivedBy, instance), local(waypoint, instance), into);
      for (int i = 0; i < count; i++) {
        into[i] += shift;
      }
      return count;
    }
    return candidates(
        plan, plan.routeEntry(local(device, instance), local(waypoint, instance)), shift, device, waypoint, into);
  }

  private int candidates(TierPlan plan, int entry, int shift, int device, int waypoint, int[] into) {
    if (entry >= 0) {
      into[0] = entry + shift;
      return 1;
    }
    if (entry == NONE) {
      throw noRoute(device, waypoint);
    }
    return plan.copyCandidates(entry, shift, into);
  }

  private IllegalStateException noRoute(int device, int waypoint) {
    return new IllegalStateException(
        "no route leads from " + instances.name(device) + " to " + instances.name(waypoint));
  }

  boolean isHashed() {
    return hashes;
  }

  /** The channel that a device takes by a hash where {@link #isHashed}. */
  int hashedChannel(int device, int waypoint, long hash) {
    int entry = Objects.requireNonNull(paged).entry(device, waypoint);
    if (entry >= 0) {
      return entry;
    }
    if (entry == NONE) {
      throw noRoute(device, waypoint);
    }
    int at = (-2 - entry) * setPlaces;
    return sets[at + 1 + Fabric.hashed(hash, device, sets[at])];
  }

  boolean leads(int device, int waypoint) {
    int instance = common(device, waypoint);
    TierPlan plan = instances.planOf(instance);
    return plan.function() != null || plan.routeEntry(local(device, instance), local(waypoint, instance)) != NONE;
  }

  int shortest(int device, int waypoint, int arrivedBy, int candidates) {
    int instance = common(device, waypoint);
    RouteFunction function = instances.planOf(instance).function();
    return function == null
        ? candidates
        : function.shortest(local(device, instance), within(arrivedBy, instance), local(waypoint, instance));
  }

  // The channel in the numbers of an instance's plan; none where it is of another tier.
  private int within(int arrivedBy, int instance) {
    return arrivedBy != RouteFunction.NONE && instances.linkInstance[TierPlan.linkOf(arrivedBy)] == instance
        ? arrivedBy - instances.linkBase[instance] * TierPlan.MAX_VIRTUAL_CHANNELS
        : RouteFunction.NONE;
  }

  int sourceChannel(int device, int waypoint, int source, int destination, int label) {
    int instance = common(device, waypoint);
    TierPlan plan = instances.planOf(instance);
    int entry = plan.routeEntry(local(device, instance), local(waypoint, instance));
    if (entry < 0) {
      // The number in the tier is that of the device by which the message entered it.
      int rail = rail(source, destination, label);
      int origin = contains(instance, source) ? entrance(instance, source, rail) : nic(destination, rail);
      entry = plan.candidate(entry, local(origin, instance));
    }
    return entry + instances.linkBase[instance] * TierPlan.MAX_VIRTUAL_CHANNELS;
  }

  TierPlan.Selection selection(int device, int waypoint) {
    return plan(device, waypoint).selection();
  }

  /** The plan of the tier that holds both a device and a waypoint. */
  TierPlan plan(int device, int waypoint) {
    return only != null ? only : instances.planOf(common(device, waypoint));
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
        "no tier holds both " + instances.name(device) + " and " + instances.name(waypoint));
  }

  private int local(int device, int instance) {
    return memberLocal[instances.tier[instance] * devices + device];
  }
}
