package dev.heddle.verification;

import com.google.common.collect.ImmutableList;
import dev.heddle.units.DataSize;
import java.util.List;

/**
 * Times of an all_reduce, projected and measured: a CSV file below lines {@code # key: value}, with all of {@link
 * #KEYS}.
 *
 * @param csv the file's contents
 * @param rows of it
 */
record AuroraTable(CsvTable csv, List<Row> rows) {
  /** Between nodes, with the data on the devices. */
  static final String BETWEEN = "between";

  /** Between nodes, with copies to the host and back. */
  static final String BETWEEN_WITH_COPIES = "between with copies";

  /** Within one node. */
  static final String WITHIN = "within";

  private static final List<String> COLUMNS =
      List.of("nodes", "ranks_per_node", "printed_ms", "flaw", "efficiency_pct", "experiment_ms");
  private static final List<String> KEYS = List.of("name", "source", "size", "path", "rates");
  private static final List<String> PATHS = List.of(BETWEEN, BETWEEN_WITH_COPIES, WITHIN);

  AuroraTable {
    rows = ImmutableList.copyOf(rows);
  }

  /** A row; absent figures are empty or NaN. */
  record Row(int nodes, int perNode, String printed, String flaw, double efficiencyPct, double experimentMs) {
    String label() {
      return nodes + (nodes == 1 ? " node of " : " nodes of ") + perNode + (perNode == 1 ? " rank" : " ranks");
    }
  }

  /** The value of a key. */
  String header(String key) {
    return csv.header(key);
  }

  /** The size Z of the data. */
  DataSize size() {
    return DataSize.parse(header("size"));
  }

  /**
   * Reads a file.
   *
   * @param name of the file, for messages
   * @throws dev.heddle.spi.InvalidSettingException naming file and line of a malformed entry
   */
  static AuroraTable read(String name, String text) {
    CsvTable csv = CsvTable.read(name, text).requireKeys(KEYS).requireOneOf("path", PATHS).requireColumns(COLUMNS);
    requireSize(name, csv.header("size"));
    return new AuroraTable(csv, csv.lines().stream().map(AuroraTable::row).toList());
  }

  private static void requireSize(String name, String text) {
    try {
      CsvTable.require(DataSize.parse(text).bytes() > 0, name, "size is 0 B; it must be at least 1 B");
    } catch (IllegalArgumentException e) {
      CsvTable.require(false, name, String.valueOf(e.getMessage()));
    }
  }

  private static Row row(CsvTable.Line line) {
    figure(line, 2);
    return new Row(
        count(line, 0), count(line, 1), line.cell(2).strip(), line.cell(3), figure(line, 4), figure(line, 5));
  }

  private static int count(CsvTable.Line line, int column) {
    double value = number(line, column);
    CsvTable.require(value == Math.rint(value), line.place(),
        COLUMNS.get(column) + " is '" + line.cell(column) + "'; it must be a whole number");
    return (int) value;
  }

  private static double figure(CsvTable.Line line, int column) {
    return line.cell(column).isEmpty() ? Double.NaN : number(line, column);
  }

  private static double number(CsvTable.Line line, int column) {
    return CsvTable.number(line.place(), COLUMNS.get(column), line.cell(column));
  }
}
