package dev.heddle.kernel;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A table of cells with commas between them, a first line that names columns, and lines of comments that begin with
 * {@code #}. Cells are not quoted.
 *
 * @param name of the file, for messages
 * @param comments lines of comments without their mark
 * @param columns where each column is
 * @param rows cells
 */
public record CsvRows(String name, List<String> comments, Map<String, Integer> columns, List<Row> rows) {
  private static final int LONGEST_LINE = 4096;
  private static final String BYTE_ORDER_MARK = "\uFEFF";

  /** Copies all. */
  public CsvRows {
    comments = ImmutableList.copyOf(comments);
    columns = ImmutableMap.copyOf(columns);
    rows = ImmutableList.copyOf(rows);
  }

  /**
   * A row and where it stands.
   *
   * @param file its name, for messages
   * @param line number of the line
   * @param columns where each column is
   * @param cells text of each
   */
  public record Row(String file, int line, Map<String, Integer> columns, String[] cells) {
    /** The place of the row, for messages. */
    public String place() {
      return file + ":" + line;
    }

    /** The cell of a column, empty where there is no such column. */
    public String cell(String column) {
      Integer index = columns.get(column);
      return index == null ? "" : cells[index];
    }

    /**
     * A positive number.
     *
     * @throws InvalidSettingException when it is none
     */
    public double positive(String column) {
      double value = number(column);
      if (!(value > 0)) {
        throw failure(column, "a positive number");
      }
      return value;
    }

    /**
     * A number that is not negative, 0 where the cell is empty.
     *
     * @throws InvalidSettingException when it is none
     */
    public double number(String column) {
      String text = cell(column);
      if (text.isEmpty()) {
        return 0;
      }
      try {
        double value = Double.parseDouble(text);
        if (value >= 0 && value < 1e18) {
          return value;
        }
      } catch (NumberFormatException e) {
        throw failure(column, "a number");
      }
      throw failure(column, "a number from 0 to 1e18");
    }

    /**
     * A whole number of a size.
     *
     * @throws InvalidSettingException when it is none
     */
    public long size(String column, long least) {
      try {
        long value = Long.parseLong(cell(column));
        if (value >= least && value <= 1L << 50) {
          return value;
        }
      } catch (NumberFormatException e) {
        throw failure(column, "a whole number of at least " + least);
      }
      throw failure(column, "a whole number of at least " + least);
    }

    /** The fault of a cell. */
    public InvalidSettingException failure(String column, String allowed) {
      return new InvalidSettingException(
          "", place() + ": " + column + " is '" + shown(cell(column)) + "'; it must be " + allowed);
    }
  }

  /** A text as messages show it: at most 40 characters, none that moves a terminal's cursor. */
  public static String shown(String text) {
    String printable = text.codePoints().map(c -> c < ' ' || c == 0x7f ? '?' : c).limit(40)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
    return printable.length() < text.length() ? printable + "..." : printable;
  }

  /**
   * Reads a text.
   *
   * @param name of the file, for messages
   * @throws InvalidSettingException naming the malformed line
   */
  public static CsvRows parse(String name, String text) {
    List<String> comments = new ArrayList<>();
    Map<String, Integer> columns = Map.of();
    List<Row> rows = new ArrayList<>();
    int number = 0;
    for (int from = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0, end; from < text.length(); from = end + 1) {
      end = endOfLine(text, from);
      String line = text.substring(from, end > from && text.charAt(end - 1) == '\r' ? end - 1 : end);
      number++;
      if (line.length() > LONGEST_LINE) {
        throw new InvalidSettingException("", name + ":" + number + ": a line of " + line.length() + " characters");
      }
      if (line.startsWith("#")) {
        comments.add(line.substring(1).strip());
      } else if (!line.isBlank()) {
        String[] cells = line.split(",", -1);
        for (int i = 0; i < cells.length; i++) {
          cells[i] = cells[i].strip();
        }
        if (columns.isEmpty()) {
          columns = named(name + ":" + number, cells);
        } else if (cells.length != columns.size()) {
          throw new InvalidSettingException("",
              name + ":" + number + ": " + cells.length + " cells, but " + columns.size() + " columns");
        } else {
          rows.add(new Row(name, number, columns, cells));
        }
      }
    }
    return new CsvRows(name, comments, columns, rows);
  }

  private static int endOfLine(String text, int from) {
    int end = text.indexOf('\n', from);
    return end < 0 ? text.length() : end;
  }

  private static Map<String, Integer> named(String place, String[] cells) {
    ImmutableMap.Builder<String, Integer> columns = ImmutableMap.builder();
    for (int i = 0; i < cells.length; i++) {
      columns.put(cells[i], i);
    }
    try {
      return columns.buildOrThrow();
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException("", place + ": two columns have the same name");
    }
  }

  /** The words behind a comment's key, such as {@code source: }, empty where there is none. */
  public String comment(String key) {
    return comments.stream().filter(line -> line.startsWith(key + ":"))
        .map(line -> line.substring(key.length() + 1).strip()).findFirst().orElse("");
  }

  /**
   * Holds that there are columns.
   *
   * @throws InvalidSettingException naming those that are missing
   */
  public CsvRows require(List<String> wanted) {
    for (String column : wanted) {
      if (!columns.containsKey(column)) {
        throw new InvalidSettingException("", name + ": there is no column '" + column + "'; it must have "
            + String.join(",", wanted));
      }
    }
    return this;
  }
}
