package dev.heddle.verification;

import dev.heddle.results.Results;
import dev.heddle.results.Results.Metric;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.scenario.Scenario;
import dev.heddle.scenario.ScenarioFile;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/** Comparison of runs whose steady states are sampled with runs of every packet. */
public final class SamplingSuite implements PacketComparison<SamplingSuite.Comparison> {
  /** Bound on the mean error of the time of a run in percent. */
  static final double BOUND = 2;

  private static final String SAMPLING = "sampling";
  private static final String TOLERANCE = "3 %";

  /**
   * One scenario, run in full and with samples.
   *
   * @param row mean times of messages, or those of a run of collectives
   * @param skipped share of the time, in percent
   * @param stated standard error that the run states, in percent
   * @param lastError error of the time of the run, in percent
   */
  record Comparison(Row row, double skipped, double stated, double lastError) implements Compared {}

  @Override
  public String id() {
    return SAMPLING;
  }

  @Override
  public double bound() {
    return BOUND;
  }

  @Override
  public String description() {
    return "Steady states of packets that are sampled: times against those of runs of every packet";
  }

  @Override
  public Map<String, String> changes(ScenarioFile file) {
    return Map.of("run.sampling", TOLERANCE);
  }

  @Override
  public Comparison compare(ScenarioFile.Point own, Scenario sampled) {
    Results full = own.scenario().simulation().run();
    Results sample = sampled.simulation().run();
    double last = 100.0 * (sample.run().simulatedPs() - full.run().simulatedPs()) / full.run().simulatedPs();
    double skipped = metric(sample, "sampling.skipped");
    double stated = metric(sample, "sampling.error");
    String label = String.join(", ", own.parameters().values()) + String.format(
        Locale.ROOT, " (%.0f %% skipped, standard error %.2f %%; the last %+.1f %%)", skipped, stated, last);
    return new Comparison(
        new Row(label, OptionalLong.empty(), metric(full, "fct"), metric(sample, "fct")), skipped, stated,
        Math.abs(last));
  }

  private static double metric(Results results, String id) {
    return results.metrics().stream().filter(metric -> metric.id().equals(id)).mapToDouble(Metric::value).findFirst()
        .orElseThrow();
  }

  @Override
  public String summary(List<Comparison> all) {
    long within = all.stream().filter(each -> Math.abs(each.row().errorPct()) <= 2 * each.stated()).count();
    return String.format(
        Locale.ROOT,
        "Scenarios: %d. Mean error of the mean time of messages %.2f %%, largest %.1f %%; of the time of the run %.2f"
            + " and %.1f %%. Within two of the stated standard errors: %d. Time that was skipped: %.0f %% in the mean.",
        all.size(), all.stream().mapToDouble(each -> Math.abs(each.row().errorPct())).average().orElse(0),
        all.stream().mapToDouble(each -> Math.abs(each.row().errorPct())).max().orElse(0),
        all.stream().mapToDouble(Comparison::lastError).average().orElse(0),
        all.stream().mapToDouble(Comparison::lastError).max().orElse(0), within,
        all.stream().mapToDouble(Comparison::skipped).average().orElse(0));
  }
}
