package dev.heddle.verification;

import com.google.common.collect.ImmutableMap;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.units.RandomStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * Transport protocols at flow fidelity, in their steady state or with their rates over time, against their packets: a
 * permutation, an incast and an all-to-all of 32 hosts, with each congestion control and load balancing, and incasts at
 * one switch of drawn numbers of flows, sizes, rates and latencies.
 */
final class TransportFidelity {
  /** The begin of the names of its tables. */
  static final String NAME = "Flow fidelity against packets, ";

  private static final String SCENARIO = """
      name: steady
      run: {granularity: packet}
      cluster:
        tiers:
          - name: net
            terminals: {accelerator: 32}
            topology:
              type: fat-tree
              levels: 2
              radix: 8
              link: {type: ethernet, rate: 100 Gb/s, latency: 1 us}
              forwarding: {type: ethernet}
              routing: ecmp
      transport: {type: roce}
      workload: {type: traffic, pattern: permutation, loop: closed, messages: 1, message-size: 8 MB}
      """;

  private static final String LOSSLESS = "{type: ethernet, buffer: 16 MB, ecn: {min: 100 KB, max: 400 KB, "
      + "probability: 20 %}, pfc: {headroom: 100 KB}}";
  private static final String TRIMMING =
      "{type: ethernet, queue: 200 KB, ecn: {min: 40 KB, max: 160 KB}, trimming: true}";

  private static final Map<String, String> PACED = ImmutableMap.of(
      "DCQCN", "{type: roce, congestion: dcqcn}", "TIMELY", "{type: roce, congestion: timely}",
      "patched TIMELY", "{type: roce, congestion: timely-patched}");

  private static final Map<String, Map<String, String>> TRANSPORTS = ImmutableMap.of(
      "windows on one path",
      ImmutableMap.of(
          "pauses alone", "{type: roce, congestion: none}", "DCTCP", "{type: roce, congestion: dctcp}",
          "HPCC", "{type: roce, congestion: hpcc}", "Swift", "{type: roce, congestion: swift}"),
      "sprayed packets",
      ImmutableMap.of(
          "SRD", "{type: srd}", "NSCC", "{type: uec, control: nscc}", "RCCC", "{type: uec, control: rccc}",
          "NSCC and RCCC", "{type: uec, control: both}"),
      "paced rates", PACED);

  // Bounds of the mean error in percent.
  private static final Map<String, Double> BOUNDS =
      ImmutableMap.of("windows on one path", 5.0, "sprayed packets", 10.0, "paced rates", 15.0);

  private static final double INCAST_BOUND = 5;
  private static final int INCASTS = 48;
  private static final int[] FLOWS = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
  private static final int[] RATES = {100, 200, 400, 800};
  private static final int[] LATENCIES = {500, 1000, 2000, 5000};
  private static final int[] KILOBYTES = {100, 300, 1_000, 3_000, 10_000, 30_000, 100_000};

  // Megabytes of an incast, least for one that congestion control has time to act on, and most for a fast suite.
  private static final int[] TOTAL = {5, 300};

  private static final Map<String, Map<String, String>> PATTERNS = ImmutableMap.of(
      "permutation of 8 MB", ImmutableMap.of(),
      "incast of 31 times 2 MB", ImmutableMap.of("workload.pattern", "incast", "workload.message-size", "2 MB"),
      "all-to-all of 256 KB",
      ImmutableMap.of(
          "workload.pattern", "all-to-all", "workload.messages", "31", "workload.message-size", "256 KB"));

  private TransportFidelity() {}

  /** A table by kind of transport, with the time until the last message has arrived. */
  static List<Table> tables(ScenarioReader reader) {
    List<Table> tables = new ArrayList<>();
    TRANSPORTS.forEach((kind, transports) -> {
      List<Row> rows = new ArrayList<>();
      PATTERNS.forEach((pattern, settings) -> transports.forEach((name, transport) -> {
        Map<String, String> all = ImmutableMap.<String, String>builder().putAll(settings).put("transport", transport)
            .put("cluster.tiers.net.topology.forwarding", transport.contains("uec") ? TRIMMING : LOSSLESS).build();
        rows.add(new Row(
            pattern + ", " + name, OptionalLong.empty(), us(reader, "packet", all), us(reader, "flow", all)));
      }));
      tables.add(new Table(
          NAME + kind, "the same 32 hosts of a fat tree at packet fidelity, 100 Gb/s", "us", rows,
          Objects.requireNonNull(BOUNDS.get(kind))));
    });
    tables.add(incasts(reader));
    return tables;
  }

  // Controls in turn; all else is drawn. The thresholds of marks are those of 100 Gb/s in proportion, as is the buffer.
  private static Table incasts(ScenarioReader reader) {
    RandomStream random = RandomStream.of(1, "TransportFidelity", "incasts");
    List<Map.Entry<String, String>> controls = List.copyOf(PACED.entrySet());
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < INCASTS; i++) {
      int flows;
      int size;
      do {
        flows = FLOWS[random.nextInt(FLOWS.length)];
        size = KILOBYTES[random.nextInt(KILOBYTES.length)];
      } while (flows * (size / 1e3) < TOTAL[0] || flows * (size / 1e3) > TOTAL[1]);
      int rate = RATES[random.nextInt(RATES.length)];
      int latency = LATENCIES[random.nextInt(LATENCIES.length)];
      int scale = rate / RATES[0];
      Map.Entry<String, String> control = controls.get(i % controls.size());
      Map<String, String> all = ImmutableMap.<String, String>builder()
          .put("seed", Integer.toString(i + 1)).put("transport", control.getValue())
          .put("cluster.tiers.net.terminals.accelerator", Integer.toString(flows + 1))
          .put("cluster.tiers.net.topology", String.format(
              Locale.ROOT,
              "{type: star, link: {type: ethernet, rate: %d Gb/s, latency: %d ns}, centre: {type: ethernet,"
                  + " buffer: %d MB, ecn: {min: %d KB, max: %d KB, probability: 20 %%}, pfc: {headroom: %d KB}}}",
              rate, latency, 16 * scale, 100 * scale, 400 * scale, 100 * scale))
          .put("workload.pattern", "incast").put("workload.message-size", size + " kB").build();
      String label = String.format(
          Locale.ROOT, "%s, %d times %s MB, %d Gb/s, %d ns", control.getKey(), flows, size / 1e3, rate, latency);
      rows.add(new Row(label, OptionalLong.empty(), us(reader, "packet", all), us(reader, "flow", all)));
    }
    return new Table(NAME + "incasts at paced rates", "the same hosts on one switch at packet fidelity", "us", rows,
        INCAST_BOUND);
  }

  private static double us(ScenarioReader reader, String fidelity, Map<String, String> settings) {
    Map<String, String> all =
        ImmutableMap.<String, String>builder().putAll(settings).put("fidelity", fidelity).build();
    return reader.parse(NAME, SCENARIO, all).points().get(0).scenario().simulation().run().metric("time").orElseThrow()
        .value();
  }
}
