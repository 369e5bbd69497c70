package dev.heddle.verification;

import dev.heddle.registry.Registry;
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
import java.util.Map;
import java.util.Optional;

/**
 * A suite that runs scenarios, the bundled ones or those of a user's folder, in some shorter way and compares them with
 * runs of every packet. Each file is a table, each point of its sweep a row.
 *
 * @param <C> a comparison of one point
 */
interface PacketComparison<C extends PacketComparison.Compared> extends ValidationSuite {
  /** Picoseconds of a microsecond, the unit of rows. */
  double US = 1e6;

  /** A comparison of one point. */
  interface Compared {
    /** Its row. */
    Row row();
  }

  /** The bound on the mean error of a table in percent. */
  double bound();

  @Override
  default ValidationReport run(Optional<Path> data) {
    return run(data, 1);
  }

  /** The settings that a file's scenarios have besides their own in the runs that are compared. */
  default Map<String, String> changes(ScenarioFile file) {
    return Map.of();
  }

  /**
   * Compares a point.
   *
   * @param own the point as the file has it
   * @param changed the same with {@link #changes}
   */
  C compare(ScenarioFile.Point own, Scenario changed);

  /** The first note of the report. */
  String summary(List<C> all);

  /** Runs every {@code step}th scenario of each file, from the first. */
  default ValidationReport run(Optional<Path> data, int step) {
    DataFolder folder = data.map(DataFolder::of).orElseGet(() -> DataFolder.bundled(id()));
    List<Table> tables = new ArrayList<>();
    List<C> all = new ArrayList<>();
    try (Registry registry = Registry.discover(PacketComparison.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      for (String name : folder.names(".yaml")) {
        ScenarioFile file = reader.parse(folder.label(name), folder.text(name), Map.of());
        Map<String, String> changes = changes(file);
        ScenarioFile changed =
            changes.isEmpty() ? file : reader.parse(folder.label(name), folder.text(name), changes);
        List<C> compared = new ArrayList<>();
        for (int point = 0; point < file.points().size(); point += step) {
          compared.add(compare(file.points().get(point), changed.points().get(point).scenario()));
        }
        all.addAll(compared);
        tables.add(new Table(title(file.points().get(0).scenario()), "runs of every packet", "us",
            compared.stream().map(Compared::row).toList(), bound()));
      }
    }
    if (tables.isEmpty()) {
      throw new InvalidSettingException("", folder.label("") + " holds no scenario");
    }
    List<String> notes = new ArrayList<>(List.of(summary(all)));
    if (data.isEmpty()) {
      folder.text("notes.txt").lines().filter(line -> !line.isBlank()).forEach(notes::add);
    }
    ValidationReport report = new ValidationReport(id(), tables, notes);
    return data.isPresent() ? report : report.with(SuiteBasis.of(folder, report));
  }

  private static String title(Scenario scenario) {
    return scenario.description().isEmpty() ? scenario.name() : scenario.description();
  }
}
