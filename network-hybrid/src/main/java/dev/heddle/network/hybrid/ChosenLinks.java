package dev.heddle.network.hybrid;

import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.internal.collect.LongLongMap;
import dev.heddle.network.LinkNames;
import dev.heddle.network.hybrid.HybridModelProvider.Packets;
import dev.heddle.network.hybrid.HybridModelProvider.Settings;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import dev.heddle.tier.RouteFunction;
import dev.heddle.tier.TierPlan;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The links of a fabric whose messages are packets. A message is packets where any of the routes between its ends
 * crosses one of them, whichever it takes: so all messages between two terminals are packets, or none is.
 */
final class ChosenLinks {
  private static final int DEVICE_BITS = 24;
  private static final int UNKNOWN = -1;
  private static final int MOST_NAMES = 20_000;
  private static final String ANY = "*";
  private static final String ONE_WAY = " -> ";
  private static final String BOTH_WAYS = " <-> ";

  private final Fabric fabric;
  private final BitSet links;
  // Per pair of terminals, 1 where a route crosses a chosen link, else 0.
  private final LongLongMap known = new LongLongMap(UNKNOWN);
  private final int[] candidates;

  private ChosenLinks(Fabric fabric, BitSet links) {
    this.fabric = fabric;
    this.links = links;
    candidates = new int[fabric.maxCandidates()];
  }

  /**
   * Finds the links that settings name.
   *
   * @throws InvalidSettingException when a name does not exist, or the default does not suit the fabric
   */
  static ChosenLinks of(Fabric fabric, Settings settings) {
    BitSet chosen = new BitSet();
    Packets packets = settings.packets().orElse(null);
    if (packets == null) {
      if (fabric.tiers().size() == 1) {
        throw new InvalidSettingException("packets",
            "is missing, and the cluster has no tier between nodes: name tiers or links, such as {tiers: ["
                + fabric.tiers().get(0).name() + "]}");
      }
      addTiers(fabric, 1, fabric.tiers().size(), chosen);
      return new ChosenLinks(fabric, chosen);
    }
    for (int i = 0; i < packets.tiers().size(); i++) {
      int tier = tier(fabric, packets.tiers().get(i), "packets.tiers[" + i + "]");
      addTiers(fabric, tier, tier + 1, chosen);
    }
    for (int i = 0; i < packets.links().size(); i++) {
      addLinks(fabric, packets.links().get(i), "packets.links[" + i + "]", chosen);
    }
    return new ChosenLinks(fabric, chosen);
  }

  private static void addLinks(Fabric fabric, String pattern, String path, BitSet chosen) {
    Predicate<String> matches = Pattern.compile(Arrays.stream(pattern.strip().replace(BOTH_WAYS, ONE_WAY)
        .split(Pattern.quote(ANY), -1)).map(Pattern::quote).collect(Collectors.joining(".*"))).asMatchPredicate();
    boolean found = false;
    for (int link = 0; link < fabric.links(); link++) {
      if (matches.test(fabric.linkName(link))) {
        found = true;
        chosen.set(link);
        if (pattern.contains(BOTH_WAYS)) {
          chosen.set(Fabric.opposite(link));
        }
      }
    }
    if (!found) {
      List<String> names = IntStream.range(0, fabric.links()).limit(MOST_NAMES).mapToObj(fabric::linkName).toList();
      throw new InvalidSettingException(
          path, LinkNames.unknown(pattern, pattern.replace(BOTH_WAYS, ONE_WAY), names));
    }
  }

  private static void addTiers(Fabric fabric, int first, int end, BitSet chosen) {
    for (int link = 0; link < fabric.links(); link++) {
      if (fabric.linkTier(link) >= first && fabric.linkTier(link) < end) {
        chosen.set(link);
      }
    }
  }

  private static int tier(Fabric fabric, String name, String path) {
    List<String> names = fabric.tiers().stream().map(Tier::name).toList();
    int tier = names.indexOf(name.strip());
    if (tier < 0) {
      throw new InvalidSettingException(path, "no tier is called '" + name + "'"
          + NearestMatch.of(name, names).map(match -> "; did you mean '" + match + "'?")
              .orElse("; the tiers are " + String.join(", ", names)));
    }
    return tier;
  }

  /** Whether a link is chosen. */
  boolean contains(int link) {
    return links.get(link);
  }

  /** Whether messages from one terminal to another are packets. */
  boolean meet(int source, int destination) {
    long pair = (long) source << DEVICE_BITS | destination;
    long found = known.get(pair);
    if (found == UNKNOWN) {
      found = links.cardinality() == fabric.links() || search(source, destination) ? 1 : 0;
      known.put(pair, found);
    }
    return found == 1;
  }

  // Follows all routes, from channel to channel. A route within a tier depends on the channel by which it came alone.
  private boolean search(int source, int destination) {
    int device = source;
    int waypoint = source;
    do {
      int from = device;
      waypoint = fabric.waypoint(from, source, destination);
      if (crosses(from, waypoint)) {
        return true;
      }
      device = waypoint;
    } while (device != destination);
    return false;
  }

  private boolean crosses(int from, int waypoint) {
    LongLongMap seen = new LongLongMap(UNKNOWN);
    int[] open = new int[64];
    int count = 0;
    open[count++] = RouteFunction.NONE;
    while (count > 0) {
      int arrivedBy = open[--count];
      int device = arrivedBy == RouteFunction.NONE ? from : fabric.linkTarget(TierPlan.linkOf(arrivedBy));
      if (device == waypoint && arrivedBy != RouteFunction.NONE) {
        continue;
      }
      int options = fabric.candidates(device, waypoint, arrivedBy, candidates);
      for (int i = 0; i < options; i++) {
        if (links.get(TierPlan.linkOf(candidates[i]))) {
          return true;
        }
        if (seen.get(candidates[i]) == UNKNOWN) {
          seen.put(candidates[i], 1);
          open = count == open.length ? Arrays.copyOf(open, 2 * count) : open;
          open[count++] = candidates[i];
        }
      }
    }
    return false;
  }
}
