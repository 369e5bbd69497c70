package dev.heddle.report;

import java.util.Locale;

/** Elements of a drawing in SVG, whose colours are those of the page. */
final class Svg {
  private Svg() {}

  /** A coordinate. */
  static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  /**
   * Words.
   *
   * @param anchor which end of them lies at {@code x}: start, middle, end
   */
  static String text(String anchor, double x, double y, String words) {
    return "<text text-anchor=\"" + anchor + "\" x=\"" + number(x) + "\" y=\"" + number(y) + "\">"
        + HtmlPage.escape(words) + "</text>\n";
  }

  /** A straight line of a class of the page's style. */
  static String line(String kind, double x1, double y1, double x2, double y2) {
    return "<line class=\"" + kind + "\" x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2)
        + "\" y2=\"" + number(y2) + "\"/>\n";
  }
}
