package dev.heddle.report;

import com.google.common.collect.ImmutableMap;
import dev.heddle.report.TextTable.Column;
import dev.heddle.results.Results;
import dev.heddle.results.Results.Distribution;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.results.Results.Metric;
import dev.heddle.results.Results.RunInfo;
import dev.heddle.results.SweepResults;
import dev.heddle.results.ValidationReport;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Renders results as plain text for a terminal.
 *
 * <p>The text is ASCII apart from names that the scenario gives. Where it is too narrow for a table, the table leaves
 * out columns and says which.
 */
public final class TerminalReport {
  private static final int LEAST_WIDTH = 40;
  private static final int MOST_WIDTH = 160;
  private static final int TOP_LINKS = 10;
  private static final int MOST_LINES_OF_MISSED = 24;
  private static final int MOST_ERRORS = 30;
  private static final int BOLD = 1;
  private static final int RED = 31;
  private static final int GREEN = 32;

  private final int width;
  private final boolean colour;

  /**
   * Makes a renderer.
   *
   * @param width columns of the terminal; held to 40 to 160
   * @param colour whether headings and marks carry ANSI colours
   */
  public TerminalReport(int width, boolean colour) {
    this.width = Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, width));
    this.colour = colour;
  }

  /** Renders one run: its identification, its metrics, its distributions, its ten most used links. */
  public String render(Results results) {
    List<String> lines = new ArrayList<>(header(results.run()));
    if (!results.metrics().isEmpty()) {
      section(lines, "Metrics", metrics(results));
    }
    if (results.distributions().stream().anyMatch(distribution -> distribution.count() > 0)) {
      section(lines, "Distributions", distributions(results));
    }
    if (!results.links().isEmpty()) {
      int shown = Math.min(TOP_LINKS, results.links().size());
      section(lines, "Most used links (" + shown + " of " + results.links().size() + ")", links(results));
    }
    return text(lines);
  }

  /** Renders two runs side by side: the figures of both, the time by activity, and the links by tier. */
  public String render(Results before, Results after) {
    return render(before, after, ImmutableMap.of(), ImmutableMap.of());
  }

  /**
   * The same, with the settings that differ.
   *
   * @param settings of the first run, by path; empty where they are not known
   * @param others settings of the second
   */
  public String render(Results before, Results after, Map<String, String> settings, Map<String, String> others) {
    List<String> lines = new ArrayList<>();
    lines.add(style(BOLD, "A: ") + TextTable.printable(before.run().scenario()) + ", " + before.run().fidelity());
    lines.add(style(BOLD, "B: ") + TextTable.printable(after.run().scenario()) + ", " + after.run().fidelity());
    if (!settings.isEmpty() && !others.isEmpty()) {
      filled(lines, "Settings that differ", Comparison.fields(settings, others, width));
    }
    section(lines, "Metrics", Comparison.metrics(before, after, width));
    filled(lines, "Time by activity, mean of all ranks", Comparison.activities(before, after, width));
    filled(lines, "Links by tier", Comparison.tiers(before, after, width));
    filled(lines, "Links whose use differs most", Comparison.links(before, after, width));
    return text(lines);
  }

  private void filled(List<String> lines, String title, List<String> body) {
    if (!body.isEmpty()) {
      section(lines, title, body);
    }
  }

  /** Renders a sweep: one table per panel of each of its plots. */
  public String render(SweepResults sweep) {
    List<String> lines = new ArrayList<>();
    lines.add(style(BOLD, TextTable.printable(sweep.scenario())));
    if (!sweep.description().isBlank()) {
      lines.addAll(TextTable.wrap(sweep.description(), width));
    }
    for (SweepResults.Axis axis : sweep.axes()) {
      lines.addAll(TextTable.wrap(axis.path() + ": " + axis.values().size() + " values", width));
    }
    lines.addAll(TextTable.wrap(sweep.points().size() + " points", width));
    for (RankedPoints ranking : RankedPoints.of(sweep)) {
      section(lines, ranking.title(), ranking(ranking));
    }
    if (sweep.plots().isEmpty() && sweep.rankings().isEmpty() && !sweep.points().isEmpty()) {
      section(lines, "Points", SweepTable.lines(sweep, width));
      return text(lines);
    }
    for (Figure figure : Figure.of(sweep)) {
      for (Figure.Panel panel : figure.panels()) {
        String title = figure.title() + (panel.title().isEmpty() ? "" : ", " + panel.title());
        section(lines, title, panel(figure, panel));
      }
    }
    return text(lines);
  }

  private List<String> ranking(RankedPoints ranking) {
    TextTable table = new TextTable(List.of(
        Column.label("change"), Column.number(ranking.unit(), 1), Column.number(ranking.unit() + " less", 0),
        Column.number("% less", 2)));
    table.row(List.of(ranking.baseline(), ranking.text(ranking.value()), "", ""));
    for (RankedPoints.Row row : ranking.rows()) {
      table.row(List.of(
          row.name(), ranking.text(row.value()), ranking.text(row.fall()), NumberText.fixed(row.fallPct(), 1)));
    }
    return table.lines(width);
  }

  /**
   * Renders a validation on one screen: the share of bounds that hold, the basis of the comparison, and each table that
   * misses its bound, with the reason where it is known. Where no table claims a bound, as with those of a user, the
   * errors of the first tables and the notes.
   */
  public String summary(ValidationReport report) {
    List<ValidationReport.Table> claimed = report.tables().stream().filter(ValidationReport.Table::claims).toList();
    List<ValidationReport.Table> missed = claimed.stream().filter(table -> !table.holds()).toList();
    List<String> lines = new ArrayList<>();
    lines.add(style(BOLD, TextTable.printable(report.suite())) + "  " + verdict(report));
    lines.addAll(TextTable.wrap(bounds(report.tables().size(), claimed.size(), missed.size()), width));
    report.basis().ifPresent(basis -> {
      part(lines, "measured", basis.measured());
      part(lines, "fitted", basis.fitted());
      part(lines, "left out", basis.leftOut());
      part(lines, "error on what was not fitted", basis.unfitted());
    });
    if (claimed.isEmpty()) {
      section(lines, "Mean errors", errors(report.tables()));
      report.notes().forEach(note -> lines.addAll(TextTable.wrap("- " + note, width)));
    }
    if (!missed.isEmpty()) {
      section(lines, "Missed bounds", firstOf(missed, report));
    }
    return text(lines);
  }

  private List<String> errors(List<ValidationReport.Table> tables) {
    TextTable text = new TextTable(List.of(
        Column.label("table"), Column.number("rows", 1), Column.number("mean error %", 0),
        Column.number("largest %", 2)));
    tables.stream().limit(MOST_ERRORS).forEach(table -> text.row(List.of(
        table.name(), Integer.toString(table.rows().size()), NumberText.fixed(table.meanAbsErrorPct(), 1),
        NumberText.fixed(table.maxAbsErrorPct(), 1))));
    List<String> lines = new ArrayList<>(text.lines(width));
    if (tables.size() > MOST_ERRORS) {
      lines.addAll(TextTable.wrap("... and " + (tables.size() - MOST_ERRORS) + " more tables", width));
    }
    return lines;
  }

  private static String bounds(int tables, int claimed, int missed) {
    return "Model and reference in " + tables + (tables == 1 ? " table" : " tables") + ". Mean error: "
        + (claimed == 0 ? "no table states a bound"
            : "within the stated bound in " + (claimed - missed) + (missed == 0 ? "" : ", beyond it in " + missed)
                + (claimed < tables ? "; " + (tables - claimed) + " without one" : ""));
  }

  private void part(List<String> lines, String title, String text) {
    lines.addAll(TextTable.wrap(title + ": " + text, width));
  }

  private String verdict(ValidationReport report) {
    long missed = report.tables().stream().filter(table -> !table.holds()).count();
    return report.holds() || !report.unknownMisses().isEmpty() ? mark(report.holds())
        : style(GREEN, "PASS") + " but for " + missed + (missed == 1 ? " known miss" : " known misses");
  }

  /** Renders a validation: a table per source, its errors against its bound, the notes, then the bounds that broke. */
  public String render(ValidationReport report) {
    List<String> lines = new ArrayList<>();
    lines.add(style(BOLD, TextTable.printable(report.suite())) + "  " + verdict(report)
        + "  mean absolute error " + NumberText.fixed(report.meanAbsErrorPct(), 2) + " %");
    for (ValidationReport.Table table : report.tables()) {
      section(lines, table.name(), validation(table));
    }
    if (!report.notes().isEmpty()) {
      lines.add("");
      lines.add(style(BOLD, "Notes"));
      for (String note : report.notes()) {
        lines.addAll(TextTable.wrap("- " + note, width));
      }
    }
    if (!report.holds()) {
      section(lines, "Bounds that do not hold", report.tables().stream().filter(table -> !table.holds())
          .flatMap(table -> missed(table, report).stream()).toList());
    }
    return text(lines);
  }

  // As many tables as fit, whole, and the number of the others.
  private List<String> firstOf(List<ValidationReport.Table> missed, ValidationReport report) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < missed.size(); i++) {
      List<String> next = missed(missed.get(i), report);
      if (lines.size() + next.size() > MOST_LINES_OF_MISSED) {
        lines.addAll(TextTable.wrap("... and " + (missed.size() - i) + " more, which --out lists", width));
        break;
      }
      lines.addAll(next);
    }
    return lines;
  }

  private List<String> missed(ValidationReport.Table table, ValidationReport report) {
    return TextTable.wrap("- " + table.name() + ": " + NumberText.fixed(table.meanAbsErrorPct(), 2) + " %, bound "
        + NumberText.of(table.boundPct()) + " %" + report.basis().map(basis -> basis.misses().get(table.name()))
            .map(reason -> "; known: " + reason).orElse(""),
        width);
  }

  private List<String> header(RunInfo run) {
    List<String> lines = new ArrayList<>();
    lines.add(style(BOLD, TextTable.printable(run.scenario())));
    lines.addAll(TextTable.wrap(
        run.fidelity() + " fidelity, seed " + run.seed() + ", simulated " + SimTime.ofPs(run.simulatedPs()), width));
    String rate = run.wallNanos() <= 0
        ? ""
        : " in " + NumberText.of(run.wallNanos() * 1e-9) + " s, "
            + NumberText.of(run.events() * 1e3 / run.wallNanos()) + " million/s";
    lines.addAll(TextTable.wrap(
        NumberText.count(run.events()) + " events" + rate + ", " + NumberText.count(run.packetHops())
            + " packet hops",
        width));
    lines.addAll(TextTable.wrap(
        "fingerprint " + NumberText.fingerprint(run.fingerprint()) + ", heddle " + run.version(), width));
    return lines;
  }

  private List<String> metrics(Results results) {
    TextTable table = new TextTable(
        List.of(Column.label("metric"), Column.number("value", 0), new Column("unit", false, 0)));
    for (Metric metric : MetricRows.of(results.metrics())) {
      NumberText.Scaled scaled = NumberText.scaled(metric.value(), metric.unit());
      table.row(List.of(metric.title(), scaled.text(), scaled.unit()));
    }
    return table.lines(width);
  }

  private List<String> distributions(Results results) {
    TextTable table = new TextTable(List.of(
        Column.label("quantity"), new Column("unit", false, 0), Column.number("count", 4), Column.number("mean", 3),
        Column.number("p50", 0), Column.number("p90", 2), Column.number("p99", 0), Column.number("p99.9", 1),
        Column.number("max", 2)));
    for (Distribution d : results.distributions().stream().filter(each -> each.count() > 0).toList()) {
      table.row(List.of(
          d.title(), d.unit(), NumberText.count(d.count()), NumberText.of(d.mean()), NumberText.of(d.p50()),
          NumberText.of(d.p90()), NumberText.of(d.p99()), NumberText.of(d.p999()), NumberText.of(d.max())));
    }
    return table.lines(width);
  }

  private List<String> links(Results results) {
    TextTable table = new TextTable(List.of(
        Column.label("link"), new Column("tier", false, 4), Column.number("used %", 0), Column.number("stalled %", 1),
        Column.number("GB/s", 2), Column.number("of GB/s", 3)));
    results.links().stream()
        .sorted(Comparator.comparingDouble(LinkUsage::utilization).reversed().thenComparing(LinkUsage::name))
        .limit(TOP_LINKS)
        .forEach(link -> table.row(List.of(
            link.name(), link.tier(), NumberText.percent(link.utilization()), NumberText.percent(link.creditStall()),
            NumberText.of(link.payloadGBps()), NumberText.of(link.rateGBps()))));
    return table.lines(width);
  }

  private List<String> panel(Figure figure, Figure.Panel panel) {
    List<Column> columns = new ArrayList<>();
    columns.add(new Column(figure.xTitle(), figure.x().numeric(), 0));
    for (int i = 0; i < panel.curves().size(); i++) {
      String name = panel.curves().get(i).name();
      columns.add(Column.number(name.isEmpty() ? figure.yTitle() : name, i));
    }
    TextTable table = new TextTable(columns);
    List<String> xs = panel.curves().stream().flatMap(curve -> curve.labels().stream()).distinct()
        .sorted(Comparator.comparingDouble(figure.x()::position)).toList();
    for (String x : xs) {
      List<String> cells = new ArrayList<>();
      cells.add(x);
      for (Figure.Curve curve : panel.curves()) {
        int index = curve.labels().indexOf(x);
        cells.add(index < 0 ? NumberText.NONE : NumberText.of(curve.y().get(index)));
      }
      table.row(cells);
    }
    List<String> lines = new ArrayList<>(TextTable.wrap(figure.yTitle(), width));
    lines.addAll(table.lines(width));
    return lines;
  }

  private List<String> validation(ValidationReport.Table table) {
    TextTable text = new TextTable(List.of(
        Column.label("row"), Column.number("reference", 0), Column.number("model", 0),
        Column.number("error %", 0)));
    for (ValidationReport.Row row : table.rows()) {
      text.row(List.of(
          row.label(), NumberText.of(row.reference()), NumberText.of(row.model()),
          NumberText.fixed(row.errorPct(), 2)));
    }
    List<String> lines = new ArrayList<>(TextTable.wrap("source: " + table.source(), width));
    lines.addAll(TextTable.wrap("unit: " + table.unit(), width));
    lines.addAll(text.lines(width));
    lines.addAll(TextTable.wrap(
        "mean error " + NumberText.fixed(table.meanAbsErrorPct(), 2) + " %, largest "
            + NumberText.fixed(table.maxAbsErrorPct(), 2) + " %, "
            + (table.claims() ? "bound of the mean " + NumberText.of(table.boundPct()) + " %" : "no bound claimed"),
        width));
    if (table.claims()) {
      lines.add("  " + mark(table.holds()));
    }
    return lines;
  }

  private void section(List<String> lines, String title, List<String> body) {
    lines.add("");
    TextTable.wrap(title, width).forEach(line -> lines.add(style(BOLD, line.strip())));
    lines.addAll(body);
  }

  private String mark(boolean holds) {
    return holds ? style(GREEN, "PASS") : style(RED, "FAIL");
  }

  private String style(int code, String text) {
    return colour ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }

  private static String text(List<String> lines) {
    return String.join("\n", lines) + "\n";
  }
}
