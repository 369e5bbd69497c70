package dev.heddle.verification;

import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.Scenario;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Fidelity;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.ValidationSuite;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Comparison of runs at hybrid fidelity, with packets between nodes and flows within, with runs of the same scenarios
 * at packet fidelity.
 */
public final class HybridSuite implements ValidationSuite {
  /** Bound on the mean error of the time of a run in percent. */
  static final double BOUND = 5;

  private static final String HYBRID = "hybrid";
  private static final double US = 1e6;

  /**
   * One scenario, run at three fidelities.
   *
   * @param row times at packet and at hybrid fidelity
   * @param eventShare events at hybrid fidelity, as a share of those at packet fidelity
   * @param flowError error of the time at flow fidelity, absolute, in percent
   */
  private record Comparison(Row row, double eventShare, double flowError) {}

  @Override
  public String id() {
    return HYBRID;
  }

  @Override
  public String description() {
    return "Packets between nodes and flows within them: times against those of runs of every packet";
  }

  @Override
  public ValidationReport run(Optional<Path> data) {
    return run(data, 1);
  }

  /** Runs every {@code step}th scenario of each file, from the first. */
  static ValidationReport run(Optional<Path> data, int step) {
    DataFolder folder = data.map(DataFolder::of).orElseGet(() -> DataFolder.bundled(HYBRID));
    List<Table> tables = new ArrayList<>();
    List<Comparison> all = new ArrayList<>();
    try (Registry registry = Registry.discover(HybridSuite.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      for (String name : folder.names(".yaml")) {
        ScenarioFile file = reader.parse(folder.label(name), folder.text(name), Map.of());
        // A file of the user's own may choose its packets; the others have the default.
        boolean chooses = file.points().get(0).scenario().fidelity().id().equals(HYBRID);
        ScenarioFile mixed =
            chooses ? file : reader.parse(folder.label(name), folder.text(name), Map.of("fidelity", HYBRID));
        List<Comparison> compared = new ArrayList<>();
        for (int point = 0; point < file.points().size(); point += step) {
          compared.add(compare(mixed.points().get(point)));
        }
        all.addAll(compared);
        tables.add(new Table(title(file.points().get(0).scenario()), "runs of every packet", "us",
            compared.stream().map(Comparison::row).toList(), BOUND));
      }
    }
    if (tables.isEmpty()) {
      throw new InvalidSettingException("", folder.label("") + " holds no scenario");
    }
    List<String> notes = new ArrayList<>(List.of(summary(all)));
    if (data.isEmpty()) {
      folder.text("notes.txt").lines().filter(line -> !line.isBlank()).forEach(notes::add);
    }
    ValidationReport report = new ValidationReport(HYBRID, tables, notes);
    return data.isPresent() ? report : report.with(SuiteBasis.of(folder, report));
  }

  private static String title(Scenario scenario) {
    return scenario.description().isEmpty() ? scenario.name() : scenario.description();
  }

  private static Comparison compare(ScenarioFile.Point point) {
    Scenario scenario = point.scenario();
    Results packets = scenario.simulation().at(Fidelity.PACKET).run();
    Results mixed = scenario.simulation().run();
    Results flows = scenario.simulation().at(Fidelity.FLOW).run();
    double eventShare = (double) mixed.run().events() / packets.run().events();
    double flowError = 100.0 * (flows.run().simulatedPs() - packets.run().simulatedPs()) / packets.run().simulatedPs();
    String label = String.join(", ", point.parameters().values()) + String.format(
        Locale.ROOT, " (%.0f %% of the events; flow %+.1f %%)", 100 * eventShare, flowError);
    Row row = new Row(
        label, OptionalLong.empty(), packets.run().simulatedPs() / US, mixed.run().simulatedPs() / US);
    return new Comparison(row, eventShare, Math.abs(flowError));
  }

  private static String summary(List<Comparison> all) {
    double[] shares = all.stream().mapToDouble(Comparison::eventShare).sorted().toArray();
    return String.format(
        Locale.ROOT,
        "Scenarios: %d. Mean error of hybrid fidelity %.2f %%, largest %.1f %%; of flow fidelity %.2f and %.1f %%."
            + " Events at hybrid fidelity, as a share of those at packet fidelity: median %.0f %%, least %.0f %%, most"
            + " %.0f %%.",
        all.size(), all.stream().mapToDouble(each -> Math.abs(each.row().errorPct())).average().orElse(0),
        all.stream().mapToDouble(each -> Math.abs(each.row().errorPct())).max().orElse(0),
        all.stream().mapToDouble(Comparison::flowError).average().orElse(0),
        all.stream().mapToDouble(Comparison::flowError).max().orElse(0),
        100 * shares[shares.length / 2], 100 * shares[0], 100 * Arrays.stream(shares).max().orElse(0));
  }
}
