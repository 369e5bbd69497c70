package dev.heddle.verification;

import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.results.Results.Metric;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.Scenario;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.ValidationSuite;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Comparison of runs whose steady states are sampled with runs of every packet. */
public final class SamplingSuite implements ValidationSuite {
  /** Bound on the mean error of the time of a run in percent. */
  static final double BOUND = 2;

  private static final String SAMPLING = "sampling";
  private static final String TOLERANCE = "3 %";
  private static final double US = 1e6;

  /**
   * One scenario, run in full and with samples.
   *
   * @param row mean times of messages, or those of a run of collectives
   * @param skipped share of the time, in percent
   * @param stated standard error that the run states, in percent
   * @param lastError error of the time of the run, in percent
   */
  private record Comparison(Row row, double skipped, double stated, double lastError) {}

  @Override
  public String id() {
    return SAMPLING;
  }

  @Override
  public String description() {
    return "Steady states of packets that are sampled: times against those of runs of every packet";
  }

  @Override
  public ValidationReport run(Optional<Path> data) {
    return run(data, 1);
  }

  /** Runs every {@code step}th scenario of each file, from the first. */
  static ValidationReport run(Optional<Path> data, int step) {
    DataFolder folder = data.map(DataFolder::of).orElseGet(() -> DataFolder.bundled(SAMPLING));
    List<Table> tables = new ArrayList<>();
    List<Comparison> all = new ArrayList<>();
    try (Registry registry = Registry.discover(SamplingSuite.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      for (String name : folder.names(".yaml")) {
        ScenarioFile file = reader.parse(folder.label(name), folder.text(name), Map.of());
        ScenarioFile sampled =
            reader.parse(folder.label(name), folder.text(name), Map.of("run.sampling", TOLERANCE));
        List<Comparison> compared = new ArrayList<>();
        for (int point = 0; point < file.points().size(); point += step) {
          compared.add(compare(file.points().get(point), sampled.points().get(point).scenario()));
        }
        all.addAll(compared);
        Scenario first = file.points().get(0).scenario();
        tables.add(new Table(first.description().isEmpty() ? first.name() : first.description(),
            "runs of every packet", "us", compared.stream().map(Comparison::row).toList(), BOUND));
      }
    }
    if (tables.isEmpty()) {
      throw new InvalidSettingException("", folder.label("") + " holds no scenario");
    }
    List<String> notes = new ArrayList<>(List.of(summary(all)));
    if (data.isEmpty()) {
      folder.text("notes.txt").lines().filter(line -> !line.isBlank()).forEach(notes::add);
    }
    ValidationReport report = new ValidationReport(SAMPLING, tables, notes);
    return data.isPresent() ? report : report.with(SuiteBasis.of(folder, report));
  }

  private static Comparison compare(ScenarioFile.Point point, Scenario sampled) {
    Results full = point.scenario().simulation().run();
    Results sample = sampled.simulation().run();
    double last = 100.0 * (sample.run().simulatedPs() - full.run().simulatedPs()) / full.run().simulatedPs();
    double skipped = metric(sample, "sampling.skipped");
    double stated = metric(sample, "sampling.error");
    String label = String.join(", ", point.parameters().values()) + String.format(
        Locale.ROOT, " (%.0f %% skipped, standard error %.2f %%; the last %+.1f %%)", skipped, stated, last);
    return new Comparison(
        new Row(label, OptionalLong.empty(), metric(full, "fct"), metric(sample, "fct")), skipped, stated,
        Math.abs(last));
  }

  private static double metric(Results results, String id) {
    return results.metrics().stream().filter(metric -> metric.id().equals(id)).mapToDouble(Metric::value).findFirst()
        .orElseThrow();
  }

  private static String summary(List<Comparison> all) {
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
