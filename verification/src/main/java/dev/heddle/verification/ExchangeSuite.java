package dev.heddle.verification;

import dev.heddle.kernel.exchange.ExchangeKernel;
import dev.heddle.kernel.exchange.ExchangeModel;
import dev.heddle.kernel.exchange.ExchangeModels;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.spi.ValidationSuite;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Comparison of exchanges among experts with measured ones. Every machine, number of nodes and number of ranks is
 * predicted by constants that are fitted, at each run, to the others; a user's tables by the shipped constants.
 */
public final class ExchangeSuite implements ValidationSuite {
  private static final String MACHINES = "machines.csv";
  private static final String HELD = "rows held out: ";
  private static final long MEBIBYTE = 1 << 20;
  private static final double MICROSECOND = 1e-6;
  private static final double BOUND = 12;
  /** Nodes beyond which rows take part in no fit: their network carried half of its rate, see the notes. */
  private static final int MOST_NODES = 4;

  private final ExchangeModels models = ExchangeModels.bundled();

  @Override
  public String id() {
    return "collectives";
  }

  @Override
  public String description() {
    return "dispatch and combine of experts' tokens against DeepEP and TensorRT-LLM's kernels";
  }

  @Override
  public ValidationReport run(Optional<Path> data) {
    DataFolder bundled = DataFolder.bundled("collectives");
    List<ExchangeRow> own = bundledRows();
    if (data.isPresent()) {
      RefusedTables refusedFiles = new RefusedTables(data);
      List<Table> tables = ofTheUser(rows(DataFolder.of(data.get()), refusedFiles));
      return new ValidationReport(id(), tables, refusedFiles.notes());
    }
    List<String> notes = bundled.text("notes.txt").lines().filter(line -> !line.isBlank()).toList();
    ValidationReport report = new ValidationReport(id(), heldOut(own), notes);
    return report.with(SuiteBasis.of(bundled, report));
  }

  /** All measured rows of the suite. */
  static List<ExchangeRow> bundledRows() {
    return rows(DataFolder.bundled("collectives"), new RefusedTables(Optional.empty()));
  }

  private static List<ExchangeRow> rows(DataFolder folder, RefusedTables refusedFiles) {
    ExchangeTables tables = new ExchangeTables(
        ExchangeMachine.read(MACHINES, DataFolder.bundled("collectives").text(MACHINES)));
    List<ExchangeRow> rows = new ArrayList<>();
    for (String file : folder.names(".csv")) {
      if (!file.equals(MACHINES)) {
        refusedFiles.read(() -> rows.addAll(tables.read(folder.label(file), folder.text(file))));
      }
    }
    if (rows.isEmpty()) {
      throw refusedFiles.nothingRead(folder.label("") + " holds no table of exchanges");
    }
    return rows;
  }

  /** Rows that constants of their kernel and step may be fitted to. */
  static List<ExchangeRow> fitted(List<ExchangeRow> rows, ExchangeModel model) {
    return rows.stream().filter(row -> row.kernel() == model.kernel() && row.step() == model.step()
        && row.site().nodes() <= MOST_NODES).toList();
  }

  private List<Table> heldOut(List<ExchangeRow> rows) {
    Map<String, List<Row>> kernels = new LinkedHashMap<>();
    Map<String, List<Row>> groups = new LinkedHashMap<>();
    for (ExchangeModels.Entry entry : models.entries()) {
      Map<String, List<ExchangeRow>> parts = new TreeMap<>();
      rows.stream().filter(row -> row.kernel() == entry.model().kernel() && row.step() == entry.model().step())
          .forEach(row -> parts.computeIfAbsent(row.group(), name -> new ArrayList<>()).add(row));
      parts.forEach((group, held) -> {
        ExchangeModel model = ExchangeFit.of(entry, fitted(rows, entry.model()).stream()
            .filter(Predicate.not(row -> leftOutWith(row, held.get(0)))).toList());
        for (ExchangeRow row : held) {
          boolean slow = row.kernel() == ExchangeKernel.DEEPEP_NORMAL && row.site().nodes() > MOST_NODES;
          String size = row.bytes() >= MEBIBYTE ? ", from 1 MiB" : ", below 1 MiB";
          String all = row.kernel().id() + (slow ? " on 8 nodes" : "") + size;
          kernels.computeIfAbsent(all, name -> new ArrayList<>()).add(compared(row, model));
          groups.computeIfAbsent(row.name() + ", " + group + size, name -> new ArrayList<>())
              .add(compared(row, model));
        }
      });
    }
    List<Table> tables = new ArrayList<>();
    kernels.forEach((name, all) -> tables.add(table(HELD + name, all,
        name.endsWith("from 1 MiB") && !name.contains("8 nodes") ? BOUND : Double.NaN)));
    groups.forEach((name, all) -> tables.add(table(HELD + name, all, Double.NaN)));
    return tables;
  }

  // Within a node a machine is left out with all its rows, else the table alone.
  private static boolean leftOutWith(ExchangeRow row, ExchangeRow held) {
    return held.site().nodes() == 1 && !held.kernel().isOfDomain() ? row.machine().equals(held.machine())
        : row.group().equals(held.group());
  }

  private List<Table> ofTheUser(List<ExchangeRow> rows) {
    Map<String, List<Row>> groups = new LinkedHashMap<>();
    for (ExchangeRow row : rows) {
      groups.computeIfAbsent(row.name() + ", " + row.group(), name -> new ArrayList<>())
          .add(compared(row, models.get(row.kernel(), row.step()).model()));
    }
    return groups.entrySet().stream().map(each -> table(each.getKey(), each.getValue(), Double.NaN)).toList();
  }

  private static Row compared(ExchangeRow row, ExchangeModel model) {
    return new Row(row.label(), OptionalLong.of(row.bytes()), row.seconds() / MICROSECOND,
        model.seconds(row.load(), row.site()) / MICROSECOND);
  }

  private static Table table(String name, List<Row> rows, double bound) {
    return new Table(name, "AIConfigurator's tables of DeepEP and TensorRT-LLM; bytes are those of all copies that a"
        + " rank's tokens are sent as", "us", rows, bound);
  }
}
