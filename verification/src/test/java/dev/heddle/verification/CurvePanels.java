package dev.heddle.verification;

import java.util.List;
import java.util.Locale;

/** Panels of curves and points, two in a row, as SVG. */
final class CurvePanels {
  private static final int WIDTH = 900;
  private static final int PANEL_WIDTH = 450;
  private static final int PANEL_HEIGHT = 330;
  private static final int LEFT = 62;
  private static final int TOP = 30;
  private static final int PLOT_WIDTH = 355;
  private static final int PLOT_HEIGHT = 240;
  private static final int LEGEND = 175;
  private static final int TICKS = 5;
  private static final String[] COLOURS = {"#1f5fa8", "#c2571a", "#3a7d44", "#8a4fa3"};

  private final StringBuilder svg = new StringBuilder();

  private CurvePanels() {}

  /**
   * A curve.
   *
   * @param name in the legend
   * @param xs abscissae, ascending
   * @param ys ordinates
   * @param measured whether it is of measured points, drawn as dots of the colour of the curve before
   */
  record Curve(String name, double[] xs, double[] ys, boolean measured) {}

  /**
   * A panel.
   *
   * @param title above it
   * @param xTitle below it
   * @param yTitle above the ordinate
   * @param curves in it
   */
  record Panel(String title, String xTitle, String yTitle, List<Curve> curves) {
    private double most(boolean abscissa) {
      double most = 0;
      for (Curve curve : curves) {
        for (double value : abscissa ? curve.xs() : curve.ys()) {
          most = Math.max(most, value);
        }
      }
      return most;
    }
  }

  static String of(String title, List<Panel> panels) {
    CurvePanels drawing = new CurvePanels();
    int height = (panels.size() + 1) / 2 * PANEL_HEIGHT;
    drawing
        .add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
            + "font-family=\"sans-serif\" font-size=\"12\">", WIDTH, height, WIDTH, height);
    drawing.add("<title>%s</title>", title);
    drawing.add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
    for (int i = 0; i < panels.size(); i++) {
      drawing.add("<g transform=\"translate(%d,%d)\">", i % 2 * PANEL_WIDTH, i / 2 * PANEL_HEIGHT);
      drawing.panel(panels.get(i));
      drawing.add("</g>");
    }
    return drawing.svg.append("</svg>\n").toString();
  }

  private void panel(Panel panel) {
    double xStep = step(panel.most(true));
    double yStep = step(panel.most(false));
    double xMost = xStep * Math.ceil(panel.most(true) / xStep);
    double yMost = yStep * Math.ceil(panel.most(false) / yStep);
    add("<text x=\"%d\" y=\"18\" font-weight=\"bold\">%s</text>", LEFT, panel.title());
    for (double y = 0; y <= yMost; y += yStep) {
      double at = TOP + PLOT_HEIGHT * (1 - y / yMost);
      add("<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>", LEFT, LEFT + PLOT_WIDTH, at, at);
      add("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>", LEFT - 6, at + 4, number(y));
    }
    for (double x = 0; x <= xMost; x += xStep) {
      add("<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>", LEFT + PLOT_WIDTH * x / xMost,
          TOP + PLOT_HEIGHT + 18, number(x));
    }
    add("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>", LEFT + PLOT_WIDTH, TOP + PLOT_HEIGHT + 36,
        panel.xTitle());
    add("<text x=\"%d\" y=\"%d\">%s</text>", LEFT + 6, TOP + 12, panel.yTitle());
    int curves = (int) panel.curves().stream().filter(curve -> !curve.measured()).count();
    int drawn = 0;
    for (Curve curve : panel.curves()) {
      drawn += curve.measured() ? 0 : 1;
      String colour = COLOURS[(drawn - 1) % COLOURS.length];
      curve(curve, colour, xMost, yMost);
      if (!curve.measured()) {
        legend(curve.name(), colour, curves + 1 - drawn);
      }
    }
    add("<circle cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"#555\"/>", LEFT + LEGEND + 9, TOP + PLOT_HEIGHT - 14);
    add("<text x=\"%d\" y=\"%d\">measured</text>", LEFT + LEGEND + 24, TOP + PLOT_HEIGHT - 10);
  }

  private void curve(Curve curve, String colour, double xMost, double yMost) {
    StringBuilder points = new StringBuilder();
    for (int i = 0; i < curve.xs().length; i++) {
      double x = LEFT + PLOT_WIDTH * curve.xs()[i] / xMost;
      double y = TOP + PLOT_HEIGHT * (1 - curve.ys()[i] / yMost);
      if (curve.measured()) {
        add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\" stroke=\"white\"/>", x, y, colour);
      }
      points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
    }
    if (!curve.measured()) {
      add("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"/>", points.toString().strip(),
          colour);
    }
  }

  private void legend(String name, String colour, int row) {
    int y = TOP + PLOT_HEIGHT - 10 - 16 * row;
    int x = LEFT + LEGEND;
    add("<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"1.8\"/>", x, x + 18, y - 4, y - 4,
        colour);
    add("<text x=\"%d\" y=\"%d\">%s</text>", x + 24, y, name);
  }

  /** A step of 1, 2 or 5 times a power of ten; the largest value has about five steps. */
  private static double step(double most) {
    double power = Math.pow(10, Math.floor(Math.log10(most / TICKS)));
    for (int factor : new int[] {1, 2, 5}) {
      if (most <= TICKS * factor * power * 1.2) {
        return factor * power;
      }
    }
    return 10 * power;
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%,d", Math.round(value));
  }

  private void add(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
