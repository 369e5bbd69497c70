package dev.heddle.verification;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A command of htsim's Ultra Ethernet simulator, as a scenario: a three-tier fat tree with links of 100 Gb/s and 1 us,
 * packets of 4086 B with 64 B of headers, and the defaults of the reference [uet-htsim main_uec.cpp].
 */
final class HtsimCommand {
  private static final int PACKET = 4150;
  private static final int HEADER = 64;
  private static final int HOPS = 6;
  private static final double BYTES_PER_US = 12_500;
  private static final List<String> UNSUPPORTED = List.of("-failed", "-topo", "-conn_reuse", "-linkspeed", "-planes");

  private final List<String> words;

  HtsimCommand(String command) {
    words = Arrays.asList(command.trim().split("\\s+"));
  }

  /** Whether a scenario can express the command. */
  boolean isSupported() {
    return UNSUPPORTED.stream().noneMatch(words::contains);
  }

  /** The name of the connection matrix, without its folder. */
  String matrix() {
    String path = option("-tm").orElse("");
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private Optional<String> option(String name) {
    int at = words.indexOf(name);
    return at < 0 || at + 1 >= words.size() ? Optional.empty() : Optional.of(words.get(at + 1));
  }

  /** The end that controls congestion. */
  String control() {
    if (words.contains("-sender_cc_only")) {
      return "nscc";
    }
    return words.contains("-receiver_cc_only") ? "rccc" : "both";
  }

  // The latency of a round trip, and the wire time of a packet and its acknowledgement on each link.
  private static double baseRoundTripUs() {
    return 2 * HOPS + HOPS * (PACKET + HEADER) / BYTES_PER_US;
  }

  /** The scenario for a number of hosts, with another workload in place of the matrix. */
  String scenario(int nodes) {
    int radix = 2;
    while (radix * radix * radix / 4 < nodes) {
      radix += 2;
    }
    long product = Math.round(baseRoundTripUs() * BYTES_PER_US);
    long packets = option("-q").map(Long::parseLong).orElse((product + PACKET - 1) / PACKET);
    long queue = packets * PACKET;
    long product20 = Math.round(0.2 * product);
    long product80 = Math.round(0.8 * product);
    List<String> transport = new ArrayList<>(List.of("type: uec", "control: " + control()));
    int paths = option("-paths").map(Integer::parseInt).orElse(64);
    transport.add("paths: " + paths);
    transport.add("load-balancing: " + (paths == 1 ? "single" : option("-load_balancing_algo").orElse("mixed")));
    option("-cwnd").ifPresent(each -> transport.add("initial-window: " + Long.parseLong(each) * PACKET + " B"));
    option("-sack_threshold").ifPresent(each -> transport.add("acknowledgement-bytes: " + each + " B"));
    long timeout = 15_000 + Math.round(6 * queue / BYTES_PER_US * 1000);
    transport.add("timeout: " + timeout + " ns");
    transport.add(String.format(Locale.ROOT, "network-round-trip: %d ns", Math.round(baseRoundTripUs() * 1000)));
    return String.join("\n",
        "name: htsim",
        "run: {granularity: packet}",
        "transport: {" + String.join(", ", transport) + "}",
        "cluster:",
        "  tiers:",
        "    - name: net",
        "      terminals: {accelerator: " + nodes + "}",
        "      topology:",
        "        type: fat-tree",
        "        levels: 3",
        "        radix: " + radix,
        "        link: {type: generic, rate: 100 Gb/s, latency: 1 us, max-payload: 4086 B, overhead: 64 B}",
        "        forwarding: {type: ethernet, queue: " + queue + " B, trimming: true, ecn: {min: " + product20
            + " B, max: " + product80 + " B, last-hop: " + control().equals("nscc") + "}}",
        "        routing: ecmp",
        "workload: {type: traffic, pattern: shift, loop: closed, messages: 1, message-size: 4 KiB}",
        "");
  }
}
