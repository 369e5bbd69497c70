package dev.heddle.sim;

import com.google.common.collect.ImmutableList;
import dev.heddle.engine.CollectiveLog;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.LinkCounters;
import dev.heddle.network.Measurements;
import dev.heddle.network.Meter;
import dev.heddle.network.ReplayError;
import dev.heddle.network.SamplingError;
import dev.heddle.network.TransportCounters;
import dev.heddle.results.Results;
import dev.heddle.results.Results.Bucket;
import dev.heddle.results.Results.Distribution;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.results.Results.Metric;
import dev.heddle.results.Results.RunInfo;
import dev.heddle.units.DataSize;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** {@link Results} of the measurements of a network. */
final class NetworkResults {
  /** The keys of the metrics of every run, besides the time. */
  static final List<String> METRICS = List.of(
      "intra.offered", "intra.throughput", "intra.latency", "intra.latency.p99", "inter.offered", "inter.throughput",
      "inter.fct", "inter.fct.p99", "fct", "fct.p99", "messages.delivered", "messages.refused");

  /** The key of the metric of a fabric with links that lose packets. */
  static final String LOST = "packets.lost";

  /** The keys of the metrics of a run with a transport protocol. */
  static final List<String> TRANSPORT = List.of(
      "acknowledged.first", "acknowledged.last", "packets.repeated", "packets.marked", "packets.trimmed",
      "packets.dropped", "pauses");

  /** The keys of the metrics of a run that may replay calls from records of other begins. */
  static final List<String> REPLAYS = List.of("memoization.moved", "memoization.error");

  /** The keys of the metrics of a run that may skip steady states. */
  static final List<String> SAMPLING = List.of("sampling.skipped", "sampling.error");

  /** The keys of the distributions of every run. */
  static final List<String> DISTRIBUTIONS = List.of("fct", "intra.latency", "inter.fct");

  private static final double PS_PER_US = 1e6;
  private static final int BUCKETS_PER_HALF = 5;

  private final Fabric fabric;
  private final Measurements measured;
  private final double windowNs;

  private NetworkResults(Fabric fabric, Measurements measured) {
    this.fabric = fabric;
    this.measured = measured;
    this.windowNs = measured.windowPs() / 1e3;
  }

  static Results of(Simulation simulation, Measurements measured, List<Metric> own) {
    NetworkResults results = new NetworkResults(simulation.fabric(), measured);
    RunInfo run =
        new RunInfo(
            simulation.name(), version(), simulation.fidelity().id(), simulation.seed(),
            measured.endPs(), measured.events(), measured.hops(),
            measured.fingerprint(), 0);
    List<Metric> metrics = results.metrics();
    if (!own.isEmpty()) {
      // A workload's own metrics come first, below the time.
      Metric time = metrics.stream().filter(metric -> metric.id().equals("time")).findFirst().orElseThrow();
      metrics.remove(time);
      metrics.addAll(0, own);
      metrics.add(0, time);
    }
    return new Results(run, metrics, results.distributions(),
        results.links(simulation.options().measure().isEmpty() && measured.transport() != null), ImmutableList.of());
  }

