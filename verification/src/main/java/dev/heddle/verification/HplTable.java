package dev.heddle.verification;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Rates of HPL: a CSV file below lines {@code # key: value}, of which {@code name}, {@code source}, {@code model} and
 * {@code unit} must be there, and bounds may.
 *
 * @param header its lines
 * @param rows as in the file
 */
record HplTable(Map<String, String> header, List<Row> rows) {
  private static final List<String> COLUMNS =
      List.of("label", "preset", "nodes", "devices_per_node", "n", "published", "measured");
  private static final List<String> KEYS = List.of("name", "source", "model", "unit");
  private static final Map<String, Double> UNITS = ImmutableMap.of("Gflop/s", 1e9, "Tflop/s", 1e12, "Pflop/s", 1e15);
  private static final List<String> MODELS = List.of("original", "single", "layered");

  HplTable {
    header = ImmutableMap.copyOf(header);
    rows = ImmutableList.copyOf(rows);
  }

  /**
   * A row.
   *
   * @param label for people
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

  /** How many operations per second the table's unit is. */
  double unit() {
    return unit(header("unit"));
  }

  /** How many operations per second a unit is; NaN where it is none. */
  static double unit(String name) {
    return UNITS.getOrDefault(name, Double.NaN);
  }

  /** The value of a key; empty without. */
  String header(String key) {
    return header.getOrDefault(key, "");
  }

  /** A bound in percent; NaN where none is claimed. */
  double bound(String key) {
    return header.containsKey(key) ? Double.parseDouble(header(key)) : Double.NaN;
  }

  /**
   * Reads a file.
   *
   * @param name of the file, for messages
   * @throws InvalidSettingException naming file and line of what is malformed
   */
  static HplTable read(String name, String text) {
    Map<String, String> header = new LinkedHashMap<>();
    List<Row> rows = new ArrayList<>();
    boolean titled = false;
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String place = name + ":" + number;
      if (line.startsWith("#")) {
        readHeader(place, line, header);
      } else if (!line.isBlank() && !titled) {
        require(Arrays.asList(line.strip().split(",")).equals(COLUMNS), place, "the columns must be " + COLUMNS);
        titled = true;
      } else if (!line.isBlank()) {
        rows.add(row(place, line.strip().split(",", -1)));
      }
    }
    KEYS.forEach(key -> require(header.containsKey(key), name, "a line '# " + key + ": ...' is missing"));
    requireUnit(name, header);
    require(MODELS.contains(header.get("model")), name, "model '" + header.get("model") + "' is none of " + MODELS);
    require(!rows.isEmpty(), name, "no rows");
    return new HplTable(header, rows);
  }

  static void readHeader(String place, String line, Map<String, String> header) {
    int colon = line.indexOf(':');
    if (colon > 0) {
      String key = line.substring(1, colon).strip();
      String value = line.substring(colon + 1).strip();
      if (key.endsWith("bound")) {
        number(place, key, value);
      }
      header.putIfAbsent(key, value);
    }
  }

  private static Row row(String place, String[] cells) {
    require(cells.length == COLUMNS.size(), place, cells.length + " cells, but " + COLUMNS.size() + " columns");
    return new Row(
        cells[0], cells[1], count(place, 2, cells), count(place, 3, cells), (long) number(place, "n", cells[4]),
        cells[5].isBlank() ? Double.NaN : number(place, "published", cells[5]),
        cells[6].isBlank() ? Double.NaN : number(place, "measured", cells[6]));
  }

  private static OptionalInt count(String place, int column, String[] cells) {
    return cells[column].isBlank()
        ? OptionalInt.empty() : OptionalInt.of((int) number(place, COLUMNS.get(column), cells[column]));
  }

  static double number(String place, String what, String text) {
    double value;
    try {
      value = Double.parseDouble(text.strip());
    } catch (NumberFormatException e) {
      value = Double.NaN;
    }
    require(value > 0 && value < Double.POSITIVE_INFINITY, place, what + " is '" + text + "'; it must be a positive number");
    return value;
  }

  static void requireUnit(String name, Map<String, String> header) {
    require(UNITS.containsKey(header.get("unit")), name, "unit '" + header.get("unit") + "' is none of " + UNITS.keySet());
  }

  static void require(boolean holds, String place, String message) {
    if (!holds) {
      throw new InvalidSettingException("", place + ": " + message);
    }
  }
}
