package dev.heddle.cli;

import com.google.common.collect.Interner;
import com.google.common.collect.Interners;
import dev.heddle.results.Results;
import dev.heddle.results.Results.Distribution;
import dev.heddle.results.Results.Metric;
import dev.heddle.results.Results.RunInfo;
import java.util.List;

/**
 * Shortens results to the figures that tables and plots of a sweep show: run, metrics and the figures of distributions,
 * without links, series, histograms and drawings. Equal texts are held once, so that a point takes 1 to 2 kB.
 */
final class PointSummaries {
  private final Interner<String> texts = Interners.newStrongInterner();

  /** The summary of a point's results. */
  Results of(Results results) {
    return new Results(
        run(results.run()), results.metrics().stream().map(this::metric).toList(),
        results.distributions().stream().map(this::distribution).toList(), List.of(), List.of())
        .with(results.warnings().stream().map(texts::intern).toList());
  }

  private RunInfo run(RunInfo run) {
    return new RunInfo(
        texts.intern(run.scenario()), texts.intern(run.version()), texts.intern(run.fidelity()), run.seed(),
        run.simulatedPs(), run.events(), run.packetHops(), run.fingerprint(), run.wallNanos());
  }

  private Metric metric(Metric metric) {
    return new Metric(
        texts.intern(metric.id()), texts.intern(metric.title()), texts.intern(metric.unit()), metric.value());
  }

  private Distribution distribution(Distribution d) {
    return new Distribution(
        texts.intern(d.id()), texts.intern(d.title()), texts.intern(d.unit()), d.count(), d.mean(), d.min(), d.p50(),
        d.p90(), d.p99(), d.p999(), d.max(), List.of());
  }
}
