package dev.heddle.verification;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.units.DataSize;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Times of an all_reduce, projected and measured: a CSV file below lines {@code # key: value}, of which all of
 * {@link #KEYS} must be there.
 *
 * @param header its lines
 * @param rows as in the file
 */
record AuroraTable(Map<String, String> header, List<Row> rows) {
  /** Between nodes, the data staying on the devices. */
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
    header = ImmutableMap.copyOf(header);
    rows = ImmutableList.copyOf(rows);
  }

  /**
   * A row; figures that are not there are empty or NaN.
   *
   * @param nodes that took part
   * @param perNode ranks of each
   * @param printed the source's projection in milliseconds, with the digits that it prints; empty for none
   * @param flaw what is wrong with it, in a word; empty for nothing
   * @param efficiencyPct that the source prints
   * @param experimentMs measured
   */
  record Row(int nodes, int perNode, String printed, String flaw, double efficiencyPct, double experimentMs) {
    String label() {
      return nodes + (nodes == 1 ? " node of " : " nodes of ") + perNode + (perNode == 1 ? " rank" : " ranks");
    }
  }

  /** The value of a key. */
  String header(String key) {
    return header.getOrDefault(key, "");
  }

  /** Z. */
  DataSize size() {
    return DataSize.parse(header("size"));
  }

  /**
   * Reads a file.
   *
   * @param name of the file, for messages
   * @throws InvalidSettingException naming file and line of what is malformed
   */
  static AuroraTable read(String name, String text) {
    Map<String, String> header = new LinkedHashMap<>();
    List<Row> rows = new ArrayList<>();
    boolean titled = false;
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String place = name + ":" + number;
      if (line.startsWith("#")) {
        int colon = Math.max(1, line.indexOf(':'));
        header.putIfAbsent(line.substring(1, colon).strip(), line.substring(colon + 1).strip());
      } else if (!line.isBlank() && !titled) {
        require(Arrays.asList(line.strip().split(",")).equals(COLUMNS), place, "the columns must be " + COLUMNS);
        titled = true;
      } else if (!line.isBlank()) {
        rows.add(row(place, line.strip().split(",", -1)));
      }
    }
    KEYS.forEach(key -> require(header.containsKey(key), name, "a line '# " + key + ": ...' is missing"));
    require(PATHS.contains(header.get("path")), name, "path '" + header.get("path") + "' is none of " + PATHS);
    requireSize(name, header.getOrDefault("size", ""));
    require(!rows.isEmpty(), name, "no rows");
    return new AuroraTable(header, rows);
  }

  private static void requireSize(String name, String text) {
    try {
      require(DataSize.parse(text).bytes() > 0, name, "size is 0 B; it must be at least 1 B");
    } catch (IllegalArgumentException e) {
      require(false, name, String.valueOf(e.getMessage()));
    }
  }

  private static Row row(String place, String[] cells) {
    require(cells.length == COLUMNS.size(), place, cells.length + " cells, but " + COLUMNS.size() + " columns");
    number(place, 2, cells);
    return new Row(
        count(place, 0, cells), count(place, 1, cells), cells[2].strip(), cells[3].strip(), number(place, 4, cells),
        number(place, 5, cells));
  }

  private static int count(String place, int column, String[] cells) {
    double value = number(place, column, cells);
    require(value == Math.rint(value), place, COLUMNS.get(column) + " is '" + cells[column] + "'; it must be a whole number");
    return (int) value;
  }

  private static double number(String place, int column, String[] cells) {
    String text = cells[column].strip();
    if (text.isEmpty() && column > 1) {
      return Double.NaN;
    }
    double value;
    try {
      value = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      value = Double.NaN;
    }
    require(value > 0 && value < Double.POSITIVE_INFINITY, place,
        COLUMNS.get(column) + " is '" + text + "'; it must be a positive number");
    return value;
  }

  private static void require(boolean holds, String place, String message) {
    if (!holds) {
      throw new InvalidSettingException("", place + ": " + message);
    }
  }
}
