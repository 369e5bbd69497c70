package dev.heddle.verification;

import com.google.common.collect.ImmutableMap;
import dev.heddle.topology.fattree.HtsimTopology;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A command of htsim's Ultra Ethernet simulator, as a scenario: the fat tree of a topology file, or one of three tiers
 * with links of 100 Gb/s and 1 us; packets of 4086 B with 64 B of headers; and the defaults of the reference
 * [uet-htsim main_uec.cpp].
 */
final class HtsimCommand {
  private static final int PACKET = 4150;
  private static final int HEADER = 64;
  private static final int LEVELS = 3;
  private static final long LINK_NS = 1000;
  private static final int DEFAULT_GIGABITS = 100;
  private static final int MEGABITS_PER_GIGABIT = 1000;
  private static final double BITS_PER_BYTE = 8;
  // A link that -failed slows keeps a quarter of its rate.
  private static final double FAILED_SHARE = 0.25;
  private static final List<String> UNSUPPORTED = List.of("-planes");

  // Results of a state of the reference that multiplied the marks of all queues by the share of a slowed link, not of
  // slowed links alone [github:f-forcher/uet-htsim 039ae34, fat_tree_topology.cpp, alloc_queue].
  private static final List<String> SCALED_MARKS =
      List.of("results/400g_nscc_fail1.txt", "results/400g_rccc_fail1.txt");

  // Options whose value is a whole number, with their number of values.
  private static final ImmutableMap<String, Integer> NUMBERS =
      ImmutableMap.of("-paths", 1, "-linkspeed", 1, "-cwnd", 1, "-ecn", 2, "-failed", 1, "-q", 1, "-sack_threshold", 1);
  private static final String NUMBER = "[0-9]{1,9}";

  private final String results;
  private final List<String> words;

  /**
   * Reads a command.
   *
   * @param place file and line, for messages
   * @param results the reference's file of results, which tells its state
   * @throws dev.heddle.spi.InvalidSettingException when a number is none of 0 to 999,999,999
   */
  HtsimCommand(String place, String results, String command) {
    this.results = results;
    words = Arrays.asList(command.trim().split("\\s+"));
    NUMBERS.forEach((name, values) -> {
      for (int value = 1; value <= values; value++) {
        String text = option(name, value).orElse("0");
        CsvTable.require(text.matches(NUMBER), place,
            name + " is '" + text + "'; it must be a whole number of 0 to 999999999");
      }
    });
  }

  /** Whether a scenario can express the command. */
  boolean isSupported() {
    return UNSUPPORTED.stream().noneMatch(words::contains);
  }

  /** The name of the connection matrix, without its folder. */
  String matrix() {
    return file("-tm").orElse("");
  }

  /** The name of the topology file, without its folder. */
  Optional<String> topology() {
    return file("-topo");
  }

  private Optional<String> file(String option) {
    return option(option).map(path -> path.substring(path.lastIndexOf('/') + 1));
  }

  private Optional<String> option(String name) {
    return option(name, 1);
  }

  private Optional<String> option(String name, int place) {
    int at = words.indexOf(name);
    return at < 0 || at + place >= words.size() ? Optional.empty() : Optional.of(words.get(at + place));
  }

  /** The end that controls congestion; without an option, the receiver. */
  String control() {
    if (words.contains("-sender_cc_only")) {
      return "nscc";
    }
    return words.contains("-sender_cc") ? "both" : "rccc";
  }

  /** Whether links are slow. */
  boolean isSlowed() {
    return words.contains("-failed");
  }

  /** Whether a connection's packets all take one path. */
  boolean isSinglePath() {
    return paths() == 1;
  }

  private int paths() {
    return option("-paths").map(Integer::parseInt).orElse(64);
  }

  /** The table that the result belongs to. */
  String table() {
    if (isSlowed()) {
      return "slowed links";
    }
    return topology().isPresent() ? control() + ", topology files" : control();
  }

  /**
   * The scenario for a number of hosts, with another workload in place of the matrix.
   *
   * @param nodes number of hosts
   * @param topology the topology file, where the command names one
   */
  String scenario(int nodes, Optional<Path> topology) {
    return new Network(nodes, topology).scenario();
  }

  /** The network of the command, and what follows from its round trip. */
  private final class Network {
    private final int nodes;
    private final Optional<Path> file;
    private final int radix;
    private final int levels;
    private final double bytesPerUs;
    private final double roundTripUs;
    private final long oversubscription;

