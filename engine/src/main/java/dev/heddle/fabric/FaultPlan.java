package dev.heddle.fabric;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.NearestMatch;
import dev.heddle.tier.TierPlan;
import dev.heddle.units.SimTime;
import java.util.Arrays;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Faults of a cluster, applied to the plans of the instances that they lie in. Other instances of a tier go on sharing
 * their plan.
 */
final class FaultPlan {
  private static final int MOST_NAMES = 20_000;
  private static final String ANY = "*";
  private static final String ONE_WAY = " -> ";
  private static final String BOTH_WAYS = " <-> ";

  private final Instances instances;
  private final List<Fault> faults;
  private final Map<String, Integer> devices = new LinkedHashMap<>();
  // By instance, the links that are down.
  private final TreeMap<Integer, BitSet> down = new TreeMap<>();
  // By instance the number of the first fault that takes a link of it down.
  private final TreeMap<Integer, Integer> cause = new TreeMap<>();
  private final boolean[] cutOff;

  private final long timePs;

  private FaultPlan(Instances instances, List<Fault> faults, long timePs) {
    this.instances = instances;
    this.faults = faults;
    this.timePs = timePs;
    cutOff = new boolean[instances.devices];
  }

  /**
   * Applies the faults of a time to the instances.
   *
   * @throws InvalidSettingException when a name does not exist, a fault changes nothing, or leaves no path
   */
  static void apply(Instances instances, List<Fault> faults, long timePs) {
    if (!faults.isEmpty()) {
      new FaultPlan(instances, faults, timePs).apply();
    }
  }

  private void apply() {
    for (int device = 0; device < instances.devices; device++) {
      devices.put(instances.name(device), device);
    }
    for (int i = 0; i < faults.size(); i++) {
      check(faults.get(i), "faults[" + i + "]");
      if (faults.get(i).isActive(timePs)) {
        apply(faults.get(i), i);
      }
    }
    down.forEach(this::reroute);
    for (int device = 0; device < cutOff.length; device++) {
      if (cutOff[device]) {
        requireNoTimedCause(device);
        replace(device);
      }
    }
    instances.downNics = down.isEmpty() ? new boolean[0] : cutOff;
  }

  private static void check(Fault fault, String path) {
    if (fault.device().isPresent() == fault.link().isPresent()) {
      throw new InvalidSettingException(path, "a fault is that of a device or of a link: state one of the two");
    }
    boolean changes = fault.rate().isPresent() || fault.latency().isPresent() || fault.loss().isPresent();
    if (changes == fault.down()) {
      throw new InvalidSettingException(path, fault.down()
          ? "a part that is down has no rate, latency or loss"
          : "states no fault: rate, latency or loss, or down: true");
    }
    if (fault.isTimed() && fault.latency().isPresent()) {
      throw new InvalidSettingException(path + ".latency", "a latency holds from start to end; leave out 'at' and"
          + " 'until', or state a rate, a loss or down: true");
    }
    long begin = fault.at().map(each -> each.ps()).orElse(0L);
    if (fault.until().isPresent() && fault.until().get().ps() <= begin) {
      throw new InvalidSettingException(path + ".until", "'" + fault.until().get() + "' is not after the begin, "
          + fault.at().map(Object::toString).orElse("the start"));
    }
  }

  private void apply(Fault fault, int number) {
    String path = "faults[" + number + "]";
    int[] links = fault.device().isPresent()
        ? linksOf(fault.device().get(), path + ".device", fault.down())
        : linksBetween(fault.link().orElseThrow(), path + ".link", fault.down());
    if (fault.down()) {
      for (int link : links) {
        int instance = instances.linkInstance[link];
        instances.downLinks.set(link);
        down.computeIfAbsent(instance, each -> new BitSet()).set(link - instances.linkBase[instance]);
        cause.putIfAbsent(instance, number);
      }
      return;
    }
    degrade(fault, path, links);
  }

  private void degrade(Fault fault, String path, int[] links) {
    Map<Link, Link> degraded = new IdentityHashMap<>();
    boolean slower = fault.rate().isEmpty();
    for (int link : links) {
      Link before = instances.linkModel(link);
      slower |= fault.rate().map(rate -> rate.bitsPerSecond() < before.rate().bitsPerSecond()).orElse(true);
      instances.degraded.put(link, degraded.computeIfAbsent(before, each -> new DegradedLink(each, fault)));
    }
    if (!slower) {
      throw new InvalidSettingException(path + ".rate", "'" + fault.rate().orElseThrow()
          + "' is not below the rate of any of the links");
    }
  }

  private int device(String name, String path) {
    Integer device = devices.get(name);
    if (device == null) {
      List<String> known = devices.keySet().stream().limit(MOST_NAMES).toList();
      String hint = NearestMatch.of(name, known).map(match -> "; did you mean '" + match + "'?")
          .orElse("; names are such as '" + known.get(0) + "' and '" + instances.name(instances.devices - 1) + "'");
      throw new InvalidSettingException(path, "no device is called '" + name + "'" + hint);
    }
    return device;
  }

