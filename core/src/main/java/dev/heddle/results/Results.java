package dev.heddle.results;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;

/**
 * The results of one run.
 *
 * @param run identification of the run
 * @param metrics scalar figures, most important first
 * @param distributions latencies and the like, as percentiles and buckets
 * @param links use of each directed link within the measurement window
 * @param series curves, where a run yields any
 * @param spaceTime messages for a space-time diagram; none unless the run was to keep them
 * @param timeline operations of some ranks over time; empty unless the run was to keep it
 * @param warnings about parts of the scenario that have no effect on the results, a line each
 */
public record Results(
    RunInfo run,
    List<Metric> metrics,
    List<Distribution> distributions,
    List<LinkUsage> links,
    List<Series> series,
    SpaceTime spaceTime,
    Timeline timeline,
    List<String> warnings) {
  /** Results without drawings. */
  public Results(
      RunInfo run,
      List<Metric> metrics,
      List<Distribution> distributions,
      List<LinkUsage> links,
      List<Series> series) {
    this(run, metrics, distributions, links, series, SpaceTime.NONE, Timeline.NONE, ImmutableList.of());
  }

  /** Copies the lists. */
  public Results {
    metrics = ImmutableList.copyOf(metrics);
    distributions = ImmutableList.copyOf(distributions);
    links = ImmutableList.copyOf(links);
    series = ImmutableList.copyOf(series);
    warnings = ImmutableList.copyOf(warnings);
  }

  /**
   * Identification of a run.
   *
   * @param scenario name of the scenario
   * @param version of Heddle
   * @param fidelity packet, flow or analytic
   * @param seed of the random streams
   * @param simulatedPs simulated time at the end of the run in picoseconds
   * @param events events processed
   * @param packetHops link crossings by bursts (one packet or several sent as one); at flow fidelity by messages
   * @param fingerprint hash over every delivery (time, source, destination, bytes): equal runs have equal fingerprints
   * @param wallNanos wall-clock time in nanoseconds; not part of equality of results
   */
  public record RunInfo(
      String scenario,
      String version,
      String fidelity,
      long seed,
      long simulatedPs,
      long events,
      long packetHops,
      long fingerprint,
      long wallNanos) {}

  /**
   * A scalar figure.
   *
   * @param id stable key, such as {@code intra.throughput}
   * @param title for people
   * @param unit such as {@code GB/s}, {@code us}, {@code 1}
   * @param value the figure; NaN where nothing was measured
   */
  public record Metric(String id, String title, String unit, double value) {}

  /**
   * Distribution of a quantity.
   *
   * @param id stable key, such as {@code fct}
   * @param title for people
   * @param unit of all values
   * @param count of samples
   * @param mean arithmetic mean; NaN without samples
   * @param min least sample
   * @param p50 median
   * @param p90 90th percentile
   * @param p99 99th percentile
   * @param p999 99.9th percentile
   * @param max greatest sample
   * @param buckets ascending; counts sum to {@code count}
   */
  public record Distribution(
      String id,
      String title,
      String unit,
      long count,
      double mean,
      double min,
      double p50,
      double p90,
      double p99,
      double p999,
      double max,
      List<Bucket> buckets) {
    /** Copies the list. */
    public Distribution {
      buckets = ImmutableList.copyOf(buckets);
    }
  }

  /**
   * A bucket of samples of similar value.
   *
   * @param upTo upper end of the bucket, in the distribution's unit
   * @param count samples in it
   */
  public record Bucket(double upTo, long count) {}

  /**
   * Use of a directed link within the measurement window; of one that repeats packets later, until its last byte.
   *
   * @param name source, arrow, target
   * @param tier name of its tier
   * @param rateGBps its data rate after encoding, in GB/s
   * @param utilization share of the measurement window for which it carried bytes, 0 to 1
   * @param payloadGBps payload rate over the measurement window in GB/s
   * @param units bursts that began to cross it
   * @param creditStall share of the measurement window for which it was idle with a burst waiting for credits, 0 to 1
   * @param maxQueueBytes the most bytes that waited for it at once
   */
  public record LinkUsage(
      String name,
      String tier,
      double rateGBps,
      double utilization,
      double payloadGBps,
      long units,
      double creditStall,
      long maxQueueBytes) {}

  /**
   * A curve.
   *
   * @param id stable key
   * @param title for people
   * @param xTitle of the abscissa, with unit
   * @param yTitle of the ordinate, with unit
   * @param x abscissae
   * @param y ordinates, one per abscissa
   */
  public record Series(String id, String title, String xTitle, String yTitle, List<Double> x, List<Double> y) {
    /** Copies the lists. */
    public Series {
      x = ImmutableList.copyOf(x);
      y = ImmutableList.copyOf(y);
    }
  }

  /** The same results with messages for a space-time diagram. */
  public Results with(SpaceTime drawing) {
    return new Results(run, metrics, distributions, links, series, drawing, timeline, warnings);
  }

  /** The same results with curves. */
  public Results withSeries(List<Series> curves) {
    return new Results(run, metrics, distributions, links, curves, spaceTime, timeline, warnings);
  }

  /** The same results with a timeline. */
  public Results with(Timeline kept) {
    return new Results(run, metrics, distributions, links, series, spaceTime, kept, warnings);
  }

  /** The same results with warnings. */
  public Results with(List<String> lines) {
    return new Results(run, metrics, distributions, links, series, spaceTime, timeline, lines);
  }

  /** The same results with a different identification. */
  public Results with(RunInfo other) {
    return new Results(other, metrics, distributions, links, series, spaceTime, timeline, warnings);
  }

  /** The scalar figure of a key. */
  public Optional<Metric> metric(String id) {
    return metrics.stream().filter(metric -> metric.id().equals(id)).findFirst();
  }

  /** The distribution of a key. */
  public Optional<Distribution> distribution(String id) {
    return distributions.stream().filter(distribution -> distribution.id().equals(id)).findFirst();
  }
}
