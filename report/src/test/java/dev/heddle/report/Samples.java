package dev.heddle.report;

import dev.heddle.results.Results;
import dev.heddle.results.Results.Bucket;
import dev.heddle.results.Results.Distribution;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.results.Results.Metric;
import dev.heddle.results.Results.RunInfo;
import dev.heddle.results.Results.Series;
import dev.heddle.results.SweepResults;
import dev.heddle.results.SweepResults.Axis;
import dev.heddle.results.SweepResults.Plot;
import dev.heddle.results.SweepResults.Point;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Results of the shape and size that runs of a cluster yield; the figures follow plausible curves, not a run. */
final class Samples {
  static final String RATE = "cluster.tiers.node.topology.link.rate";
  static final List<String> PATTERNS = List.of("c1", "c2", "c3", "c4", "c5");
  static final List<String> RATES = List.of("128 Gb/s", "256 Gb/s", "512 Gb/s");

  private Samples() {}

  static Results run() {
    return run("sauron-fig5", 0.6, 0.2, 16);
  }

  /** A run at a load, with a share of its messages that leave their node, on a cluster of some nodes. */
  static Results run(String name, double load, double share, int nodes) {
    double intra = 8.0 * nodes * 16 * load * (1 - share);
    double inter = Math.min(8.0 * nodes * 16 * load * share, nodes * 12.0);
    double saturation = Math.min(0.98, 8 * 16 * load * share / 50);
    double wait = 1 / (1 - saturation);
    List<Metric> metrics = List.of(
        new Metric("intra.throughput", "Intra-node throughput", "GB/s", intra),
        new Metric("inter.throughput", "Inter-node throughput", "GB/s", share == 0 ? Double.NaN : inter),
        new Metric("intra.latency", "Mean intra-node latency", "us", 0.8 * wait),
        new Metric("inter.latency", "Mean inter-node latency", "us", share == 0 ? Double.NaN : 2.4 * wait * wait),
        new Metric("messages.refused", "Messages refused", "1", 0));
    List<Distribution> distributions = List.of(
        distribution("fct.intra", "FCT, intra-node", 0.8 * wait, 48_211),
        distribution("fct.inter", "FCT, inter-node", 2.4 * wait * wait, 12_053));
    return new Results(
        new RunInfo(name, "0.1.0", "packet", 1, 3_000_000_000L, 18_423_771, 9_211_888, 0x9e3779b97f4a7c15L,
            4_612_000_000L),
        metrics, distributions, links(nodes, load, share), List.of(backlog(load)));
  }

  private static Distribution distribution(String id, String title, double mean, long count) {
    List<Bucket> buckets = new ArrayList<>();
    long seen = 0;
    for (int i = 1; i <= 40; i++) {
      long upTo = Math.round(count * (1 - Math.exp(-i * 0.2)));
      buckets.add(new Bucket(mean * (0.4 + 0.12 * i), i == 40 ? count - seen : upTo - seen));
      seen = upTo;
    }
    return new Distribution(
        id, title, "us", count, mean, mean * 0.4, mean * 0.85, mean * 1.9, mean * 3.1, mean * 4.4, mean * 5.2, buckets);
  }

  private static List<LinkUsage> links(int nodes, double load, double share) {
    List<LinkUsage> links = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      for (int gpu = 0; gpu < 8; gpu++) {
        double used = Math.min(1, load * (1 + 0.07 * Math.sin(node * 8 + gpu)));
        String device = "node" + node + ".accelerator" + gpu;
        links.add(new LinkUsage(device + " -> node" + node + ".switch", "node", 16, used, 16 * used * 0.86,
            900 + gpu, 0.02 * used, 65_536));
      }
      double used = Math.min(1, 8 * 16 * load * share / 50 * (1 + 0.05 * Math.cos(node)));
      links.add(new LinkUsage("node" + node + ".nic0 -> leaf" + node / 4, "cluster", 50, used, 50 * used * 0.97,
          2_000, 0.3 * used * used, 1 << 20));
    }
    return links;
  }

  private static Series backlog(double load) {
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      x.add(i * 0.05);
      y.add(load * 100 * (1 - Math.exp(-i / 12.0)));
    }
    return new Series("backlog", "Messages in flight", "simulated time [ms]", "messages", x, y);
  }

  /** The 300 points of a figure of SAURON: 3 rates, 5 patterns, 20 loads. */
  static SweepResults sweep() {
    List<String> loads = new ArrayList<>();
    for (int i = 1; i <= 20; i++) {
      loads.add(5 * i + " %");
    }
    List<Point> points = new ArrayList<>();
    for (int rate = 0; rate < RATES.size(); rate++) {
      for (int pattern = 0; pattern < PATTERNS.size(); pattern++) {
        for (int load = 1; load <= 20; load++) {
          Map<String, String> parameters = new LinkedHashMap<>();
          parameters.put(RATE, RATES.get(rate));
          parameters.put("workload.pattern", PATTERNS.get(pattern));
          parameters.put("workload.load", 5 * load + " %");
          double share = 0.2 - 0.05 * pattern;
          points.add(new Point(parameters, run("sauron-fig5", load * 0.05 * (1 << rate), share, 2)));
        }
      }
    }
    List<Axis> axes = List.of(
        new Axis(RATE, "Rate per accelerator", RATES),
        new Axis("workload.pattern", "Pattern", PATTERNS),
        new Axis("workload.load", "Load", loads));
    List<Plot> plots = List.of(
        new Plot("Intra-node throughput", "intra.throughput", "workload.load", "workload.pattern", RATE, false),
        new Plot("Inter-node latency", "fct.inter.p99", "workload.load", "workload.pattern", RATE, true));
    return new SweepResults("sauron-fig5", "32 nodes of 8 accelerators, patterns C1 to C5", axes, plots, points);
  }

  static ValidationReport validation() {
    List<Row> latency = new ArrayList<>();
    List<Row> bandwidth = new ArrayList<>();
    for (int exponent = 7; exponent <= 22; exponent++) {
      long bytes = 1L << exponent;
      double reference = 2.2 + bytes / 6100.0;
      double off = 0.02 * Math.sin(exponent);
      String label = bytes >= 1 << 20 ? (bytes >> 20) + " MiB" : bytes >= 1024 ? (bytes >> 10) + " KiB" : bytes + " B";
      latency.add(new Row(label, OptionalLong.of(bytes), reference, reference * (1 + off)));
      double rate = bytes / (160 + bytes / 6.1);
      bandwidth.add(new Row(label, OptionalLong.of(bytes), rate, rate * (1 + 3.2 * off)));
    }
    return new ValidationReport(
        "cellia",
        List.of(
            new Table("ib_write latency", "SAURON, Table 1", "us", latency, 3),
            new Table("ib_write bandwidth", "SAURON, Table 2", "GB/s", bandwidth, 4),
            new Table("zero-load hops", "closed form", "ns",
                List.of(new Row("1 hop", OptionalLong.empty(), 120, 121),
                    new Row("3 hops", OptionalLong.empty(), 360, 361)),
                Double.NaN)),
        List.of("The step between 8 and 16 KiB follows from the window of outstanding requests.",
            "Host software is one constant per verb."));
  }
}
