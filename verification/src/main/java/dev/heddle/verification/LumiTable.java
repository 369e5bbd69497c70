package dev.heddle.verification;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Times or rates of collectives, messages among them: a CSV file below lines {@code # key: value}, of which {@code name},
 * {@code source}, {@code cluster} and {@code unit} must be there, and {@code bound} may.
 *
 * @param header its lines
 * @param rows as in the file
 */
record LumiTable(Map<String, String> header, List<Row> rows) {
  private static final List<String> COLUMNS = List.of("label", "op", "groups", "bytes", "measured");
  private static final List<String> KEYS = List.of("name", "source", "cluster", "unit");
  private static final List<String> UNITS = List.of("us", "GB/s");

  LumiTable {
    header = ImmutableMap.copyOf(header);
    rows = ImmutableList.copyOf(rows);
  }

  /**
   * A row.
   *
   * @param label for people
   * @param op what is done
   * @param groups of accelerators that do it side by side, by number
   * @param bytes of the largest buffer of any rank
   * @param measured in the table's unit
   */
  record Row(String label, CollectiveOp op, List<List<Integer>> groups, long bytes, double measured) {}

  /** The value of a key; empty without. */
  String header(String key) {
    return header.getOrDefault(key, "");
  }

  /** A bound in percent; NaN where none is claimed. */
  double bound() {
    return header.containsKey("bound") ? Double.parseDouble(header("bound")) : Double.NaN;
  }

  /**
   * Reads a file.
   *
   * @param name of the file, for messages
   * @throws InvalidSettingException naming file and line of what is malformed
   */
  static LumiTable read(String name, String text) {
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
    require(UNITS.contains(header.get("unit")), name, "unit '" + header.get("unit") + "' is none of " + UNITS);
    if (header.containsKey("bound")) {
      number(name, "bound", header.get("bound"));
    }
    require(!rows.isEmpty(), name, "no rows");
    return new LumiTable(header, rows);
  }

  private static Row row(String place, String[] cells) {
    require(cells.length == COLUMNS.size(), place, cells.length + " cells, but " + COLUMNS.size() + " columns");
    CollectiveOp op = Arrays.stream(CollectiveOp.values()).filter(each -> each.key().equals(cells[1].strip())).findFirst()
        .orElseThrow(() -> new InvalidSettingException("", place + ": op '" + cells[1] + "' is not known"));
    List<List<Integer>> groups = new ArrayList<>();
    for (String group : cells[2].split("\\|")) {
      groups.add(Arrays.stream(group.strip().split(" +")).map(member -> whole(place, "a member", member)).toList());
    }
    return new Row(
        cells[0], op, groups, (long) number(place, "bytes", cells[3]), number(place, "measured", cells[4]));
  }

  private static int whole(String place, String what, String text) {
    require(text.matches("\\d{1,6}"), place, what + " is '" + text + "'; it must be a whole number of at least 0");
    return Integer.parseInt(text);
  }

  private static double number(String place, String what, String text) {
    double value;
    try {
      value = Double.parseDouble(text.strip());
    } catch (NumberFormatException e) {
      value = Double.NaN;
    }
    require(value > 0 && value < Double.POSITIVE_INFINITY, place, what + " is '" + text + "'; it must be a positive number");
    return value;
  }

  private static void require(boolean holds, String place, String message) {
    if (!holds) {
      throw new InvalidSettingException("", place + ": " + message);
    }
  }
}
