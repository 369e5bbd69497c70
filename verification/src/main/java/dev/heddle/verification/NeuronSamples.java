package dev.heddle.verification;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/** Sample tables of nccom-test beside runs on the machine that each is set beside. */
final class NeuronSamples {
  private NeuronSamples() {}

  /** Compares one table; its header says on which cluster, by how many ranks, and what its rows were done by. */
  static Table compare(TrainiumRuns runs, String file, String text) {
    Map<String, String> header = new LinkedHashMap<>();
    List<Row> rows = new ArrayList<>();
    for (String line : text.lines().toList()) {
      if (line.startsWith("#")) {
        int colon = line.indexOf(':');
        if (colon > 0) {
          header.put(line.substring(1, colon).strip(), line.substring(colon + 1).strip());
        }
      } else if (!line.isBlank() && Character.isDigit(line.charAt(0))) {
        String[] cells = line.split(",", -1);
        long bytes = Long.parseLong(cells[0]);
        CollectiveOp op = CollectiveOp.valueOf(field(header, "collective").toUpperCase(Locale.ROOT));
        double model = runs.us(field(header, "cluster"), Integer.parseInt(field(header, "gpus")), "{type: neuron}", op, bytes);
        rows.add(new Row(TrainiumRuns.label(bytes), OptionalLong.of(bytes), Double.parseDouble(cells[1]), model));
      }
    }
    String name = "Sample of nccom-test beside " + field(header, "cluster") + ": " + file.replace(".csv", "");
    return new Table(name, field(header, "source"), "us", rows, Double.NaN);
  }

  private static String field(Map<String, String> header, String name) {
    String value = header.get(name);
    if (value == null) {
      throw new IllegalStateException("a sample table lacks '# " + name + ":' in its header");
    }
    return value;
  }
}
