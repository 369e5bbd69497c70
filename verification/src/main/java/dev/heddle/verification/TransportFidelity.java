package dev.heddle.verification;

import com.google.common.collect.ImmutableMap;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * Transport protocols in their steady state, at flow fidelity, against their packets: a permutation, an incast and an
 * all-to-all of 32 hosts, with each congestion control and load balancing.
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

  private static final Map<String, Map<String, String>> TRANSPORTS = ImmutableMap.of(
      "windows on one path",
      ImmutableMap.of(
          "pauses alone", "{type: roce, congestion: none}", "DCTCP", "{type: roce, congestion: dctcp}",
          "HPCC", "{type: roce, congestion: hpcc}", "Swift", "{type: roce, congestion: swift}"),
      "sprayed packets",
      ImmutableMap.of(
          "SRD", "{type: srd}", "NSCC", "{type: uec, control: nscc}", "RCCC", "{type: uec, control: rccc}",
          "NSCC and RCCC", "{type: uec, control: both}"),
      "paced rates",
      ImmutableMap.of(
          "DCQCN", "{type: roce, congestion: dcqcn}", "TIMELY", "{type: roce, congestion: timely}",
          "patched TIMELY", "{type: roce, congestion: timely-patched}"));

  // Bounds of the mean error in percent; rates take longer than the messages to converge.
  private static final Map<String, Double> BOUNDS =
      ImmutableMap.of("windows on one path", 5.0, "sprayed packets", 10.0, "paced rates", Double.NaN);

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
    return tables;
  }

  private static double us(ScenarioReader reader, String fidelity, Map<String, String> settings) {
    Map<String, String> all =
        ImmutableMap.<String, String>builder().putAll(settings).put("fidelity", fidelity).build();
    return reader.parse(NAME, SCENARIO, all).points().get(0).scenario().simulation().run().metric("time").orElseThrow()
        .value();
  }
}
