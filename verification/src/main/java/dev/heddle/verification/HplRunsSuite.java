package dev.heddle.verification;

import dev.heddle.registry.Registry;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.ValidationSuite;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Comparison of HPL on current clusters with measured runs: as programs on the simulated network, and by the layered
 * closed form with layers from the cluster's links.
 */
public final class HplRunsSuite implements ValidationSuite {
  @Override
  public String id() {
    return "hpl-runs";
  }

  @Override
  public String description() {
    return "HPL on clusters, as programs and with layers from their links, against measured runs";
  }

  @Override
  public ValidationReport run(Optional<Path> data) {
    DataFolder folder = data.map(DataFolder::of).orElseGet(() -> DataFolder.bundled("hpl-runs"));
    List<Table> tables = new ArrayList<>();
    try (Registry registry = Registry.discover(HplRunsSuite.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      for (String file : folder.names(".csv")) {
        tables.add(compare(reader, HplRunTable.read(reader, folder.label(file), folder.text(file))));
      }
    }
    if (tables.isEmpty()) {
      throw new InvalidSettingException("", folder.label("") + " holds no table of HPL's runs");
    }
    List<String> notes =
        data.isPresent() ? List.of() : folder.text("notes.txt").lines().filter(line -> !line.isBlank()).toList();
    ValidationReport report = new ValidationReport(id(), tables, notes);
    return data.isPresent() ? report : report.with(SuiteBasis.of(folder, report));
  }

  private static Table compare(ScenarioReader reader, HplRunTable table) {
    List<Row> rows = table.rows().stream()
        .map(row -> new Row(
            row.label() + ", N " + row.run().order(), OptionalLong.empty(), row.measured(), table.rate(reader, row)))
        .toList();
    return new Table(table.header("name"), table.header("source"), table.header("unit"), rows, table.bound());
  }
}
