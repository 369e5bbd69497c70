package dev.heddle.verification;

import dev.heddle.collectives.oneccl.AllReduceTime;
import dev.heddle.collectives.oneccl.NodeRates;
import dev.heddle.collectives.oneccl.NodeRates.Ranks;
import dev.heddle.collectives.oneccl.ScaleUpScaleOut;
import dev.heddle.registry.Registry;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.ValidationSuite;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Comparison of the closed form of Aurora's all_reduce with the document that states it, cell by cell, and with its
 * experiments [ALCF].
 */
public final class AuroraSuite implements ValidationSuite {
  @Override
  public String id() {
    return "aurora";
  }

  @Override
  public String description() {
    return "closed form of Aurora's all_reduce against ALCF's projection, to the printed digit, and its experiments";
  }

  @Override
  public ValidationReport run(Optional<Path> data) {
    DataFolder folder = data.map(DataFolder::of).orElseGet(() -> DataFolder.bundled("aurora"));
    List<Table> tables = new ArrayList<>();
    try (Registry registry = Registry.discover(AuroraSuite.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      for (String file : folder.names(".csv")) {
        AuroraTable table = AuroraTable.read(folder.label(file), folder.text(file));
        NodeRates rates =
            reader.record(NodeRates.class, folder.label(file), "{preset: '" + table.header("rates") + "'}");
        tables.addAll(compare(folder.label(file), table, rates));
      }
    }
    if (tables.isEmpty()) {
      throw new InvalidSettingException("", folder.label("") + " holds no table of all_reduce times");
    }
    List<String> notes =
        data.isPresent() ? List.of() : folder.text("notes.txt").lines().filter(line -> !line.isBlank()).toList();
    ValidationReport report = new ValidationReport(id(), tables, notes);
    return data.isPresent() ? report : report.with(SuiteBasis.of(folder, report));
  }

  private static List<Table> compare(String place, AuroraTable table, NodeRates rates) {
    List<Row> printed = new ArrayList<>();
    List<Row> flawed = new ArrayList<>();
    List<Row> efficiencies = new ArrayList<>();
    List<Row> experiments = new ArrayList<>();
    for (AuroraTable.Row row : table.rows()) {
      double ours = time(place, table, rates, row).millis();
      if (!row.printed().isEmpty() && row.flaw().isEmpty()) {
        printed.add(row(row.label(), new BigDecimal(row.printed()).doubleValue(), rounded(ours, row.printed())));
      } else if (!row.printed().isEmpty()) {
        flawed.add(row(row.label() + ", " + row.flaw(), new BigDecimal(row.printed()).doubleValue(), ours));
      }
      if (!Double.isNaN(row.efficiencyPct()) && !Double.isNaN(row.experimentMs())) {
        efficiencies.add(row(row.label(), row.efficiencyPct(), 100 * ours / row.experimentMs()));
      }
      if (!Double.isNaN(row.experimentMs())) {
        experiments.add(row(row.label(), row.experimentMs(), ours));
      }
    }
    List<Table> tables = new ArrayList<>();
    add(tables, table, ": closed form as printed", "ms", printed, 0);
    add(tables, table, ": cells that print wrongly", "ms", flawed, Double.NaN);
    add(tables, table, ": efficiency as printed", "%", efficiencies, Double.NaN);
    add(tables, table, ": experiment and closed form", "ms", experiments, Double.NaN);
    return tables;
  }

  private static Row row(String label, double reference, double model) {
    return new Row(label, OptionalLong.empty(), reference, model);
  }

  private static void add(
      List<Table> tables, AuroraTable table, String what, String unit, List<Row> rows, double bound) {
    if (!rows.isEmpty()) {
      tables.add(new Table(table.header("name") + what, table.header("source"), unit, rows, bound));
    }
  }

  /** A figure with as many digits as another printed one. */
  private static double rounded(double value, String printed) {
    return new BigDecimal(value).setScale(new BigDecimal(printed).scale(), RoundingMode.HALF_UP).doubleValue();
  }

  private static AllReduceTime time(String place, AuroraTable table, NodeRates rates, AuroraTable.Row row) {
    try {
      Ranks ranks = rates.ranks(row.nodes(), row.perNode());
      return table.header("path").equals(AuroraTable.WITHIN)
          ? ScaleUpScaleOut.within(rates, ranks, table.size())
          : ScaleUpScaleOut.between(
              rates, ranks, table.size(), table.header("path").equals(AuroraTable.BETWEEN_WITH_COPIES));
    } catch (InvalidSettingException e) {
      throw new InvalidSettingException("", place + ": " + row.label() + ": " + e.getMessage());
    }
  }
}
