package dev.heddle.report;

import java.util.Locale;

/** The colours of a link's use: from pale blue by yellow to dark red, so that it reads without colour too. */
final class HeatScale {
  private static final int STEPS = 10;
  private static final int CELL = 24;

  private HeatScale() {}

  /** The colour of a share from 0 to 1. */
  static String colour(double share) {
    double u = Math.max(0, Math.min(1, Double.isNaN(share) ? 0 : share));
    int hue = (int) Math.round(205 - 205 * u);
    int light = (int) Math.round(82 - 47 * u);
    return String.format(Locale.ROOT, "hsl(%d 75%% %d%%)", hue, light);
  }

  /** Draws the scale in the middle of a width. */
  static void draw(StringBuilder svg, int width, int top) {
    int left = Math.max(8, (width - STEPS * CELL) / 2);
    for (int step = 0; step < STEPS; step++) {
      svg.append("<rect x=\"").append(left + step * CELL).append("\" y=\"").append(top).append("\" width=\"")
          .append(CELL).append("\" height=\"12\" fill=\"").append(colour((step + 0.5) / STEPS)).append("\"/>\n");
    }
    text(svg, left, top + 28, "0 %");
    text(svg, left + STEPS * CELL, top + 28, "100 %");
  }

  private static void text(StringBuilder svg, int x, int y, String words) {
    svg.append("<text text-anchor=\"middle\" x=\"").append(x).append("\" y=\"").append(y).append("\">")
        .append(HtmlPage.escape(words)).append("</text>\n");
  }
}
