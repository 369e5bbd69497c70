package dev.heddle.verification;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.sim.Fidelity;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** Sample tables of nccom-test beside runs on the machine that each is set beside. */
final class NeuronSamples {
  private static final List<String> KEYS = List.of("source", "cluster", "fidelity", "gpus", "collective");

  private NeuronSamples() {}

  /** Compares one table; its header says on which cluster, at which fidelity, by how many ranks, and what its rows were done
   * by. */
  static Table compare(TrainiumRuns runs, String file, String text) {
    CsvTable csv = CsvTable.read(file, text).requireKeys(KEYS);
    CollectiveOp op = CollectiveOp.valueOf(csv.header("collective").toUpperCase(Locale.ROOT));
    int ranks = Integer.parseInt(csv.header("gpus"));
    Fidelity fidelity = Fidelity.valueOf(csv.header("fidelity").toUpperCase(Locale.ROOT));
    List<Row> rows = new ArrayList<>();
    for (CsvTable.Line line : csv.lines()) {
      long bytes = Long.parseLong(line.cell(0));
      double model = runs.us(csv.header("cluster"), ranks, op, bytes, fidelity);
      rows.add(new Row(TrainiumRuns.label(bytes), OptionalLong.of(bytes), Double.parseDouble(line.cell(1)), model));
    }
    String name = "Sample of nccom-test beside " + csv.header("cluster") + ": " + file.replace(".csv", "");
    return new Table(name, csv.header("source"), "us", rows, Double.NaN);
  }
}