  private BitSet devices(String pattern, String path) {
    BitSet found = new BitSet();
    if (!pattern.contains(ANY)) {
      found.set(device(pattern, path));
      return found;
    }
    Predicate<String> matches = Pattern.compile(Arrays.stream(pattern.split(Pattern.quote(ANY), -1)).map(Pattern::quote)
        .collect(Collectors.joining(".*"))).asMatchPredicate();
    devices.forEach((name, device) -> found.set(device, matches.test(name)));
    if (found.isEmpty()) {
      throw new InvalidSettingException(path, "no device's name matches '" + pattern + "'");
    }
    return found;
  }

  // Of a NIC between tiers, unless it is down, those out of its node.
  private int[] linksOf(String name, String path, boolean all) {
    BitSet chosen = devices(name, path);
    return IntStream.range(0, instances.links)
        .filter(link -> affects(instances.source(link), link, chosen, all)
            || affects(instances.target(link), link, chosen, all))
        .toArray();
  }

  private boolean affects(int device, int link, BitSet chosen, boolean all) {
    boolean bridges = instances.tiers.size() > 1 && device < instances.nodeTerminals
        && instances.memberInstance[instances.devices + device] != Instances.NONE;
    return chosen.get(device) && (all || !bridges || instances.tier[instances.linkInstance[link]] > 0);
  }

  private int[] linksBetween(String name, String path, boolean goesDown) {
    boolean both = name.contains(BOTH_WAYS);
    String[] ends = name.split(both ? BOTH_WAYS : ONE_WAY, -1);
    if (ends.length != 2) {
      throw new InvalidSettingException(path,
          "'" + name + "' is no link; write two devices, such as 'node0.nic0 <-> cluster.leaf0'");
    }
    if (goesDown && !both) {
      throw new InvalidSettingException(path,
          "a link is down in both directions; write '" + ends[0] + BOTH_WAYS + ends[1] + "'");
    }
    BitSet from = devices(ends[0].strip(), path);
    BitSet to = devices(ends[1].strip(), path);
    int[] links = IntStream.range(0, instances.links)
        .filter(link -> leads(link, from, to) || both && leads(link, to, from)).toArray();
    if (links.length == 0) {
      List<String> neighbours = IntStream.range(0, instances.links).filter(link -> from.get(instances.source(link)))
          .mapToObj(link -> instances.name(instances.target(link))).distinct().limit(8).toList();
      throw new InvalidSettingException(path, "no link leads from '" + ends[0].strip() + "' to '" + ends[1].strip()
          + "'; links from it lead to " + String.join(", ", neighbours));
    }
    return links;
  }

  private boolean leads(int link, BitSet from, BitSet to) {
    return from.get(instances.source(link)) && to.get(instances.target(link));
  }

  private void reroute(int instance, BitSet links) {
    TierPlan before = instances.planOf(instance);
    TierPlan after;
    try {
      after = new RouteRepair(before, links).repaired();
    } catch (InvalidSettingException e) {
      throw new InvalidSettingException("faults[" + cause.get(instance) + "].down",
          "no route can be computed around a link of '" + instances.name(instances.source(instances.linkBase[instance]))
              + "' and others: " + e.getMessage());
    }
    instances.planOf[instance] = after;
    int terminals = before.terminals();
    boolean[] reached = new boolean[terminals];
    for (int from = 0; from < terminals; from++) {
      for (int to = 0; to < terminals; to++) {
        if (from != to && after.routeEntry(from, to) != Instances.NONE) {
          reached[from] = true;
          reached[to] = true;
        }
      }
    }
    for (int from = 0; from < terminals; from++) {
      cutOff[instances.devicesOf[instance][from]] |= !reached[from];
      for (int to = 0; to < terminals; to++) {
        if (reached[from] && reached[to] && from != to && after.routeEntry(from, to) == Instances.NONE
            && before.routeEntry(from, to) != Instances.NONE) {
          throw new InvalidSettingException("faults[" + cause.get(instance) + "].down",
              "no route is left from '" + instances.name(instances.devicesOf[instance][from]) + "' to '"
                  + instances.name(instances.devicesOf[instance][to]) + "'");
        }
      }
    }
  }

  // Connections keep their NICs, so that none may be cut off while others come and go.
  private void requireNoTimedCause(int device) {
    for (int i = 0; i < faults.size(); i++) {
      if (faults.get(i).down() && faults.get(i).isTimed() && faults.get(i).isActive(timePs)) {
        throw new InvalidSettingException("faults[" + i + "].down", "'" + instances.name(device) + "' is cut off at "
            + SimTime.ofPs(timePs) + "; during a run only parts go down around which every terminal is reached");
      }
    }
  }

  // A NIC that is cut off is replaced by another of its node.
  private void replace(int device) {
    int instance = instances.lowerInstance[device];
    Optional<Integer> other = Optional.empty();
    for (int nic : instances.uplinksOf[instance]) {
      other = cutOff[nic] ? other : Optional.of(nic);
    }
    boolean uplink = false;
    for (int nic : instances.uplinksOf[instance]) {
      uplink |= nic == device;
    }
    if (!uplink || other.isEmpty()) {
      int number = cause.values().stream().mapToInt(Integer::intValue).min().orElse(0);
      throw new InvalidSettingException("faults[" + number + "].down", "'" + instances.name(device) + "' is cut off"
          + (uplink ? ", and no other NIC of its node is left" : ", and nothing replaces it"));
    }
  }
}
