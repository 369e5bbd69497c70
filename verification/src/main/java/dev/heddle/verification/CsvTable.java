package dev.heddle.verification;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.text.DecimalText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A CSV file below lines {@code # key: value}. Malformed entries are refused with file and line.
 *
 * @param file its name, for messages
 * @param header the first value of each key
 * @param titlePlace file and line of the columns' names
 * @param columns their names; none where the file has no line but its header
 * @param lines below them
 */
record CsvTable(String file, Map<String, String> header, String titlePlace, List<String> columns, List<Line> lines) {
  private static final double LEAST = 1e-15;
  private static final double MOST = 1e24;

  CsvTable {
    header = ImmutableMap.copyOf(header);
    columns = ImmutableList.copyOf(columns);
    lines = ImmutableList.copyOf(lines);
  }

  /**
   * A line.
   *
   * @param place file and number of the line, for messages
   * @param cells without the blanks around them
   */
  record Line(String place, List<String> cells) {
    Line {
      cells = ImmutableList.copyOf(cells);
    }

    /** A cell; empty beyond the last one. */
    String cell(int column) {
      return column < cells.size() ? cells.get(column) : "";
    }
  }

  /**
   * Reads a file.
   *
   * @throws InvalidSettingException when a key that ends with {@code bound} has no positive number
   */
  static CsvTable read(String file, String text) {
    Map<String, String> header = new LinkedHashMap<>();
    List<String> columns = List.of();
    String titlePlace = file;
    List<Line> lines = new ArrayList<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String place = file + ":" + number;
      if (line.startsWith("#")) {
        readHeader(place, line, header);
      } else if (!line.isBlank() && columns.isEmpty()) {
        columns = cells(line);
        titlePlace = place;
      } else if (!line.isBlank()) {
        lines.add(new Line(place, cells(line)));
      }
    }
    return new CsvTable(file, header, titlePlace, columns, lines);
  }

  private static void readHeader(String place, String line, Map<String, String> header) {
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

  private static List<String> cells(String line) {
    return Arrays.stream(line.split(",", -1)).map(String::strip).toList();
  }

  /** The table, refused unless it has these columns and every line has one cell for each. */
  CsvTable requireColumns(List<String> wanted) {
    require(columns.equals(wanted), titlePlace, "the columns must be " + wanted);
    return requireCells();
  }

  /** The table, refused unless it has lines, each with one cell for each column. */
  CsvTable requireCells() {
    for (Line line : lines) {
      require(line.cells().size() == columns.size(), line.place(),
          line.cells().size() + " cells, but " + columns.size() + " columns");
    }
    require(!lines.isEmpty(), file, "no rows");
    return this;
  }

  /** The table, refused unless its header has these keys. */
  CsvTable requireKeys(List<String> keys) {
    keys.forEach(key -> require(header.containsKey(key), file, "a line '# " + key + ": ...' is missing"));
    return this;
  }

  /** The table, refused unless a key has one of these values. */
  CsvTable requireOneOf(String key, List<String> allowed) {
    require(allowed.contains(header(key)), file, key + " '" + header(key) + "' is none of " + allowed);
    return this;
  }

  /** The value of a key; empty if absent. */
  String header(String key) {
    return header.getOrDefault(key, "");
  }

  /** A bound in percent; NaN if none is claimed. */
  double bound(String key) {
    return header.containsKey(key) ? Double.parseDouble(header(key)) : Double.NaN;
  }

  /** The number of a text; refused unless it is positive and of a plausible size. */
  static double number(String place, String what, String text) {
    double value = DecimalText.unsigned(text.strip());
    require(value > 0 && value < Double.POSITIVE_INFINITY, place,
        what + " is '" + text + "'; it must be a positive number");
    require(value >= LEAST && value <= MOST, place,
        what + " is '" + text + "'; it must be from " + LEAST + " to " + MOST);
    return value;
  }

  /** Refuses an entry that violates a condition, with its position. */
  static void require(boolean holds, String place, String message) {
    if (!holds) {
      throw new InvalidSettingException("", place + ": " + message);
    }
  }
}
