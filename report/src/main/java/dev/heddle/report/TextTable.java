package dev.heddle.report;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import java.util.ArrayList;
import java.util.List;

/**
 * A table of fixed-width text that fits a number of columns: it first shortens long labels, then leaves out the least
 * needed columns and names them.
 */
public final class TextTable {
  private static final String INDENT = "  ";
  private static final String GAP = "  ";
  private static final int LEAST_LABEL = 14;
  private static final Splitter WORDS = Splitter.on(CharMatcher.whitespace()).omitEmptyStrings();

  /**
   * A column.
   *
   * @param title its heading
   * @param number whether it is aligned to the right
   * @param rank 0 stays always; of the others the highest is left out first
   */
  public record Column(String title, boolean number, int rank) {
    /** A column of text that is never left out. */
    public static Column label(String title) {
      return new Column(title, false, 0);
    }

    /** A column of figures. */
    public static Column number(String title, int rank) {
      return new Column(title, true, rank);
    }
  }

  private final List<Column> columns;
  private final List<List<String>> rows = new ArrayList<>();

  /** Begins a table without rows. */
  public TextTable(List<Column> columns) {
    this.columns = List.copyOf(columns);
  }

  /** Adds a row, one cell per column. */
  public void row(List<String> cells) {
    if (cells.size() != columns.size()) {
      throw new IllegalArgumentException(cells.size() + " cells for " + columns.size() + " columns");
    }
    rows.add(cells.stream().map(TextTable::printable).toList());
  }

  /** The lines: a heading, then the rows; every line is at most {@code width} characters. */
  public List<String> lines(int width) {
    int[] widths = naturalWidths();
    List<Integer> shown = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      shown.add(i);
    }
    List<String> left = new ArrayList<>();
    shorten(shown, widths, width);
    while (total(shown, widths) > width) {
      int worst = leastNeeded(shown);
      if (worst < 0) {
        break;
      }
      left.add(columns.get(worst).title());
      shown.remove(Integer.valueOf(worst));
      System.arraycopy(naturalWidths(), 0, widths, 0, widths.length);
      shorten(shown, widths, width);
    }
    List<String> lines = new ArrayList<>();
    lines.add(line(columns.stream().map(Column::title).toList(), shown, widths, width));
    for (List<String> row : rows) {
      lines.add(line(row, shown, widths, width));
    }
    if (!left.isEmpty()) {
      lines.addAll(wrap("(too narrow for: " + String.join(", ", left) + ")", width));
    }
    return lines;
  }

  /** Breaks a text at spaces into indented lines of at most {@code width} characters. */
  static List<String> wrap(String text, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder(INDENT);
    for (String word : WORDS.split(printable(text))) {
      if (line.length() > INDENT.length() && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line.setLength(INDENT.length());
      }
      line.append(line.length() > INDENT.length() ? " " : "").append(word);
    }
    lines.add(line.toString());
    return lines;
  }

  /** Replaces control characters, so that no name can steer a terminal. */
  static String printable(String text) {
    return text.replaceAll("\\p{Cntrl}", "?");
  }

  private int[] naturalWidths() {
    int[] widths = new int[columns.size()];
    for (int i = 0; i < widths.length; i++) {
      widths[i] = columns.get(i).title().length();
      for (List<String> row : rows) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return widths;
  }

  private void shorten(List<Integer> shown, int[] widths, int width) {
    int excess = total(shown, widths) - width;
    for (int column : shown) {
      if (excess > 0 && !columns.get(column).number()) {
        int cut = Math.min(excess, Math.max(0, widths[column] - LEAST_LABEL));
        widths[column] -= cut;
        excess -= cut;
      }
    }
  }

  private int leastNeeded(List<Integer> shown) {
    int worst = -1;
    for (int column : shown) {
      int rank = columns.get(column).rank();
      if (rank > 0 && (worst < 0 || rank >= columns.get(worst).rank())) {
        worst = column;
      }
    }
    return worst;
  }

  private static int total(List<Integer> shown, int[] widths) {
    int total = INDENT.length() + GAP.length() * (shown.size() - 1);
    for (int column : shown) {
      total += widths[column];
    }
    return total;
  }

  private String line(List<String> cells, List<Integer> shown, int[] widths, int width) {
    StringBuilder line = new StringBuilder(INDENT);
    for (int i = 0; i < shown.size(); i++) {
      int column = shown.get(i);
      String cell = cut(cells.get(column), widths[column]);
      String pad = " ".repeat(widths[column] - cell.length());
      line.append(i == 0 ? "" : GAP);
      line.append(columns.get(column).number() ? pad + cell : cell + pad);
    }
    return cut(line.toString().stripTrailing(), width);
  }

  private static String cut(String text, int width) {
    if (text.length() <= width) {
      return text;
    }
    int head = (width - 1) / 2;
    return text.substring(0, head) + ".." + text.substring(text.length() - Math.max(0, width - head - 2));
  }
}
