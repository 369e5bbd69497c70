package dev.heddle.verification;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.spi.InvalidSettingException;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Rates of HPL: a CSV file below lines {@code # key: value}. The keys {@code name}, {@code source}, {@code model} and
 * {@code unit} are required, bounds are optional.
 */
record HplTable(CsvTable csv, List<Row> rows) {
  private static final List<String> COLUMNS =
      List.of("label", "preset", "nodes", "devices_per_node", "n", "published", "measured");
  private static final List<String> KEYS = List.of("name", "source", "model", "unit");
  private static final Map<String, Double> UNITS = ImmutableMap.of("Gflop/s", 1e9, "Tflop/s", 1e12, "Pflop/s", 1e15);
  private static final List<String> MODELS = List.of("original", "single", "layered");

  HplTable {
    rows = ImmutableList.copyOf(rows);
  }

  /**
   * A row.
   *
   * @param label for display
   * @param preset id of the machine
   * @param nodes that took part, where they are not all of the preset's
   * @param devicesPerNode likewise
   * @param order N
   * @param published estimate of the source, in the table's unit; NaN for none
   * @param measured rate, in the table's unit; NaN for none
   */
  record Row(
      String label, String preset, OptionalInt nodes, OptionalInt devicesPerNode, long order, double published,
      double measured) {}

  /** The rate of one of the table's units, operations per second. */
  double unit() {
    return unit(header("unit"));
  }

  /** The rate of a unit, operations per second; NaN if it is none. */
  static double unit(String name) {
    return UNITS.getOrDefault(name, Double.NaN);
  }

  /** The value of a key; empty if absent. */
  String header(String key) {
    return csv.header(key);
  }

  /** A bound in percent; NaN if none is claimed. */
  double bound(String key) {
    return csv.bound(key);
  }

  /**
   * Reads a file.
   *
   * @param name of the file, for messages
   * @throws InvalidSettingException naming file and line of a malformed entry
   */
  static HplTable read(String name, String text) {
    CsvTable csv = requireUnit(CsvTable.read(name, text).requireKeys(KEYS)).requireOneOf("model", MODELS)
        .requireColumns(COLUMNS);
    return new HplTable(csv, csv.lines().stream().map(HplTable::row).toList());
  }

  private static Row row(CsvTable.Line line) {
    return new Row(
        line.cell(0), line.cell(1), count(line, 2), count(line, 3), (long) number(line, 4), figure(line, 5),
        figure(line, 6));
  }

  private static OptionalInt count(CsvTable.Line line, int column) {
    return line.cell(column).isEmpty() ? OptionalInt.empty() : OptionalInt.of((int) number(line, column));
  }

  private static double figure(CsvTable.Line line, int column) {
    return line.cell(column).isEmpty() ? Double.NaN : number(line, column);
  }

  private static double number(CsvTable.Line line, int column) {
    return CsvTable.number(line.place(), COLUMNS.get(column), line.cell(column));
  }

  /** A table of rates, refused unless its unit is one of operations per second. */
  static CsvTable requireUnit(CsvTable csv) {
    return csv.requireOneOf("unit", List.copyOf(UNITS.keySet()));
  }
}
