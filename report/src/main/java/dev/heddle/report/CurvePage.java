package dev.heddle.report;

import dev.heddle.report.PanelChart.Panel;
import java.util.ArrayList;
import java.util.List;

/**
 * A self-contained page of curves over named points in order, such as commits, with tables beside them. It draws with
 * the chart library of all reports and makes no request.
 */
public final class CurvePage {
  private final HtmlPage page;

  /**
   * A curve.
   *
   * @param name as in the legend
   * @param at indices of the named points that it has values at, ascending
   * @param values at these points
   */
  public record Curve(String name, List<Integer> at, List<Double> values) {
    /** Checks that every point has one value. */
    public Curve {
      at = List.copyOf(at);
      values = List.copyOf(values);
      if (at.size() != values.size()) {
        throw new IllegalArgumentException(at.size() + " points of " + name + " have " + values.size() + " values");
      }
    }
  }

  /** Begins a page with a title and a line below it. */
  public CurvePage(String title, String lead) {
    page = new HtmlPage(title, lead);
  }

  /** Adds a heading. */
  public void section(String heading) {
    page.section(heading);
  }

  /** Adds a paragraph. */
  public void paragraph(String text) {
    page.paragraph(text);
  }

  /**
   * Adds a chart of curves with marks.
   *
   * @param heading above it
   * @param points names along the abscissa
   * @param yTitle of the ordinate
   * @param curves to draw
   */
  public void chart(String heading, List<String> points, String yTitle, List<Curve> curves) {
    List<PanelChart.Curve> drawn = new ArrayList<>();
    for (Curve curve : curves) {
      List<Double> x = curve.at().stream().map(Integer::doubleValue).toList();
      drawn.add(new PanelChart.Curve(curve.name(), "line", x, curve.values()));
    }
    page.chart(heading, new PanelChart("", "", points, true, curves.stream().map(Curve::name).toList(),
        List.of(new Panel("", "category", yTitle, "", false, null, drawn))), "");
  }

  /** Adds a table; rows have one cell per title. */
  public void table(String caption, List<String> titles, List<List<String>> rows) {
    HtmlTable table = new HtmlTable(caption, titles);
    rows.forEach(row -> table.row(row.stream().map(HtmlTable.Cell::text).toList()));
    page.table(table);
  }

  /** The whole page. */
  public String render() {
    return page.render();
  }
}
