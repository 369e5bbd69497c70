package dev.heddle.verification;

import dev.heddle.fabric.Fabric;
import dev.heddle.registry.PluginKind;
import dev.heddle.registry.Registry;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.InvalidSettingException;
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
import java.util.function.ToDoubleFunction;

/** Compares iterations of the training of language models with what clusters measured. */
public final class TrainingSuite implements ValidationSuite {
  private static final double MEGATRON_BOUND = 6;

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
    List<Table> tables = new ArrayList<>();
    try (Registry registry = Registry.discover(TrainingSuite.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      for (String file : folder.names(".csv")) {
        tables.add(compare(reader, TrainingTable.read(folder.label(file), folder.text(file))));
      }
    }
    if (tables.isEmpty()) {
      throw new InvalidSettingException("", folder.label("") + " holds no table of iterations");
    }
    List<String> notes = new ArrayList<>();
    if (data.isEmpty()) {
      notes.add(String.format(
          Locale.ROOT,
          "Mean error over all %d rows: %.2f %% (bound 8 %%). Over the %d rows of Megatron-LM's tables: "
              + "%.2f %% (bound 6 %%)."
              + " Besides, each table has a bound of its own.",
          rows(tables), meanErrorPct(tables), rows(megatron(tables)), meanErrorPct(megatron(tables))));
      folder.text("notes.txt").lines().filter(line -> !line.isBlank()).forEach(notes::add);
    }
    return new ValidationReport(id(), tables, notes);
  }

  /** The tables of Megatron-LM's iterations and layers: those of the narrower bound. */
  static List<Table> megatron(List<Table> tables) {
    return tables.stream().filter(table -> table.boundPct() == MEGATRON_BOUND).toList();
  }

  /** The mean error over all rows of tables, each counting the same. */
  static double meanErrorPct(List<Table> tables) {
    return tables.stream().flatMap(table -> table.rows().stream()).mapToDouble(row -> Math.abs(row.errorPct()))
        .average()
        .orElse(Double.NaN);
  }

  private static int rows(List<Table> tables) {
    return tables.stream().mapToInt(table -> table.rows().size()).sum();
  }

  private static Table compare(ScenarioReader reader, TrainingTable table) {
    List<Row> rows = new ArrayList<>();
    Map<String, Fabric> fabrics = new LinkedHashMap<>();
    Map<List<Object>, Double> known = new LinkedHashMap<>();
    CollectiveAlgorithm collectives = (CollectiveAlgorithm) reader.block(
        PluginKind.COLLECTIVE_ALGORITHM, table.csv().file(), table.header("collectives"));
    for (Map<String, String> row : table.rows()) {
      String place = table.place(row);
      String cluster = table.filled("cluster", row);
      Fabric fabric = fabrics.computeIfAbsent(cluster, text -> cluster(reader, place, text));
      ToDoubleFunction<String> job = key -> {
        Training training = reader.record(Training.class, place, table.filled(key, row));
        return known.computeIfAbsent(
            List.of(cluster, training), each -> seconds(table, estimate(training, fabric, collectives)));
      };
      double seconds =
          job.applyAsDouble("training") - (table.header("minus").isEmpty() ? 0 : job.applyAsDouble("minus"));
      rows.add(new Row(table.filled("label", row), OptionalLong.empty(), table.seconds(row), seconds));
    }
    return new Table(table.header("name"), table.header("source"), "s", rows, table.bound());
  }

  private static Estimate estimate(Training training, Fabric fabric, CollectiveAlgorithm collectives) {
    Iteration iteration = new Iteration(training, fabric);
    return RepresentativeRanks.of(iteration, new ProfiledCommTimes(iteration, fabric, collectives));
  }

  private static double seconds(TrainingTable table, Estimate estimate) {
    String counted = table.header("activities");
    if (counted.isEmpty()) {
      return estimate.seconds();
    }
    List<String> ids = Arrays.stream(Activity.values()).map(Activity::id).toList();
    double seconds = 0;
    for (String id : counted.split(" ")) {
      CsvTable.require(ids.contains(id), table.csv().file(), "activities holds '" + id + "', which is none of " + ids);
      seconds += estimate.seconds(Activity.values()[ids.indexOf(id)]);
    }
    return seconds;
  }

  private static Fabric cluster(ScenarioReader reader, String place, String text) {
    return reader
        .parse(place, "{name: machine, cluster: " + text + ", workload: {type: collective, size: 1 B}}", Map.of())
        .points().get(0).scenario().fabric();
  }
}
