package dev.heddle.report;

import java.util.List;
import java.util.Locale;

/** Draws shares of a whole as one bar. */
final class ShareDrawing {
  private static final int WIDTH = 1160;
  private static final int BAR = 34;
  private static final int LINE = 24;
  private static final int LETTER = 7;
  private static final int COLOURS = 8;

  private ShareDrawing() {}

  /**
   * The drawing as an SVG element, its colours those of the page.
   *
   * @param names of the parts
   * @param values of the parts, above 0
   */
  static String of(List<String> names, List<Double> values) {
    double all = values.stream().mapToDouble(Double::doubleValue).sum();
    StringBuilder bar = new StringBuilder();
    StringBuilder legend = new StringBuilder();
    double x = 0;
    int legendX = 0;
    int legendY = BAR + 14;
    for (int i = 0; i < names.size(); i++) {
      String colour = "fill-" + (1 + i % COLOURS);
      String share = String.format(Locale.ROOT, "%.1f %%", 100 * values.get(i) / all);
      String text = HtmlPage.escape(names.get(i) + " " + share);
      double wide = WIDTH * values.get(i) / all;
      bar.append(String.format(Locale.ROOT,
          "<rect class=\"%s\" x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"%d\"><title>%s</title></rect>%n", colour, x,
          wide,
          BAR, text));
      x += wide;
      int room = 40 + LETTER * text.length();
      if (legendX > 0 && legendX + room > WIDTH) {
        legendX = 0;
        legendY += LINE;
      }
      legend.append(String.format(Locale.ROOT,
          "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"12\" height=\"12\"/><text x=\"%d\" y=\"%d\">%s</text>%n",
          colour,
          legendX, legendY, legendX + 18, legendY + 11, text));
      legendX += room;
    }
    return "<svg class=\"drawing\" role=\"img\" aria-label=\"Shares\" viewBox=\"0 0 " + WIDTH + " " + (legendY + LINE)
        + "\" xmlns=\"http://www.w3.org/2000/svg\">\n" + bar + legend + "</svg>\n";
  }
}
