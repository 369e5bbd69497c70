package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Simulation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of spraying and transport protocols over whole fabrics against closed forms, htsim's figures, and each other.
 */
class TransportTest {
  /** UEC's default network: 100 Gb/s, 1 us a link, packets of 4086 B and 64 B of headers. */
  private static final String PERMUTATION = """
      name: permutation
      run: {granularity: packet, burst: 4086 B}
      cluster:
        tiers:
          - name: net
            terminals: {accelerator: 128}
            topology:
              type: fat-tree
              levels: 3
              radix: 8
              link: {type: generic, rate: 100 Gb/s, latency: 1 us, max-payload: 4086 B, overhead: 64 B}
              forwarding: {type: generic, switching: store-and-forward}
              routing: adaptive
      workload: {type: traffic, pattern: permutation, loop: closed, messages: 1, message-size: 2 MB}
      """;

  /** 15 flows of 1 MB into one host, under priority flow control. */
  private static final String INCAST = """
      name: incast
      run: {granularity: packet, burst: 4086 B}
      transport: {type: roce, timely: {low: 15 us, high: 100 us}}
      cluster:
        tiers:
          - name: net
            terminals: {accelerator: 16}
            topology:
              type: fat-tree
              levels: 3
              radix: 4
              link: {type: ethernet, rate: 100 Gb/s, latency: 1 us}
              forwarding:
                type: ethernet
                buffer: 4 MB
                ecn: {min: 100 KB, max: 400 KB, probability: 20 %}
                pfc: {headroom: 100 KB}
              routing: ecmp
      workload: {type: traffic, pattern: incast, loop: closed, messages: 1, message-size: 1 MB}
      """;

  /** Hosts with two accelerators and a NIC. */
  private static final String HOSTS = """
      name: hosts
      run: {granularity: packet}
      transport: {type: uec, control: both}
      cluster:
        tiers:
          - name: host
            terminals: {accelerator: 2, nic: 1}
            nic: {type: generic}
            topology:
              type: star
              link: {type: generic, rate: 512 Gb/s, latency: 10 ns, max-payload: 256 B, overhead: 24 B, buffer: 16 KiB}
              centre: {type: generic, latency: 50 ns}
          - name: net
            size: 16
            topology:
              type: fat-tree
              levels: 3
              radix: 4
              link: {type: ethernet, rate: 400 Gb/s, latency: 500 ns}
              forwarding: {type: ethernet, queue: 100 KB, ecn: {min: 20 KB, max: 80 KB}, trimming: true}
              routing: ecmp
      workload: {type: traffic, pattern: permutation, loop: closed, messages: 4, message-size: 256 KiB}
      """;

  /** Hosts whose NIC has two ports of 200 Gb/s, in planes of their own. */
  private static final String PORTS = """
      name: ports
      run: {granularity: packet}
      transport: srd
      cluster:
        tiers:
          - name: host
            terminals: {accelerator: 1, nic: 1}
            nic: {type: generic}
            topology:
              type: star
              link: {type: generic, rate: 800 Gb/s, latency: 10 ns, max-payload: 4 KiB, overhead: 24 B, buffer: 64 KiB}
              centre: {type: generic, latency: 50 ns}
          - name: net
            size: 4
            topology:
              type: rail-fat-tree
              rails: 1
              nodes-per-leaf: 4
              ports: 2
              planes: 2
              link: {type: ethernet, rate: 200 Gb/s, latency: 500 ns}
              forwarding: {type: ethernet, buffer: 16 MB, ecn: {min: 100 KB, max: 400 KB}, pfc: {headroom: 100 KB}}
              routing: ecmp
      workload: {type: traffic, pattern: shift, loop: closed, messages: 1, message-size: 16 MB}
      """;

  /** Two hosts whose NICs send for them. */
  private static final String ADAPTERS = """
      name: adapters
      run: {granularity: packet}
      cluster:
        tiers:
          - name: host
            terminals: {cpu: 1, nic: 1}
            nic: {type: generic}
            topology:
              type: star
              link: {type: generic, rate: 512 Gb/s, latency: 10 ns, max-payload: 256 B, overhead: 24 B, buffer: 16 KiB}
              centre: {type: generic, latency: 50 ns}
          - name: net
            size: 2
            topology:
              type: star
              link: {type: ethernet, rate: 400 Gb/s, latency: 500 ns}
              centre: {type: ethernet, queue: 100 KB, ecn: {min: 20 KB, max: 80 KB}}
      workload: {type: microbenchmark, test: ib-write, size: 16 KiB, iterations: 3, hca: {preset: connectx-5-cellia}}
      """;