  private static String version() {
    String version = Simulation.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  private List<Metric> metrics() {
    int intra = Meter.INTRA;
    int inter = Meter.INTER;
    List<Metric> metrics = new ArrayList<>();
    metrics.add(new Metric("intra.offered", "Intra-node offered", "GB/s", rate(measured.offeredBytes(intra))));
    metrics.add(new Metric("intra.throughput", "Intra-node throughput", "GB/s", rate(measured.deliveredBytes(intra))));
    metrics.add(new Metric("intra.latency", "Intra-node latency (mean)", "us", micros(measured.meanLatencyPs(intra))));
    metrics.add(new Metric("intra.latency.p99", "Intra-node latency (p99)", "us", p99(measured.latency(intra))));
    metrics.add(new Metric("inter.offered", "Inter-node offered", "GB/s", rate(measured.offeredBytes(inter))));
    metrics.add(new Metric("inter.throughput", "Inter-node throughput", "GB/s", rate(measured.deliveredBytes(inter))));
    metrics.add(new Metric("inter.fct", "Inter-node FCT (mean)", "us", micros(measured.meanLatencyPs(inter))));
    metrics.add(new Metric("inter.fct.p99", "Inter-node FCT (p99)", "us", p99(measured.latency(inter))));
    Histogram all = all();
    metrics.add(new Metric("fct", "FCT (mean)", "us", meanFct()));
    metrics.add(new Metric("fct.p99", "FCT (p99)", "us", p99(all)));
    metrics.add(new Metric("messages.delivered", "Messages delivered", "1", measured.delivered()));
    metrics.add(new Metric("messages.refused", "Messages refused in the window", "1", measured.refused()));
    if (fabric.losingLink().isPresent()) {
      metrics.add(new Metric(LOST, "Packets lost", "1", measured.lost()));
    }
    transport(metrics);
    metrics.add(new Metric("time", "Simulated time", "us", micros(measured.endPs())));
    SamplingError sampling = measured.sampling();
    if (sampling != null) {
      metrics.add(new Metric(SAMPLING.get(0), "Time skipped as a steady state", "%", 100 * sampling.skipped()));
      metrics.add(new Metric(SAMPLING.get(1), "Standard error of the time by sampling", "%",
          100 * sampling.standardError()));
    }
    ReplayError replays = measured.replays();
    if (replays != null) {
      metrics.add(new Metric(REPLAYS.get(0), "Calls replayed from records of other begins", "1", replays.calls()));
      metrics.add(new Metric(REPLAYS.get(1), "Error of times by such replays, as estimated", "us",
          micros(replays.errorPs())));
    }
    collectives(metrics);
    return metrics;
  }

  private void transport(List<Metric> metrics) {
    TransportCounters counters = measured.transport();
    if (counters == null) {
      return;
    }
    metrics.add(new Metric(TRANSPORT.get(0), "First message acknowledged whole", "us",
        micros(counters.firstAcknowledgedPs())));
    metrics.add(new Metric(TRANSPORT.get(1), "Last message acknowledged whole", "us",
        micros(counters.lastAcknowledgedPs())));
    metrics.add(new Metric(TRANSPORT.get(2), "Packets sent again", "1", counters.repeated()));
    metrics.add(new Metric(TRANSPORT.get(3), "Packets marked", "1", counters.marked()));
    metrics.add(new Metric(TRANSPORT.get(4), "Packets trimmed", "1", counters.trimmed()));
    metrics.add(new Metric(TRANSPORT.get(5), "Packets dropped", "1", counters.dropped()));
    metrics.add(new Metric(TRANSPORT.get(6), "Pause frames", "1", counters.pauses()));
  }

  private void collectives(List<Metric> metrics) {
    List<CollectiveLog.Kind> kinds = measured.collectives();
    for (CollectiveLog.Kind kind : kinds) {
      String id = "collective." + kind.op().key();
      String title = kind.op().key() + ", " + DataSize.ofBytes(kind.bytes()) + ", " + kind.ranks() + " ranks: ";
      if (kinds.stream().filter(other -> other.op() == kind.op()).count() > 1) {
        id += "." + kind.bytes() + "." + kind.ranks();
      }
      double us = (double) kind.totalPs() / kind.count() / PS_PER_US;
      double algbw = us > 0 ? kind.bytes() / us / 1e3 : 0;
      metrics.add(new Metric(id + ".count", title + "calls", "1", kind.count()));
      metrics.add(new Metric(id + ".time", title + "time (mean)", "us", us));
      metrics.add(new Metric(id + ".algbw", title + "algbw", "GB/s", algbw));
      metrics.add(new Metric(id + ".busbw", title + "busbw", "GB/s", algbw * kind.op().busFactor(kind.ranks())));
    }
  }

  private double meanFct() {
    long intra = measured.deliveredMessages(Meter.INTRA);
    long inter = measured.deliveredMessages(Meter.INTER);
    double sum =
        (intra == 0 ? 0 : measured.meanLatencyPs(Meter.INTRA) * intra)
            + (inter == 0 ? 0 : measured.meanLatencyPs(Meter.INTER) * inter);
    return intra + inter == 0 ? Double.NaN : micros(sum / (intra + inter));
  }

  private Histogram all() {
    Histogram all = measured.latency(Meter.INTRA);
    all.add(measured.latency(Meter.INTER));
    return all;
  }

  private List<Distribution> distributions() {
    return List.of(
        distribution("fct", "FCT", all(), meanFct()),
        distribution(
            "intra.latency", "Intra-node latency", measured.latency(Meter.INTRA),
            micros(measured.meanLatencyPs(Meter.INTRA))),
        distribution(
            "inter.fct", "Inter-node FCT", measured.latency(Meter.INTER),
            micros(measured.meanLatencyPs(Meter.INTER))));
  }

  private static Distribution distribution(String id, String title, Histogram histogram, double mean) {
    List<Bucket> buckets = new ArrayList<>();
    if (histogram.getTotalCount() > 0) {
      for (HistogramIterationValue value : histogram.percentiles(BUCKETS_PER_HALF)) {
        long count = value.getCountAddedInThisIterationStep();
        if (count > 0) {
          buckets.add(new Bucket(value.getValueIteratedTo() / PS_PER_US, count));
        }
      }
    }
    boolean none = histogram.getTotalCount() == 0;
    return new Distribution(
        id, title, "us", histogram.getTotalCount(), mean,
        none ? Double.NaN : histogram.getMinValue() / PS_PER_US,
        percentile(histogram, 50), percentile(histogram, 90), percentile(histogram, 99), percentile(histogram, 99.9),
        none ? Double.NaN : histogram.getMaxValue() / PS_PER_US, buckets);
  }

  // A link that still carries packets after the last delivery is measured until its last byte.
  private List<LinkUsage> links(boolean repeats) {
    List<LinkUsage> links = new ArrayList<>();
    LinkCounters counters = measured.counters();
    for (int link = 0; link < measured.links(); link++) {
      double window = Math.max(1, Math.max(measured.windowPs(), repeats ? counters.lastPs(link) : 0));
      links.add(
          new LinkUsage(
              fabric.linkName(link),
              fabric.tiers().get(fabric.linkTier(link)).name(),
              fabric.linkModel(link).rate().bytesPerNano(),
              counters.busyPs(link) / window,
              1e3 * counters.payloadBytes(link) / window,
              counters.units(link),
              counters.stallPs(link) / window,
              counters.maxQueuedBytes(link)));
    }
    return links;
  }

  private double rate(long bytes) {
    return windowNs <= 0 ? 0 : bytes / windowNs;
  }

  private static double micros(double ps) {
    return ps / PS_PER_US;
  }

  private static double p99(Histogram histogram) {
    return percentile(histogram, 99);
  }

  private static double percentile(Histogram histogram, double percent) {
    return histogram.getTotalCount() == 0 ? Double.NaN : histogram.getValueAtPercentile(percent) / PS_PER_US;
  }
}
