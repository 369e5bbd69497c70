package dev.heddle.verification;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measured iterations: a CSV file below lines {@code # key: value}. The keys {@code cluster}, {@code training} and
 * {@code collectives} hold what a scenario would, in one line, with {@code ${column}} where a row's cell belongs; the
 * column named by {@code measured} holds seconds. {@code ${nodes}} is worked out from {@code ranks-per-node}.
 *
 * @param file for messages
 * @param header its lines
 * @param rows cells by column
 */
record TrainingTable(String file, Map<String, String> header, List<Map<String, String>> rows) {
  private static final List<String> KEYS =
      List.of("name", "source", "cluster", "training", "collectives", "measured", "label", "ranks", "ranks-per-node");

  TrainingTable {
    header = ImmutableMap.copyOf(header);
    rows = ImmutableList.copyOf(rows);
  }

  /**
   * Reads a file.
   *
   * @param file its name, for messages
   * @throws InvalidSettingException naming file and line of what is malformed
   */
  static TrainingTable read(String file, String text) {
    Map<String, String> header = new LinkedHashMap<>();
    List<Map<String, String>> rows = new ArrayList<>();
    List<String> columns = List.of();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      if (line.startsWith("#")) {
        int colon = line.indexOf(':');
        if (colon > 0) {
          header.putIfAbsent(line.substring(1, colon).strip(), line.substring(colon + 1).strip());
        }
      } else if (!line.isBlank() && columns.isEmpty()) {
        columns = Arrays.asList(line.strip().split(","));
      } else if (!line.isBlank()) {
        rows.add(row(file + ":" + number, columns, line.split(",", -1)));
      }
    }
    for (String key : KEYS) {
      require(header.containsKey(key), file, "a line '# " + key + ": ...' is missing");
    }
    require(columns.contains(header.get("measured")), file, "there is no column '" + header.get("measured") + "'");
    require(!rows.isEmpty(), file, "no rows");
    TrainingTable table = new TrainingTable(file, header, rows);
    table.rows().forEach(table::seconds);
    return table;
  }

  private static Map<String, String> row(String place, List<String> columns, String[] cells) {
    require(cells.length == columns.size(), place, cells.length + " cells, but " + columns.size() + " columns");
    Map<String, String> row = new LinkedHashMap<>();
    for (int i = 0; i < cells.length; i++) {
      row.put(columns.get(i), cells[i].strip());
    }
    row.put("line", place);
    return row;
  }

  /** A header's text with a row's cells filled in. */
  String filled(String key, Map<String, String> row) {
    String text = fill(header.getOrDefault(key, ""), row);
    if (text.contains("${nodes}")) {
      int ranks = (int) number(row, fill(header("ranks"), row));
      int each = (int) number(row, header("ranks-per-node"));
      text = text.replace("${nodes}", Integer.toString((ranks + each - 1) / each));
    }
    require(!text.contains("${"), row.getOrDefault("line", file), "a placeholder of '" + text + "' names no column");
    return text;
  }

  private static String fill(String text, Map<String, String> row) {
    String filled = text;
    for (Map.Entry<String, String> cell : row.entrySet()) {
      filled = filled.replace("${" + cell.getKey() + "}", cell.getValue());
    }
    return filled;
  }

  /** What a row measured, in seconds. */
  double seconds(Map<String, String> row) {
    return number(row, row.getOrDefault(header("measured"), ""));
  }

  private double number(Map<String, String> row, String text) {
    try {
      double value = Double.parseDouble(text);
      require(value > 0 && value < Double.POSITIVE_INFINITY, row.getOrDefault("line", file), text + " must be positive");
      return value;
    } catch (NumberFormatException e) {
      throw new InvalidSettingException("", row.getOrDefault("line", file) + ": '" + text + "' is no number");
    }
  }

  /** The value of a key; empty without. */
  String header(String key) {
    return header.getOrDefault(key, "");
  }

  /** The bound on the mean absolute error in percent; NaN where none is claimed. */
  double bound() {
    return header.containsKey("bound") ? Double.parseDouble(header("bound")) : Double.NaN;
  }

  private static void require(boolean holds, String place, String message) {
    if (!holds) {
      throw new InvalidSettingException("", place + ": " + message);
    }
  }
}
