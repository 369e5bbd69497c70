package dev.heddle.verification;

import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import java.util.List;
import java.util.Locale;

/** Diagrams of the errors of a validation over the size, and of their distribution, as SVG. */
final class ErrorScatter {
  private static final int WIDTH = 860;
  private static final int HEIGHT = 420;
  private static final int LEFT = 60;
  private static final int PLOT = 560;
  private static final int TOP = 30;
  private static final int TALL = 330;
  private static final int BARS = 680;
  private static final double MOST = 60;
  private static final int BIN = 5;
  private static final int LEAST_POWER = 2;
  private static final int MOST_POWER = 34;
  private static final int LARGE_POWER = 23;

  private final StringBuilder svg = new StringBuilder();

  private ErrorScatter() {}

  /** Draws the rows of all tables that claim a bound. */
  static String of(ValidationReport report) {
    ErrorScatter drawing = new ErrorScatter();
    List<Row> rows = report.tables().stream().filter(table -> !Double.isNaN(table.boundPct())).map(Table::rows)
        .flatMap(List::stream).filter(row -> row.sizeBytes().isPresent()).toList();
    drawing.frame(rows.size(), report.suite());
    rows.forEach(drawing::point);
    drawing.bars(rows);
    return drawing.svg.append("</svg>\n").toString();
  }

  private static double x(double bytes) {
    double power = Math.log(bytes) / Math.log(2);
    return LEFT + PLOT * (power - LEAST_POWER) / (MOST_POWER - LEAST_POWER);
  }

  private static double y(double percent) {
    return TOP + TALL * (MOST - Math.max(-MOST, Math.min(MOST, percent))) / (2 * MOST);
  }

  private void frame(int rows, String suite) {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
        + "font-family=\"sans-serif\" font-size=\"12\">", WIDTH, HEIGHT, WIDTH, HEIGHT);
    add("<title>Errors of suite %s: %d rows</title>", suite, rows);
    add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
    band(LEAST_POWER, LARGE_POWER, 20);
    band(LARGE_POWER, MOST_POWER, 5);
    for (int percent = -60; percent <= 60; percent += 20) {
      add("<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>", LEFT, LEFT + PLOT, y(percent),
          y(percent));
      add("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%+d %%</text>", LEFT - 6, y(percent) + 4, percent);
    }
    String[] names = {"1 KiB", "1 MiB", "8 MiB", "1 GiB"};
    int[] powers = {10, 20, LARGE_POWER, 30};
    for (int i = 0; i < names.length; i++) {
      double at = x(Math.pow(2, powers[i]));
      add("<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>", at, TOP + TALL + 18, names[i]);
    }
    add("<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">size of the call; shaded: what is claimed of a table's "
        + "mean</text>",
        LEFT + PLOT / 2, TOP + TALL + 40);
    add("<text x=\"%d\" y=\"18\">error of the time, row by row</text>", LEFT);
  }

  private void band(int from, int to, double percent) {
    double left = x(Math.pow(2, from));
    add("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#e8f0e4\"/>", left, y(percent),
        x(Math.pow(2, to)) - left, y(-percent) - y(percent));
  }

  private void point(Row row) {
    add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.2\" fill=\"#1f5fa8\" fill-opacity=\".45\"/>",
        x(row.sizeBytes().orElseThrow()), y(row.errorPct()));
  }

  private void bars(List<Row> rows) {
    int bins = (int) (2 * MOST / BIN);
    int[] small = new int[bins];
    int[] large = new int[bins];
    for (Row row : rows) {
      int bin = (int) Math.floor((Math.max(-MOST, Math.min(MOST - 1e-9, row.errorPct())) + MOST) / BIN);
      (row.sizeBytes().orElseThrow() < 1L << LARGE_POWER ? small : large)[bin]++;
    }
    int most = 1;
    for (int i = 0; i < bins; i++) {
      most = Math.max(most, small[i] + large[i]);
    }
    for (int i = 0; i < bins; i++) {
      double low = y((i + 1) * BIN - MOST);
      double unit = 160.0 / most;
      add("<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#1f5fa8\"/>", BARS, low,
          unit * large[i], TALL * BIN / (2 * MOST) - 1);
      add("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#a9c4e2\"/>", BARS + unit * large[i], low,
          unit * small[i], TALL * BIN / (2 * MOST) - 1);
    }
    add("<text x=\"%d\" y=\"18\">rows, at most %d a bar</text>", BARS, most);
    add("<text x=\"%d\" y=\"%d\"><tspan fill=\"#1f5fa8\">from 8 MiB</tspan>, <tspan "
        + "fill=\"#7a9cc4\">below</tspan></text>",
        BARS, TOP + TALL + 18);
  }

  private void add(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