  private static Results run(String scenario, Map<String, String> overrides) {
    return simulation(scenario, overrides).run();
  }

  private static Simulation simulation(String scenario, Map<String, String> overrides) {
    try (Registry registry = Registry.discover(TransportTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).parse("test.yaml", scenario, overrides).points().get(0).scenario()
          .simulation();
    }
  }

  // The results of a fabric in parts, on two threads.
  private static Results divided(String scenario, Map<String, String> overrides, int partitions) {
    Simulation simulation = simulation(scenario, ImmutableMap.<String, String>builder().putAll(overrides)
        .put("run.partitions", Integer.toString(partitions)).put("run.threads", "2").build());
    assertThat(simulation.divisionWarnings()).isEmpty();
    return simulation.run();
  }

  // Equal but for the number of events: departures to other parts have events of their own.
  private static void assertEqual(Results divided, Results whole) {
    assertThat(divided).usingRecursiveComparison().ignoringFields("run.events")
        .withEqualsForType(Double::equals, Double.class).isEqualTo(whole);
  }

  private static double metric(Results results, String id) {
    return results.metric(id).orElseThrow().value();
  }

  /**
   * The window of a connection whose packets spread is that of its ends: the first of its routes crosses a link at a
   * tenth of the rate, which adaptive switches avoid. With the window of that link, 1.5 of its bandwidth-delay
   * products, 2 MB would take 1.1 ms.
   */
  @Test
  void shouldFillOtherPathsWhenFirstOfThemIsSlow() {
    Map<String, String> one = Map.of("transport", "{type: uec, load-balancing: single}", "workload.pattern", "shift",
        "workload.shift", "64", "cluster.tiers[0].terminals.accelerator", "128");
    double healthy = metric(run(PERMUTATION, one), "time");
    Map<String, String> slow = ImmutableMap.<String, String>builder().putAll(one)
        .put("cluster.faults", "[{link: 'net.leaf0 -> net.middle0', rate: 10 Gb/s}]").build();

    assertThat(metric(run(PERMUTATION, slow), "time")).isLessThan(2 * healthy);
  }

