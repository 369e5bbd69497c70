package dev.heddle.verification;

import com.google.common.collect.ImmutableList;
import dev.heddle.workload.megatron.program.Activity;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measured iterations: a CSV file below lines {@code # key: value}. The keys {@code cluster}, {@code training} and
 * {@code collectives} hold one line of a scenario each, with {@code ${column}} in place of a row's cell, where a
 * semicolon stands for a comma; the column that {@code measured} names holds seconds. With {@code activities}, only
 * the time of these counts; with {@code minus}, the time of another job is subtracted, so that the time of a layer is
 * that of a job with one more layer.
 * {@code composed: true} marks times that a predictor composed, which were not measured, {@code check: true} measured
 * rows that the suite shows apart, as they set nothing. {@code ${nodes}} follows from {@code ranks-per-node}.
 */
record TrainingTable(CsvTable csv, List<Map<String, String>> rows) {
  private static final String PLACE = "line";
  private static final List<String> KEYS =
      List.of("name", "source", "cluster", "training", "collectives", "measured", "label", "ranks", "ranks-per-node");

  TrainingTable {
    rows = ImmutableList.copyOf(rows);
  }

  /**
   * Reads a file.
   *
   * @param file its name, for messages
   * @throws dev.heddle.spi.InvalidSettingException naming file and line of what is malformed
   */
  static TrainingTable read(String file, String text) {
    CsvTable csv = CsvTable.read(file, text).requireKeys(KEYS).requireCells();
    CsvTable.require(
        csv.columns().contains(csv.header("measured")), file, "there is no column '" + csv.header("measured") + "'");
    TrainingTable table = new TrainingTable(csv, csv.lines().stream().map(line -> row(csv.columns(), line)).toList());
    table.rows().forEach(table::seconds);
    List<String> ids = Arrays.stream(Activity.values()).map(Activity::id).toList();
    for (String id : csv.header("activities").isEmpty() ? new String[0] : csv.header("activities").split(" ")) {
      CsvTable.require(ids.contains(id), file, "activities holds '" + id + "', which is none of " + ids);
    }
    return table;
  }

  private static Map<String, String> row(List<String> columns, CsvTable.Line line) {
    Map<String, String> row = new LinkedHashMap<>();
    for (int i = 0; i < columns.size(); i++) {
      row.put(columns.get(i), line.cell(i));
    }
    row.put(PLACE, line.place());
    return row;
  }

  /** The position of a row, for messages. */
  String place(Map<String, String> row) {
    return row.getOrDefault(PLACE, csv.file());
  }

  /** A header's text with a row's cells filled in. */
  String filled(String key, Map<String, String> row) {
    String text = fill(header(key), row);
    if (text.contains("${nodes}")) {
      int ranks = (int) CsvTable.number(place(row), "ranks", fill(header("ranks"), row));
      int each = (int) CsvTable.number(place(row), "ranks-per-node", header("ranks-per-node"));
      text = text.replace("${nodes}", Integer.toString((ranks + each - 1) / each));
    }
    CsvTable.require(!text.contains("${"), place(row), "a placeholder of '" + text + "' names no column");
    return text;
  }

  private static String fill(String text, Map<String, String> row) {
    String filled = text;
    for (Map.Entry<String, String> cell : row.entrySet()) {
      filled = filled.replace("${" + cell.getKey() + "}", cell.getValue().replace(';', ','));
    }
    return filled;
  }

  /** The measured time of a row, seconds. */
  double seconds(Map<String, String> row) {
    return CsvTable.number(place(row), header("measured"), row.getOrDefault(header("measured"), ""));
  }

  /** The value of a key; empty if absent. */
  String header(String key) {
    return csv.header(key);
  }
}
