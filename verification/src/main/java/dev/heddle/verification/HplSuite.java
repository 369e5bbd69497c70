package dev.heddle.verification;

import dev.heddle.hpl.HplSystem;
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
import java.util.function.ToDoubleFunction;

/**
 * Comparison of the closed forms of HPL with published estimates of the same models, and with measured rates [MCL-HPL
 * Tables 1, 2 and 5].
 */
public final class HplSuite implements ValidationSuite {
  @Override
  public String id() {
    return "hpl";
  }

  @Override
  public String description() {
    return "closed forms of HPL against the estimates of the MCL-HPL paper and measured rates";
  }

  @Override
  public ValidationReport run(Optional<Path> data) {
    DataFolder folder = data.map(DataFolder::of).orElseGet(() -> DataFolder.bundled("hpl"));
    List<Table> tables = new ArrayList<>();
    try (Registry registry = Registry.discover(HplSuite.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      for (String file : folder.names(".csv")) {
        tables.addAll(compare(reader, HplTable.read(folder.label(file), folder.text(file))));
      }
    }
    if (tables.isEmpty()) {
      throw new InvalidSettingException("", folder.label("") + " holds no table of HPL's rates");
    }
    List<String> notes =
        data.isPresent() ? List.of() : folder.text("notes.txt").lines().filter(line -> !line.isBlank()).toList();
    ValidationReport report = new ValidationReport(id(), tables, notes);
    return data.isPresent() ? report : report.with(SuiteBasis.of(folder, report));
  }

  private static List<Table> compare(ScenarioReader reader, HplTable table) {
    List<Double> ours = table.rows().stream().map(row -> rate(reader, table, row)).toList();
    List<Table> tables = new ArrayList<>();
    Table published = table(table, ": published estimate and ours", HplTable.Row::published, ours, "published bound");
    if (!published.rows().isEmpty()) {
      tables.add(published);
      rootMeanSquare(table, published).ifPresent(tables::add);
    }
    Table measured = table(table, ": measured and ours", HplTable.Row::measured, ours, "measured bound");
    if (!measured.rows().isEmpty()) {
      tables.add(measured);
      List<Double> estimates = table.rows().stream().map(HplTable.Row::published).toList();
      Table theirs = table(table, ": measured and published estimate", HplTable.Row::measured, estimates, "");
      if (!theirs.rows().isEmpty()) {
        tables.add(theirs);
      }
    }
    return tables;
  }

  private static double rate(ScenarioReader reader, HplTable table, HplTable.Row row) {
    HplSystem preset = reader.record(HplSystem.class, row.label(), "{preset: " + row.preset() + "}");
    HplSystem system =
        preset.sized(row.nodes().orElse(preset.nodes()), row.devicesPerNode().orElse(preset.devicesPerNode()));
    double flopsPerSecond;
    switch (table.header("model")) {
      case "original" :
        flopsPerSecond = system.original(row.order()).flopsPerSecond();
        break;
      case "single" :
        flopsPerSecond = system.singleLayer(row.order()).flopsPerSecond();
        break;
      default :
        flopsPerSecond = system.layered(row.order()).flopsPerSecond();
        break;
    }
    return flopsPerSecond / table.unit();
  }

  /** The rows that have both figures. */
  private static Table table(
      HplTable table, String what, ToDoubleFunction<HplTable.Row> reference, List<Double> model, String bound) {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < table.rows().size(); i++) {
      HplTable.Row row = table.rows().get(i);
      double value = reference.applyAsDouble(row);
      if (!Double.isNaN(value) && !Double.isNaN(model.get(i))) {
        rows.add(new Row(row.label() + ", N " + row.order(), OptionalLong.empty(), value, model.get(i)));
      }
    }
    return new Table(table.header("name") + what, table.header("source"), table.header("unit"), rows,
        table.bound(bound));
  }

  /** The root mean square of a table's errors, as a separate table, if a bound is claimed for it. */
  private static Optional<Table> rootMeanSquare(HplTable table, Table compared) {
    double bound = table.bound("published rms bound");
    if (Double.isNaN(bound)) {
      return Optional.empty();
    }
    double rms = Math.sqrt(
        compared.rows().stream().mapToDouble(row -> row.errorPct() * row.errorPct()).average().orElse(Double.NaN));
    Row row = new Row("all rows, 100 % and the root mean square of their errors", OptionalLong.empty(), 100, 100 + rms);
    return Optional.of(
        new Table(table.header("name") + ": root mean square of the errors", table.header("source"), "%",
            List.of(row), bound));
  }
}
