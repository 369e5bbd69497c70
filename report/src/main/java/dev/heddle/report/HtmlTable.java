package dev.heddle.report;

import java.util.ArrayList;
import java.util.List;

/** A table of a page whose columns a reader can sort. */
final class HtmlTable {
  /**
   * A cell.
   *
   * @param text as shown
   * @param key by which it is sorted; empty sorts last
   * @param number whether it is aligned to the right
   * @param target the place of the page that it leads to; empty for none
   */
  record Cell(String text, String key, boolean number, String target) {
    Cell(String text, String key, boolean number) {
      this(text, key, number, "");
    }

    static Cell text(String text) {
      return new Cell(text, text, false);
    }

    static Cell link(String text, String target) {
      return new Cell(text, text, false, target);
    }

    static Cell number(double value) {
      return new Cell(NumberText.of(value), Double.isNaN(value) ? "" : Double.toString(value), true);
    }

    /** A count. */
    static Cell count(long count) {
      return new Cell(NumberText.count(count), Long.toString(count), true);
    }

    /** A value as a scenario writes it, which sorts by its position on its axis. */
    static Cell placed(String text, AxisScale scale) {
      double position = scale.position(text);
      return new Cell(text, Double.isNaN(position) ? text : Double.toString(position), scale.numeric());
    }

    static Cell percent(double percent, int decimals) {
      return new Cell(NumberText.fixed(percent, decimals), Double.isNaN(percent) ? "" : Double.toString(percent), true);
    }
  }

  private static final int LONG = 56;

  private final String caption;
  private final List<String> titles;
  private final List<List<Cell>> rows = new ArrayList<>();
  private final List<String> anchors = new ArrayList<>();

  HtmlTable(String caption, List<String> titles) {
    this.caption = caption;
    this.titles = List.copyOf(titles);
  }

  /** Adds a row, one cell per title. */
  void row(List<Cell> cells) {
    row(cells, "");
  }

  /** Adds a row to which other places of the page lead. */
  void row(List<Cell> cells, String anchor) {
    if (cells.size() != titles.size()) {
      throw new IllegalArgumentException(cells.size() + " cells for " + titles.size() + " columns");
    }
    rows.add(List.copyOf(cells));
    anchors.add(anchor);
  }

  String html() {
    StringBuilder html = new StringBuilder();
    html.append("<div class=\"panel scroll\" tabindex=\"0\" role=\"region\" aria-label=\"")
        .append(HtmlPage.escape(caption))
        .append("\"><table class=\"sortable\"><thead><tr>");
    for (int i = 0; i < titles.size(); i++) {
      boolean number = !rows.isEmpty() && rows.get(0).get(i).number();
      html.append("<th scope=\"col\"").append(number ? " class=\"num\"" : "").append("><button type=\"button\">")
          .append(HtmlPage.escape(titles.get(i))).append("</button></th>");
    }
    html.append("</tr></thead><tbody>\n");
    for (int number = 0; number < rows.size(); number++) {
      String anchor = anchors.get(number);
      html.append(anchor.isEmpty() ? "<tr>" : "<tr id=\"" + HtmlPage.escape(anchor) + "\">");
      for (Cell cell : rows.get(number)) {
        html.append("<td class=\"").append(cell.number() ? "num" : cell.text().length() > LONG ? "long" : "text")
            .append("\" data-value=\"")
            .append(HtmlPage.escape(cell.key())).append("\">").append(content(cell)).append("</td>");
      }
      html.append("</tr>\n");
    }
    return html.append("</tbody></table></div>\n").toString();
  }

  private static String content(Cell cell) {
    String text = HtmlPage.escape(cell.text());
    return cell.target().isEmpty() ? text : "<a href=\"#" + HtmlPage.escape(cell.target()) + "\">" + text + "</a>";
  }
}