    Network(int nodes, Optional<Path> file) {
      this.nodes = nodes;
      this.file = file;
      int ports = 2;
      while (ports * ports * ports / 4 < nodes) {
        ports += 2;
      }
      radix = ports;
      Optional<HtsimTopology> tree = file.map(HtsimTopology::read);
      levels = tree.map(each -> each.tiers().size()).orElse(LEVELS);
      bytesPerUs = gigabits() * 1000 / BITS_PER_BYTE;
      oversubscription = tree.map(HtsimTopology::oversubscription).orElse(1L);
      long oneWayNs = tree.map(HtsimTopology::diameterNs).orElse(2 * LEVELS * LINK_NS);
      // The latency of a round trip, and the wire time of a packet and its acknowledgement on each link.
      roundTripUs = 2 * oneWayNs / 1000. + 2 * levels * (PACKET + HEADER) / bytesPerUs;
    }

    private long gigabits() {
      return option("-linkspeed").map(each -> Long.parseLong(each) / MEGABITS_PER_GIGABIT)
          .orElse((long) DEFAULT_GIGABITS);
    }

    private String transport(long queueBytes) {
      List<String> transport = new ArrayList<>(List.of("type: uec", "control: " + control()));
      transport.add("paths: " + paths());
      transport.add("load-balancing: " + (isSinglePath() ? "single" : option("-load_balancing_algo").orElse("mixed")));
      option("-cwnd").ifPresent(each -> transport.add("initial-window: " + Long.parseLong(each) * PACKET + " B"));
      option("-sack_threshold").ifPresent(each -> transport.add("acknowledgement-bytes: " + each + " B"));
      if (control().equals("rccc") && oversubscription > 1) {
        transport.add("oversubscription: " + oversubscription);
      }
      long timeout = 15_000 + Math.round(6 * queueBytes / bytesPerUs * 1000);
      transport.add("timeout: " + timeout + " ns");
      transport.add(String.format(Locale.ROOT, "network-round-trip: %d ns", Math.round(roundTripUs * 1000)));
      return "transport: {" + String.join(", ", transport) + "}";
    }

    private String forwarding(long queueBytes) {
      long product = Math.round(roundTripUs * bytesPerUs);
      long low = option("-ecn").map(each -> Long.parseLong(each) * PACKET).orElse(Math.round(0.2 * product));
      long high = option("-ecn", 2).map(each -> Long.parseLong(each) * PACKET).orElse(Math.round(0.8 * product));
      if (SCALED_MARKS.contains(results)) {
        low = Math.round(low * FAILED_SHARE);
        high = Math.round(high * FAILED_SHARE);
      }
      // Queue and thresholds of a slowed link are in proportion to its rate [fat_tree_topology.cpp, alloc_queue].
      String rate = isSlowed() ? ", stated-rate: " + gigabits() + " Gb/s" : "";
      return "forwarding: {type: ethernet, queue: " + queueBytes + " B" + rate + ", trimming: true, ecn: {min: " + low
          + " B, max: " + high + " B, last-hop: " + control().equals("nscc") + "}}";
    }

    private String topology(long queueBytes) {
      String shape = file.map(path -> "type: htsim, file: '" + path.toAbsolutePath() + "'")
          .orElse("type: fat-tree, levels: 3, radix: " + radix + ", link: {type: generic, rate: " + gigabits()
              + " Gb/s, latency: 1 us, max-payload: 4086 B, overhead: 64 B}");
      return "{" + shape + ", " + forwarding(queueBytes) + ", routing: ecmp}";
    }

    // Slowed links: of three tiers those from a core switch down to the first aggregation switches, core by core; of
    // two both directions of all links of the first spines.
    private List<String> faults() {
      int failed = option("-failed").map(Integer::parseInt).orElse(0);
      List<String> faults = new ArrayList<>();
      int half = radix / 2;
      for (int i = 0; i < failed; i++) {
        String place = levels == 2 ? "device: net.spine" + i
            : "link: 'net.spine" + (i / half + i % half * half) + " -> net.middle" + i / half + "'";
        faults.add("    - {" + place + ", rate: " + Math.round(gigabits() * 1000 * FAILED_SHARE) + " Mb/s}");
      }
      if (!faults.isEmpty()) {
        faults.add(0, "  faults:");
      }
      return faults;
    }

    String scenario() {
      long packets = option("-q").map(Long::parseLong)
          .orElse((Math.round(roundTripUs * bytesPerUs) + PACKET - 1) / PACKET);
      long queueBytes = packets * PACKET;
      List<String> lines = new ArrayList<>(List.of(
          "name: htsim",
          "run: {granularity: packet}",
          transport(queueBytes),
          "workload: {type: traffic, pattern: shift, loop: closed, messages: 1, message-size: 4 KiB}",
          "cluster:",
          "  tiers:",
          "    - name: net",
          "      terminals: {accelerator: " + nodes + "}",
          "      topology: " + topology(queueBytes)));
      lines.addAll(faults());
      return String.join("\n", lines) + "\n";
    }
  }
}
