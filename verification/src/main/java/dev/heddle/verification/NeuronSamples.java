package dev.heddle.verification;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.sim.Fidelity;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** Comparison of nccom-test's sample tables with runs on the machine of each. */
final class NeuronSamples {
  private static final List<String> KEYS = List.of("source", "cluster", "fidelity", "gpus", "collective");

  private NeuronSamples() {}

  /**
   * Compares one table; its header names the cluster, the fidelity, the number of ranks, the operation, and, where the
   * algorithm is not known, the algorithms that are shown in addition to the chosen one.
   */
  static List<Table> compare(TrainiumRuns runs, String file, String text) {
    CsvTable csv = CsvTable.read(file, text).requireKeys(KEYS);
    List<Table> tables = new ArrayList<>();
    tables.add(compare(runs, csv, Optional.empty()));
    if (csv.header().containsKey("beside")) {
      tables.add(compare(runs, csv, Optional.of(csv.header("beside"))));
    }
    return tables;
  }

  private static Table compare(TrainiumRuns runs, CsvTable csv, Optional<String> algorithm) {
    String collectives = algorithm.map(name -> "{type: neuron, algorithm: " + name + "}").orElse("{type: neuron}");
    CollectiveOp op = CollectiveOp.valueOf(csv.header("collective").toUpperCase(Locale.ROOT));
    int ranks = Integer.parseInt(csv.header("gpus"));
    Fidelity fidelity = Fidelity.valueOf(csv.header("fidelity").toUpperCase(Locale.ROOT));
    List<Row> rows = new ArrayList<>();
    for (CsvTable.Line line : csv.lines()) {
      long bytes = Long.parseLong(line.cell(0));
      double model =
          TrainiumRuns.time(runs.run(csv.header("cluster"), ranks, collectives, op, bytes, fidelity), op);
      rows.add(new Row(TrainiumRuns.label(bytes), OptionalLong.of(bytes), Double.parseDouble(line.cell(1)), model));
    }
    String name = "Sample of nccom-test beside " + csv.header("cluster") + algorithm.map(by -> " by " + by).orElse("")
        + ": " + csv.file().replace(".csv", "");
    return new Table(name, csv.header("source"), "us", rows, Double.NaN);
  }
}