  /**
   * A second message of 30 packets of 4,352 B takes all the credit that the first one left in advance, to the byte, as
   * 1.5 bandwidth-delay products are 130,560 B. The third is submitted while its packets are under way, which asked for
   * nothing: the receiver must have granted in advance again, as nothing else would let the third go.
   */
  @Test
  void shouldGrantInAdvanceAgainWhenCreditIsUsedUp(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("messages.goal"), """
        num_ranks 2
        rank 0 {
        first: send 40960b to 1 tag 1
        idle: calc 200000
        idle requires first
        second: send 122880b to 1 tag 2
        second requires idle
        longer: calc 208500 cpu 1
        longer requires first
        third: send 40960b to 1 tag 3
        third requires longer
        }
        rank 1 {
        l1: recv 40960b from 0 tag 1
        l2: recv 122880b from 0 tag 2
        l3: recv 40960b from 0 tag 3
        }
        """, StandardCharsets.UTF_8);
    Path scenario = folder.resolve("messages.yaml");
    Files.writeString(scenario, """
        name: messages
        run: {granularity: packet}
        transport: {type: uec, control: rccc, network-round-trip: 5440 ns}
        cluster:
          tiers:
            - name: net
              terminals: {accelerator: 2}
              topology:
                type: star
                link: {type: ethernet, rate: 128 Gb/s, latency: 1300 ns, overhead: 256 B}
                centre: {type: ethernet}
        workload: {type: goal, file: messages.goal}
        """, StandardCharsets.UTF_8);
    try (Registry registry = Registry.discover(TransportTest.class.getClassLoader(), List.of())) {
      Results results =
          new ScenarioReader(registry).read(scenario, Map.of()).points().get(0).scenario().simulation().run();

      assertThat(metric(results, "messages.delivered")).isEqualTo(3);
    }
  }

  /**
   * Speculative credit of 1.5 bandwidth-delay products of 14 us covers a message of 240 kB, 244 kB on the wire, but
   * ends with the first acknowledgement, when 65 kB are left. Receivers that nobody asks grant in advance at 99 % of
   * their rate, so that a message takes its time on the wire, the way of 7 us and two grants at most.
   */
  @Test
  void shouldGrantInAdvanceWhenNobodyAsks() {
    for (String rate : List.of("100 Gb/s", "400 Gb/s")) {
      double scale = rate.startsWith("400") ? 4 : 1;
      Results results = run(PERMUTATION, Map.of("transport", "{type: uec, control: rccc}", "workload.message-size",
          240 * (int) scale + " KB", "workload.pattern", "shift", "workload.shift", "64",
          "cluster.tiers[0].topology.link",
          "{type: generic, rate: " + rate + ", latency: 1 us, max-payload: 4086 B, overhead: 64 B}"));
      double wire = Math.ceil(240_000 * scale / 4086) * 4150 * 8 / (1e5 * scale);
      assertThat(metric(results, "packets.repeated")).isZero();
      assertThat(metric(results, "time")).as(rate).isBetween(wire + 6, wire / 0.99 + 6 + 6 * 0.332 / scale
          + 2 * 16384 * 8 / (1e5 * scale));
    }
  }

  /** Of 127 messages into one host each packet but the first burst has credit: few are sent a third time. */
  @Test
  void shouldSendOnCreditAloneWhenManySendToOne() {
    Results results = run(PERMUTATION, ImmutableMap.<String, String>builder()
        .put("transport", "{type: uec, control: rccc, initial-window: 100 KB}").put("workload.pattern", "incast")
        .put("workload.message-size", "100 KB").put("cluster.tiers[0].topology.routing", "ecmp")
        .put("cluster.tiers[0].topology.forwarding", "{type: ethernet, queue: 175 KB, trimming: true}").build());
    int packets = 127 * 25;
    double wire = 127 * 101_600 * 8 / 1e5;
    assertThat(metric(results, "packets.repeated")).isBetween(0.9 * packets, 1.25 * packets);
    assertThat(metric(results, "time")).isBetween(wire / 0.99, 1.05 * wire / 0.99);
  }

  /**
   * 127 hosts send a packet each to one. A queue of 127 packets holds them all; where it is stated for 400 Gb/s, a port
   * of 100 Gb/s holds 31, and up to four links bring those of other leaves faster than they leave.
   */
  @Test
  void shouldHoldSameTimeOfTrafficWhenQueueIsStatedForRate() {
    Map<String, Double> dropped = new TreeMap<>();
    for (String rate : List.of("100 Gb/s", "400 Gb/s")) {
      Map<String, String> all = ImmutableMap.<String, String>builder()
          .put("transport", "{type: roce, congestion: none}").put("workload.pattern", "incast")
          .put("workload.message-size", "4086 B").put("cluster.tiers[0].topology.routing", "ecmp")
          .put("cluster.tiers[0].topology.forwarding",
              "{type: ethernet, queue: " + 127 * 4150 + " B, stated-rate: " + rate + "}")
          .build();
      dropped.put(rate, metric(run(PERMUTATION, all), "packets.dropped"));
    }
    assertThat(dropped.get("100 Gb/s")).isZero();
    assertThat(dropped.get("400 Gb/s")).isPositive();
  }

  /** htsim's adaptive switches end a permutation after 194.7 us without the last acknowledgement, the ideal is 168. */
  @Test
  void shouldSpreadPermutationEvenlyWhenSwitchesAdapt() {
    for (String routing : List.of("adaptive", "random")) {
      Map<String, String> chosen = Map.of("cluster.tiers[0].topology.routing", routing);
      assertThat(metric(run(PERMUTATION, chosen), "time")).as(routing).isBetween(168.0, 205.0);
      double flow = metric(run(PERMUTATION, ImmutableMap.<String, String>builder().putAll(chosen)
          .put("fidelity", "flow").build()), "time");
      assertThat(flow).as("%s, flows", routing).isBetween(166.0, 195.0);
    }
  }

  /** One NIC's message at a time, within the first window: the network is as idle as without a protocol. */
  @Test
  void shouldCarryMessagesBetweenAdaptersWhenTheyBeginAndEndThere() {
    for (String fidelity : List.of("packet", "flow")) {
      Results plain = run(ADAPTERS, Map.of("fidelity", fidelity));
      for (String transport : List.of("{type: roce, congestion: dcqcn}", "{type: uec, control: nscc}", "srd")) {
        Results carried = run(ADAPTERS, Map.of("fidelity", fidelity, "transport", transport));
        assertThat(metric(carried, "messages.delivered")).as("%s, %s", fidelity, transport)
            .isEqualTo(metric(plain, "messages.delivered"));
        assertThat(metric(carried, "time")).as("%s, %s", fidelity, transport).isEqualTo(metric(plain, "time"));
        assertThat(run(ADAPTERS, Map.of("fidelity", fidelity, "transport", transport, "run.partitions", "2")))
            .as("%s, %s, divided", fidelity, transport).isEqualTo(carried);
      }
    }
  }

  @Test
  void shouldWarnThatTransportsHaveTheirSteadyStateAloneWhenFidelityHasNoPackets() {
    assertThat(run(HOSTS, Map.of()).warnings()).isEmpty();
    for (String fidelity : List.of("flow", "analytic")) {
      Results results = run(HOSTS, Map.of("fidelity", fidelity));
      assertThat(results.warnings()).singleElement().asString()
          .contains("fidelity " + fidelity + " has no packets", "transport", "steady state", "fidelity: packet");
      assertThat(run(PERMUTATION, Map.of("fidelity", fidelity)).warnings()).isEmpty();
    }
  }

  @Test
  void shouldWarnThatNothingMarksWhenControlWaitsForNotifications() {
    String switches = "cluster.tiers[1].topology.forwarding";
    for (String congestion : List.of("dcqcn", "swift")) {
      Map<String, String> chosen = Map.of("transport", "{type: roce, congestion: " + congestion + "}");
      assertThat(run(HOSTS, chosen).warnings()).as(congestion).isEmpty();
      List<String> unmarked = run(HOSTS, ImmutableMap.<String, String>builder().putAll(chosen)
          .put(switches, "{type: ethernet, queue: 1 MB}").build()).warnings();
      assertThat(unmarked).as(congestion).hasSize(congestion.equals("dcqcn") ? 1 : 0)
          .allSatisfy(warning -> assertThat(warning).contains("no switch marks", "ecn"));
    }
  }

  @Test
  void shouldYieldEqualResultsWhenFabricIsDivided() {
    for (String transport : List.of(
        "{type: uec, control: both}", "{type: roce, congestion: hpcc}",
        "{type: roce, congestion: dcqcn, recovery: selective-repeat}")) {
      Results whole = run(HOSTS, Map.of("transport", transport));
      for (int partitions : new int[] {2, 8}) {
        assertEqual(divided(HOSTS, Map.of("transport", transport), partitions), whole);
      }
    }
  }

  /** Pauses, lost and trimmed packets, marks and grants cross between the parts. */
  @Test
  void shouldYieldEqualResultsWhenPausesAndLossesCrossBetweenParts() {
    Map<String, String> paused = Map.of("transport.congestion", "timely");
    Map<String, String> lossy = Map.of("transport", "{type: uec, control: nscc}", "cluster.tiers[0].topology.link",
        "{type: ethernet, rate: 100 Gb/s, latency: 1 us, loss: 0.1 %}");
    Map<String, String> trimmed = Map.of(
        "transport", "{type: uec, control: both, initial-window: 500 KB}", "cluster.tiers[0].topology.forwarding",
        "{type: ethernet, queue: 100 KB, ecn: {min: 20 KB, max: 80 KB}, trimming: true}");
    for (Map<String, String> chosen : List.of(paused, lossy, trimmed)) {
      Results whole = run(INCAST, chosen);
      assertThat(metric(whole, "pauses") + metric(whole, "packets.repeated")).isPositive();
      for (int partitions : new int[] {3, 16}) {
        assertEqual(divided(INCAST, chosen, partitions), whole);
      }
    }
  }

  @Test
  void shouldDropNothingAndDifferWhenIncastIsPaused() {
    List<Double> ends = new ArrayList<>();
    for (String congestion : List.of("none", "dcqcn", "dctcp", "hpcc", "timely", "swift")) {
      Results results = run(INCAST, Map.of("transport.congestion", congestion));
      assertThat(metric(results, "packets.dropped")).as("dropped, %s", congestion).isZero();
      assertThat(metric(results, "packets.repeated")).as("repeated, %s", congestion).isZero();
      ends.add(metric(results, "acknowledged.last"));
    }
    assertThat(ends.stream().map(each -> Math.round(each / 10)).distinct()).as("ends %s", ends).hasSizeGreaterThan(4);
  }

  /** A permutation over a tree of full bisection that routes by hash, under priority flow control. */
  private static String hashed(String transport) {
    return INCAST
        .replace("pattern: incast, loop: closed, messages: 1", "pattern: permutation, loop: closed, messages: 4")
        .replace("{type: roce, timely: {low: 15 us, high: 100 us}}", transport);
  }

  /**
   * Connections that share links by hash take turns; packets that are sprayed fill all links: htsim's oblivious
   * spraying ends a permutation at 1.21 times its wire time.
   */
  @Test
  void shouldFillEveryPathWhenPacketsAreSprayed() {
    double wire = 4 * 1e6 * (4096 + 82) / 4096 * 8 / 100e3;
    double flow = metric(run(hashed("{type: roce, congestion: swift}"), Map.of()), "time");
    assertThat(flow).as("by connection").isGreaterThan(1.7 * wire);
    for (String transport : List.of(
        "{type: roce, congestion: swift, recovery: selective-repeat, load-balancing: spray}", "srd")) {
      Results sprayed = run(hashed(transport), Map.of());
      assertThat(metric(sprayed, "time")).as(transport).isBetween(wire, 1.3 * wire);
      assertThat(metric(sprayed, "packets.repeated")).as(transport).isZero();
    }
  }

  /** A gap that never comes leaves each connection on its path; gaps of paced packets spread it over all. */
  @Test
  void shouldSpreadConnectionsWhenGapsEndFlowlets() {
    String paced = "{type: roce, congestion: dcqcn, recovery: selective-repeat, load-balancing: %s}";
    Results flow = run(hashed(String.format(Locale.ROOT, paced, "flow")), Map.of());
    Results never = run(hashed(String.format(Locale.ROOT, paced, "flowlet, flowlet-gap: 1 s")), Map.of());
    Results flowlets = run(hashed(String.format(Locale.ROOT, paced, "flowlet, flowlet-gap: 500 ns")), Map.of());
    assertThat(metric(never, "time")).isEqualTo(metric(flow, "time"));
    assertThat(metric(flowlets, "time")).isLessThan(0.9 * metric(flow, "time"));
  }

  /** A connection has the rate of all ports among which its packets spread, and of one where they do not. */
  @Test
  void shouldFillAllPortsOfNicWhenPacketsSpread() {
    double both = 16e6 * (4096 + 82) / 4096 * 8 / 400e3;
    String forwarding = "cluster.tiers[1].topology.routing";
    for (Map<String, String> sprayed : List.of(
        Map.of("transport", "{type: srd, paths: 4096}"),
        Map.of("transport", "{type: uec, trimming: false, load-balancing: oblivious, paths: 4096}"),
        Map.of("transport", "{type: roce, congestion: swift, recovery: selective-repeat, load-balancing: spray}",
            forwarding, "adaptive"))) {
      assertThat(metric(run(PORTS, sprayed), "time")).as("%s", sprayed).isBetween(both, 1.1 * both);
      Map<String, String> fluid =
          ImmutableMap.<String, String>builder().putAll(sprayed).put("fidelity", "flow").build();
      assertThat(metric(run(PORTS, fluid), "time")).as("%s", fluid).isBetween(both, 1.03 * both);
    }
    double one = metric(run(PORTS, Map.of("transport", "{type: roce, congestion: swift}")), "time");
    assertThat(one).as("one port").isBetween(2 * both, 2.1 * both);
  }
}
