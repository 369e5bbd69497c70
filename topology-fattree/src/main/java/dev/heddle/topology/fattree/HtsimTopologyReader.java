package dev.heddle.topology.fattree;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import dev.heddle.text.LineReader;
import dev.heddle.topology.fattree.HtsimTopology.Tier;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reader of htsim's topology files: a line for each key, first those of the whole, then a block for each tier that
 * begins with {@code Tier n}. Keys are read in any case; {@code #} begins a comment.
 */
final class HtsimTopologyReader {
  private static final int MOST_HOSTS = 1 << 18;
  private static final int MOST_PORTS = 1 << 16;
  private static final long MOST_NS = 1_000_000_000;
  private static final long MOST_GIGABITS = 1_000_000;
  private static final String RATE = "downlink_speed_gbps";
  private static final String DOWN = "radix_down";
  private static final String UP = "radix_up";
  private static final String BUNDLE = "bundle";
  private static final String LATENCY = "downlink_latency_ns";
  private static final String SWITCH_LATENCY = "switch_latency_ns";
  private static final String OVERSUBSCRIBED = "oversubscribed";
  private static final List<String> OF_ALL = List.of("nodes", "tiers", "podsize");
  private static final List<String> OF_TIER =
      List.of(RATE, DOWN, UP, BUNDLE, LATENCY, SWITCH_LATENCY, OVERSUBSCRIBED);

  private final LineReader lines;
  private final String file;
  private final Map<String, Long> all = new TreeMap<>();
  private final List<Map<String, Long>> tiers = new ArrayList<>();

  HtsimTopologyReader(String file, InputStream in) {
    this.file = file;
    lines = new LineReader(file, in, message -> new InvalidSettingException("file", message));
  }

  HtsimTopology read() {
    while (lines.next()) {
      String text = lines.text().replaceFirst("#.*", "").strip();
      if (!text.isEmpty()) {
        line(text.split("\\s+"));
      }
    }
    long hosts = required(all, "nodes", "");
    long levels = required(all, "tiers", "");
    if (levels != 2 && levels != 3) {
      throw fail("'Tiers " + levels + "'; a tree of htsim has 2 or 3");
    }
    if (tiers.size() != levels) {
      throw fail("'Tiers " + levels + "', but blocks 'Tier' are " + tiers.size());
    }
    List<Tier> read = new ArrayList<>();
    for (int i = 0; i < tiers.size(); i++) {
      read.add(tier(i));
    }
    HtsimTopology topology = new HtsimTopology((int) hosts, read);
    require(topology);
    return topology;
  }

  private void line(String[] words) {
    String key = words[0].toLowerCase(Locale.ROOT);
    if (words.length != 2) {
      throw lines.fail("a line has a key and a number, such as 'Radix_Down 8', but here are " + words.length
          + " words");
    }
    if (key.equals("tier")) {
      lines.number("the tier", words[1], tiers.size(), tiers.size());
      tiers.add(new TreeMap<>());
      return;
    }
    boolean first = tiers.isEmpty();
    List<String> known = first ? OF_ALL : OF_TIER;
    if (key.startsWith("queue_")) {
      throw lines.fail("'" + words[0] + "': sizes of queues are settings of forwarding, and not read from the file");
    }
    if (!known.contains(key)) {
      String hint = NearestMatch.of(key, known).map(match -> "; did you mean '" + match + "'?")
          .orElse("; allowed are " + String.join(", ", known));
      throw lines.fail("'" + LineReader.shown(words[0]) + "' is no key of " + (first ? "the whole" : "a tier") + hint);
    }
    Map<String, Long> into = first ? all : tiers.get(tiers.size() - 1);
    if (into.put(key, lines.number(words[0], words[1], least(key), most(key))) != null) {
      throw lines.fail("'" + words[0] + "' stands twice");
    }
  }

  private static long least(String key) {
    return key.endsWith("_ns") ? 0 : 1;
  }

  private static long most(String key) {
    return switch (key) {
      case LATENCY, SWITCH_LATENCY -> MOST_NS;
      case RATE -> MOST_GIGABITS;
      case DOWN, UP, BUNDLE, OVERSUBSCRIBED -> MOST_PORTS;
      default -> MOST_HOSTS;
    };
  }

  private Tier tier(int number) {
    Map<String, Long> keys = tiers.get(number);
    String place = "tier " + number + ": ";
    boolean highest = number == tiers.size() - 1;
    int down = required(keys, DOWN, place);
    if (highest && keys.containsKey(UP)) {
      throw fail(place + "'Radix_Up' in the highest tier, which has no links up");
    }
    int up = highest ? 0 : required(keys, UP, place);
    Long ratio = keys.get(OVERSUBSCRIBED);
    if (ratio != null && !highest && down / up != ratio) {
      throw fail(place + "'Oversubscribed " + ratio + "', but " + down + " ports lead down and " + up + " up");
    }
    return new Tier(required(keys, RATE, place), down, up, keys.getOrDefault(BUNDLE, 1L).intValue(),
        required(keys, LATENCY, place), keys.getOrDefault(SWITCH_LATENCY, 0L));
  }

  // Every switch has whole bundles on both sides, and the tree as many places as there are hosts.
  private void require(HtsimTopology topology) {
    List<Tier> read = topology.tiers();
    for (int i = 0; i < read.size(); i++) {
      int bundle = read.get(i).bundle();
      if (i == 0 && bundle != 1) {
        throw fail("tier 0: 'Bundle " + bundle + "', but a host has one port");
      }
      if (read.get(i).down() % bundle != 0 || i > 0 && read.get(i - 1).up() % bundle != 0) {
        throw fail("tier " + i + ": bundles of " + bundle + " do not divide " + read.get(i).down()
            + " ports down, and " + (i > 0 ? read.get(i - 1).up() : 1) + " up of the tier below");
      }
    }
    long places = 1;
    for (Tier tier : read) {
      places *= tier.down() / tier.bundle();
    }
    if (places != topology.hosts()) {
      throw fail("the ports down make a tree of " + places + " hosts, but 'Nodes' says " + topology.hosts());
    }
    long pod = read.size() == 2 ? places
        : (long) read.get(0).down() * (read.get(1).down() / read.get(1).bundle());
    if (all.getOrDefault("podsize", pod) != pod) {
      throw fail("'Podsize " + all.get("podsize") + "', but the ports down make pods of " + pod + " hosts");
    }
  }

  private int required(Map<String, Long> keys, String key, String place) {
    Long value = keys.get(key);
    if (value == null) {
      throw fail(place + "no line with '" + key + "'");
    }
    return value.intValue();
  }

  private InvalidSettingException fail(String message) {
    return new InvalidSettingException("file", file + ": " + message);
  }
}
