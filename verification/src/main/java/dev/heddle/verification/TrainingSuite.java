package dev.heddle.verification;

import dev.heddle.fabric.Fabric;
import dev.heddle.registry.PluginKind;
import dev.heddle.registry.Registry;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Precision;
import dev.heddle.spi.ValidationSuite;
import dev.heddle.training.Estimate;
import dev.heddle.training.ProfiledCommTimes;
import dev.heddle.training.RepresentativeRanks;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.program.Activity;
import dev.heddle.workload.megatron.program.Iteration;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Comparison of training iterations of language models with measurements. The suite's own tables are shown by stack,
 * each with a bound; those of a user's folder table by table, without bounds.
 */
public final class TrainingSuite implements ValidationSuite {
  private static final double MEAN_BOUND = 8;

  @Override
  public String id() {
    return "training";
  }

  @Override
  public String description() {
    return "iteration times of language models against published measurements";
  }

  @Override
  public ValidationReport run(Optional<Path> data) {
    DataFolder folder = data.map(DataFolder::of).orElseGet(() -> DataFolder.bundled("training"));
    List<TrainingRow> rows = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    RefusedTables refusedFiles = new RefusedTables(data);
    Map<String, String> sources = new LinkedHashMap<>();
    try (Registry registry = Registry.discover(TrainingSuite.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      for (String file : folder.names(".csv")) {
        refusedFiles.read(() -> {
          TrainingTable table = TrainingTable.read(folder.label(file), folder.text(file));
          rows.addAll(new Comparison(reader, table, refused).rows());
          sources.put(table.header("name"), table.header("source"));
        });
      }
    }
    if (sources.isEmpty()) {
      throw refusedFiles.nothingRead(folder.label("") + " holds no table of iterations");
    }
    List<String> notes = new ArrayList<>(summary(rows));
    refused.stream().map(RefusedTables::refusal).forEach(notes::add);
    notes.addAll(refusedFiles.notes());
    if (data.isPresent()) {
      return new ValidationReport(id(), byTable(rows, sources), notes);
    }
    folder.text("notes.txt").lines().filter(line -> !line.isBlank()).forEach(notes::add);
    sources.forEach((name, source) -> notes.add(name + ": " + source));
    ValidationReport report = new ValidationReport(id(), byStack(rows), notes);
    return report.with(SuiteBasis.of(folder, report));
  }

  private static List<Table> byTable(List<TrainingRow> rows, Map<String, String> sources) {
    return sources.keySet().stream().map(name -> new Table(name, sources.getOrDefault(name, ""), "s",
        rows.stream().filter(row -> row.table().equals(name)).map(TrainingRow::row).toList(), Double.NaN)).toList();
  }

  private static List<Table> byStack(List<TrainingRow> rows) {
    List<Table> tables = new ArrayList<>();
    tables.add(new Table(
        "All measured iterations, by stack",
        "one row for each stack: the mean of measured and of estimated seconds over"
            + " measured, 1 as measured",
        "ratio", stacks(rows), Double.NaN));
    for (TrainingStack stack : TrainingStack.values()) {
      List<TrainingRow> own = rows.stream().filter(row -> row.stack() == stack).toList();
      if (!own.isEmpty()) {
        tables.add(new Table(stack.title(), line(own), "s", own.stream().map(TrainingSuite::titled).toList(),
            stack.boundPct()));
      }
    }
    return tables;
  }

  private static List<Row> stacks(List<TrainingRow> rows) {
    List<Row> means = new ArrayList<>();
    for (TrainingStack stack : TrainingStack.values()) {
      List<TrainingRow> own = rows.stream().filter(row -> row.stack() == stack).toList();
      if (!own.isEmpty()) {
        means.add(new Row(stack.title(), OptionalLong.empty(), 1, 1 + TrainingRow.biasPct(own) / 100));
      }
    }
    return means;
  }

  private static Row titled(TrainingRow row) {
    return new Row(row.table() + ": " + row.row().label(), OptionalLong.empty(), row.row().reference(),
        row.row().model());
  }

  private static List<String> summary(List<TrainingRow> rows) {
    List<String> notes = new ArrayList<>();
    List<TrainingRow> measured = rows.stream().filter(row -> row.stack().measured()).toList();
    if (!measured.isEmpty()) {
      notes.add(String.format(Locale.ROOT, "All measured iterations: %s (bound of the mean %.0f %%%s).", line(measured),
          MEAN_BOUND, TrainingRow.meanErrorPct(measured) > MEAN_BOUND ? ", missed" : ""));
    }
    for (TrainingStack stack : TrainingStack.values()) {
      List<TrainingRow> own = rows.stream().filter(row -> row.stack() == stack).toList();
      if (!own.isEmpty()) {
        notes.add(stack.title() + ": " + line(own) + ".");
      }
    }
    return notes;
  }

  private static String line(List<TrainingRow> rows) {
    double naive = TrainingRow.constantShareErrorPct(rows);
    double mean = TrainingRow.meanErrorPct(rows);
    return String.format(Locale.ROOT, "%d rows, mean error %.2f %%, bias %+.2f %%", rows.size(), mean,
        TrainingRow.biasPct(rows))
        + (Double.isNaN(naive) ? "" : String.format(
            Locale.ROOT, "; one constant share of peak per accelerator %.2f %%, %.1f times as much", naive,
            naive / mean));
  }

  /** The rows of one table with their estimates; a refused row is reported and skipped. */
  private static final class Comparison {
    private final ScenarioReader reader;
    private final TrainingTable table;
    private final List<String> refused;
    private final CollectiveAlgorithm collectives;
    private final Map<String, Fabric> fabrics = new LinkedHashMap<>();
    private final Map<List<Object>, Estimate> known = new LinkedHashMap<>();

    Comparison(ScenarioReader reader, TrainingTable table, List<String> refused) {
      this.reader = reader;
      this.table = table;
      this.refused = refused;
      collectives = (CollectiveAlgorithm) reader.block(
          PluginKind.COLLECTIVE_ALGORITHM, table.csv().file(), table.header("collectives"));
    }

    List<TrainingRow> rows() {
      List<TrainingRow> rows = new ArrayList<>();
      for (Map<String, String> row : table.rows()) {
        String label = table.filled("label", row);
        table.filled("training", row);
        try {
          rows.add(row(label, row));
        } catch (InvalidSettingException | ScenarioException e) {
          refused.add(table.place(row) + " (" + label + "): " + e.getMessage());
        }
      }
      return rows;
    }

    private TrainingRow row(String label, Map<String, String> row) {
      Estimate estimate = estimate("training", row);
      boolean layer = !table.header("minus").isEmpty() || !table.header("activities").isEmpty();
      double seconds = seconds(estimate)
          - (table.header("minus").isEmpty() ? 0 : seconds(estimate("minus", row)));
      Iteration iteration = estimate.iteration();
      TrainingStack stack = layer ? TrainingStack.LAYERS
          : table.header("composed").equals("true") ? TrainingStack.COMPOSED
          : table.header("check").equals("true") ? TrainingStack.CHECKS : TrainingStack.of(iteration);
      double peak = iteration.accelerator().peak(Precision.BF16).or(() -> iteration.accelerator().peak(Precision.FP16))
          .orElseThrow().flopPerSecond();
      return new TrainingRow(
          table.header("name"), stack, new Row(label, OptionalLong.empty(), table.seconds(row), seconds),
          iteration.accelerator().name(), layer ? Double.NaN : iteration.flopsPerSecond(1) / peak);
    }

    private Estimate estimate(String key, Map<String, String> row) {
      String cluster = table.filled("cluster", row);
      String place = table.place(row);
      Fabric fabric = fabrics.computeIfAbsent(cluster, text -> cluster(place, text));
      Training training = reader.record(Training.class, place, table.filled(key, row));
      return known.computeIfAbsent(List.of(cluster, training), each -> {
        Iteration iteration = new Iteration(training, fabric);
        return RepresentativeRanks.of(iteration, new ProfiledCommTimes(iteration, fabric, collectives));
      });
    }

    private double seconds(Estimate estimate) {
      String counted = table.header("activities");
      if (counted.isEmpty()) {
        return estimate.seconds();
      }
      List<String> ids = Arrays.stream(Activity.values()).map(Activity::id).toList();
      double seconds = 0;
      for (String id : counted.split(" ")) {
        seconds += estimate.seconds(Activity.values()[ids.indexOf(id)]);
      }
      return seconds;
    }

    private Fabric cluster(String place, String text) {
      return reader
          .parse(place, "{name: machine, cluster: " + text + ", workload: {type: collective, size: 1 B}}", Map.of())
          .points().get(0).scenario().fabric();
    }
  }
}
