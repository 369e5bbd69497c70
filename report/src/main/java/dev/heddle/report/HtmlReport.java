package dev.heddle.report;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.heddle.report.HtmlTable.Cell;
import dev.heddle.results.Results;
import dev.heddle.results.Results.Distribution;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.results.Results.RunInfo;
import dev.heddle.results.SweepResults;
import dev.heddle.results.SweepResults.Axis;
import dev.heddle.results.SweepResults.Point;
import dev.heddle.results.ValidationReport;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Renders results as one HTML file with interactive plots, which needs no network and no other file.
 *
 * <p>Tables are complete without JavaScript; the plots need it. Plots are drawn by Apache ECharts, which is part of the
 * file.
 */
public final class HtmlReport {
  private static final int LINK_ROWS = 50;
  private static final ImmutableSet<String> POINT_FIGURES = ImmutableSet.of("p50", "p99");

  private HtmlReport() {}

  /** Renders one run without a description. */
  public static String write(Results results) {
    return write(results, "");
  }

  /**
   * Renders one run.
   *
   * @param description of its scenario; may be empty
   */
  public static String write(Results results, String description) {
    RunInfo run = results.run();
    HtmlPage page = new HtmlPage(
        run.scenario(),
        run.fidelity() + " fidelity, seed " + run.seed() + ", simulated " + SimTime.ofPs(run.simulatedPs()));
    if (!description.isBlank()) {
      page.paragraph(description);
    }
    MetricParts.add(page, results);
    String passes = TimelineDrawing.of(results.timeline());
    if (!passes.isEmpty()) {
      page.section("Rank by rank");
      page.drawing("Activities of ranks over time; blank is waiting", passes);
    }
    distributions(page, results.distributions().stream().filter(each -> each.count() > 0).toList());
    links(page, results.links());
    if (!results.series().isEmpty()) {
      page.section("Over time");
      results.series().forEach(series -> page.chart(series.title(), Charts.of(series), ""));
    }
    int messages = results.spaceTime().messages().size();
    if (messages > 0) {
      page.section("In space and time");
      page.drawing(
          "The first " + NumberText.count(messages) + " messages to arrive", SpaceTimeDrawing.of(results.spaceTime()));
    }
    page.section("Run");
    page.facts(facts(results));
    return page.render();
  }

  /** Renders a sweep all of whose points were carried out. */
  public static String write(SweepResults sweep) {
    return write(sweep, List.of());
  }

  /**
   * Renders a sweep: its plots, then a table of its points, then one of the points that failed.
   *
   * @param failed points that could not be carried out
   */
  public static String write(SweepResults sweep, List<FailedPoint> failed) {
    HtmlPage page = new HtmlPage(sweep.scenario(), sweep.description());
    page.beginCards();
    page.card("Points", NumberText.count(sweep.points().size()), "");
    if (!failed.isEmpty()) {
      page.card("Failed points", NumberText.count(failed.size()), "", "fail");
    }
    for (Axis axis : sweep.axes()) {
      page.card(axis.label(), NumberText.count(axis.values().size()), axis.values().size() == 1 ? "value" : "values");
    }
    page.card("Events", NumberText.count(sum(sweep, RunInfo::events)), "");
    page.card("Time of all runs", NumberText.of(sum(sweep, RunInfo::wallNanos) * 1e-9), "s");
    page.end();
    RankedPoints.of(sweep).forEach(ranking -> ranking(page, ranking));
    for (Figure figure : Figure.of(sweep)) {
      page.chart(figure.title(), Charts.of(figure), logControl(figure.logY()));
    }
    if (!sweep.points().isEmpty()) {
      page.section("Points");
      page.table(points(sweep));
    }
    if (!failed.isEmpty()) {
      page.section("Failed points");
      page.table(failed(sweep, failed));
    }
    page.section("Run");
    page.facts(facts(sweep));
    return page.render();
  }

  private static void ranking(HtmlPage page, RankedPoints ranking) {
    page.section(ranking.title());
    page.paragraph("Against " + ranking.baseline() + ", " + ranking.text(ranking.value()) + " " + ranking.unit()
        + ". Each row makes one change and no other, so that they do not add up.");
    HtmlTable table = new HtmlTable(
        ranking.title(), List.of("Change", ranking.unit(), ranking.unit() + " less", "% less"));
    for (RankedPoints.Row row : ranking.rows()) {
      table.row(List.of(
          Cell.text(row.name()), Cell.number(row.value() * ranking.scale()), Cell.number(row.fall() * ranking.scale()),
          Cell.percent(row.fallPct(), 1)));
    }
    page.table(table);
  }

  /** Renders a validation: all tables at a glance, the notes, then each table beside its plots. */
  public static String write(ValidationReport report) {
    HtmlPage page = new HtmlPage("Validation: " + report.suite(), "Reference figures beside the model's.");
    long broken = report.tables().stream().filter(table -> !table.holds()).count();
    page.beginCards();
    boolean claims = report.tables().stream().anyMatch(ValidationReport.Table::claims);
    if (claims) {
      page.card("Bounds", report.holds() ? "all hold" : broken + " broken", "", report.holds() ? "pass" : "fail");
    } else {
      page.card("Bounds", "none claimed", "");
    }
    page.card("Tables", NumberText.count(report.tables().size()), "");
    if (claims) {
      page.card("Mean absolute error", NumberText.fixed(report.meanAbsErrorPct(), 2), "%");
    }
    page.end();
    report.basis().ifPresent(basis -> {
      page.section("Basis");
      page.notes(List.of("Measured: " + basis.measured(), "Fitted: " + basis.fitted(), "Left out: " + basis.leftOut(),
          "Error on what was not fitted: " + basis.unfitted()));
    });
    if (report.tables().size() > 1) {
      page.section("Tables");
      page.table(overview(report));
    }
    if (!report.plots().isEmpty() || !report.maps().isEmpty()) {
      page.section("The model's curves");
    }
    report.plots().forEach(plot -> page.chart(plot.title(), Charts.of(plot), ""));
    report.maps().forEach(map -> TorusDrawing.of(map.links()).ifPresent(svg -> page.drawing(map.title(), svg)));
    if (!report.notes().isEmpty()) {
      page.section("Notes");
      page.notes(report.notes());
    }
    for (int i = 0; i < report.tables().size(); i++) {
      validation(page, report.tables().get(i), anchor(i));
    }
    return page.render();
  }

  // Those come first whose bound is broken.
  private static HtmlTable overview(ValidationReport report) {
    HtmlTable table = new HtmlTable(
        "Tables", List.of("Table", "Bound", "Mean error [%]", "Largest error [%]", "Bound of the mean [%]"));
    List<ValidationReport.Table> all = report.tables();
    int[] brokenFirst = IntStream.range(0, all.size()).boxed()
        .sorted(Comparator.comparing(i -> all.get(i).holds())).mapToInt(Integer::intValue).toArray();
    for (int i : brokenFirst) {
      ValidationReport.Table each = all.get(i);
      String verdict = !each.claims() ? "none claimed" : each.holds() ? "holds" : "broken";
      table.row(List.of(
          Cell.link(each.name(), anchor(i)), Cell.text(verdict), Cell.percent(each.meanAbsErrorPct(), 2),
          Cell.percent(each.maxAbsErrorPct(), 2), Cell.number(each.boundPct())));
    }
    return table;
  }

  private static String anchor(int table) {
    return "table-" + (table + 1);
  }

  private static void distributions(HtmlPage page, List<Distribution> distributions) {
    if (distributions.isEmpty()) {
      return;
    }
    page.section("Distributions");
    Map<String, List<Distribution>> byUnit =
        distributions.stream()
            .collect(Collectors.groupingBy(Distribution::unit, LinkedHashMap::new, Collectors.toList()));
    byUnit.forEach((unit, group) -> {
      List<Distribution> sampled = group.stream().filter(distribution -> distribution.count() > 0).toList();
      if (sampled.isEmpty()) {
        return;
      }
      page.beginPair();
      page.chart("Cumulative distribution", Charts.cumulative(sampled, unit), "");
      page.chart("Tail", Charts.tail(sampled, unit), "");
      page.end();
      page.chart("Percentiles", Charts.percentiles(sampled, unit), logControl(false));
    });
    HtmlTable table = new HtmlTable(
        "Distributions",
        List.of("Quantity", "Unit", "Count", "Mean", "Min", "p50", "p90", "p99", "p99.9", "Max"));
    for (Distribution d : distributions) {
      table.row(List.of(
          Cell.text(d.title()), Cell.text(d.unit()), Cell.count(d.count()),
          Cell.number(d.mean()), Cell.number(d.min()), Cell.number(d.p50()), Cell.number(d.p90()),
          Cell.number(d.p99()), Cell.number(d.p999()), Cell.number(d.max())));
    }
    page.table(table);
  }

  /**
   * The drawing of a fabric before a run, links with their rates and without a scale of their use, as an SVG element of
   * a page with the style of reports; empty for one too large.
   */
  public static Optional<String> drawing(List<LinkUsage> links) {
    return TorusDrawing.of(links, false).or(() -> FabricDrawing.of(links, false).map(FabricDrawing.Drawing::svg));
  }

  private static void links(HtmlPage page, List<LinkUsage> links) {
    if (links.isEmpty()) {
      return;
    }
    page.section("Links");
    TorusDrawing.of(links).ifPresent(svg -> page.drawing("Use of links between chips", svg));
    Set<LinkUsage> drawn = new LinkedHashSet<>();
    FabricDrawing.of(links).ifPresent(drawing -> {
      page.drawing("The fabric: links by use, with a dark core by stalls" + (drawing.part().isEmpty() ? "" : "; "
          + drawing.part()), drawing.svg());
      drawn.addAll(drawing.links());
    });
    page.chart("Most used links", LinkChart.of(links), linkControls(Charts.tiers(links)));
    if (links.size() > LinkChart.MOST) {
      page.paragraph("Of " + NumberText.count(links.size()) + " links the " + NumberText.count(LinkChart.MOST)
          + " most used can be chosen here; the histogram counts all.");
    }
    page.chart("How many links are used how much", Charts.histogram(links), "");
    HtmlTable table = new HtmlTable(
        "Most used links",
        List.of("Link", "Tier", "Used [%]", "Stalled [%]", "Payload [GB/s]", "Rate [GB/s]", "Units",
            "Most queued [B]"));
    List<LinkUsage> sorted = links.stream()
        .sorted(Comparator.comparingDouble(LinkUsage::utilization).reversed().thenComparing(LinkUsage::name)).toList();
    for (int i = 0; i < sorted.size(); i++) {
      if (i < LINK_ROWS || drawn.contains(sorted.get(i))) {
        table.row(cells(sorted.get(i)), FabricDrawing.anchor(sorted.get(i)));
      }
    }
    page.table(table);
  }

  private static List<Cell> cells(LinkUsage link) {
    return List.of(
        Cell.text(link.name()), Cell.text(link.tier()), Cell.percent(100 * link.utilization(), 1),
        Cell.percent(100 * link.creditStall(), 1), Cell.number(link.payloadGBps()), Cell.number(link.rateGBps()),
        Cell.count(link.units()), Cell.count(link.maxQueueBytes()));
  }

  private static void validation(HtmlPage page, ValidationReport.Table table, String anchor) {
    page.anchor(anchor);
    page.section(
        table.name(),
        table.claims()
            ? HtmlPage.badge(table.holds() ? "pass" : "fail", table.holds() ? "PASS" : "FAIL")
            : HtmlPage.badge("none", "no bound claimed"));
    page.paragraph("Source: " + table.source());
    page.paragraph("Mean absolute error " + NumberText.fixed(table.meanAbsErrorPct(), 2) + " %, largest "
        + NumberText.fixed(table.maxAbsErrorPct(), 2) + " %"
        + (table.claims() ? ", bound of the mean " + NumberText.of(table.boundPct()) + " %." : "."));
    if (!table.rows().isEmpty()) {
      page.chart(table.name(), Charts.of(table), "");
    }
    HtmlTable rows = new HtmlTable(
        table.name(),
        List.of("Row", "Reference [" + table.unit() + "]", "Model [" + table.unit() + "]", "Error [%]"));
    for (ValidationReport.Row row : table.rows()) {
      String key = row.sizeBytes().isPresent() ? Long.toString(row.sizeBytes().getAsLong()) : row.label();
      rows.row(List.of(
          new Cell(row.label(), key, false), Cell.number(row.reference()), Cell.number(row.model()),
          Cell.percent(row.errorPct(), 2)));
    }
    page.table(rows);
  }

  private static HtmlTable points(SweepResults sweep) {
    List<Results> all = sweep.points().stream().map(Point::results).toList();
    List<Quantities.Quantity> quantities = Quantities.ordered(all).stream()
        .filter(quantity -> quantity.id().indexOf('.') < 0
            || all.stream().anyMatch(results -> results.metric(quantity.id()).isPresent())
            || POINT_FIGURES.contains(quantity.id().substring(quantity.id().lastIndexOf('.') + 1)))
        .toList();
    List<AxisScale> scales = sweep.axes().stream().map(AxisScale::of).toList();
    List<String> titles = new ArrayList<>();
    sweep.axes().forEach(axis -> titles.add(axis.label()));
    List<NumberText.Scale> units = quantities.stream().map(quantity -> NumberText.scale(all.stream()
        .mapToDouble(results -> Math.abs(Quantities.value(results, quantity.id()))).filter(Double::isFinite).max()
        .orElse(0), quantity.unit())).toList();
    for (int i = 0; i < units.size(); i++) {
      titles.add(NumberText.titled(quantities.get(i).title(), units.get(i).unit()));
    }
    titles.add("Fingerprint");
    HtmlTable table = new HtmlTable("Points", titles);
    for (Point point : sweep.points()) {
      List<Cell> cells = new ArrayList<>();
      for (int i = 0; i < scales.size(); i++) {
        String value = point.parameters().getOrDefault(sweep.axes().get(i).path(), "");
        cells.add(Cell.placed(value, scales.get(i)));
      }
      for (int i = 0; i < units.size(); i++) {
        cells.add(Cell.number(Quantities.value(point.results(), quantities.get(i).id()) * units.get(i).factor()));
      }
      cells.add(Cell.text(NumberText.fingerprint(point.results().run().fingerprint())));
      table.row(cells);
    }
    return table;
  }

  private static HtmlTable failed(SweepResults sweep, List<FailedPoint> failed) {
    List<String> titles = new ArrayList<>();
    sweep.axes().forEach(axis -> titles.add(axis.label()));
    titles.add("Reason");
    HtmlTable table = new HtmlTable("Failed points", titles);
    for (FailedPoint point : failed) {
      List<Cell> cells = new ArrayList<>();
      for (Axis axis : sweep.axes()) {
        cells.add(Cell.placed(point.parameters().getOrDefault(axis.path(), ""), AxisScale.of(axis)));
      }
      cells.add(Cell.text(point.reason()));
      table.row(cells);
    }
    return table;
  }

  private static Map<String, String> facts(Results results) {
    RunInfo run = results.run();
    Map<String, String> facts = new LinkedHashMap<>();
    warn(facts, results.warnings());
    facts.put("Scenario", run.scenario());
    facts.put("Fidelity", run.fidelity());
    facts.put("Seed", Long.toString(run.seed()));
    facts.put("Fingerprint", NumberText.fingerprint(run.fingerprint()));
    facts.put("Simulated time", SimTime.ofPs(run.simulatedPs()).toString());
    facts.put("Events", NumberText.count(run.events()));
    facts.put("Packet hops", NumberText.count(run.packetHops()));
    facts.put("Time of the run", NumberText.of(run.wallNanos() * 1e-9) + " s");
    facts.put("Heddle", run.version());
    return facts;
  }

  private static void warn(Map<String, String> facts, List<String> warnings) {
    if (!warnings.isEmpty()) {
      facts.put("Warning", String.join("; ", warnings));
    }
  }

  private static Map<String, String> facts(SweepResults sweep) {
    Map<String, String> facts = new LinkedHashMap<>();
    warn(facts, sweep.points().stream().flatMap(point -> point.results().warnings().stream()).distinct().toList());
    facts.put("Scenario", sweep.scenario());
    for (Axis axis : sweep.axes()) {
      facts.put(axis.path(), String.join(", ", axis.values()));
    }
    facts.put("Seed", distinct(sweep, run -> Long.toString(run.seed())));
    facts.put("Fidelity", distinct(sweep, RunInfo::fidelity));
    facts.put("Heddle", distinct(sweep, RunInfo::version));
    // Without points there is no run.
    facts.values().removeIf(String::isEmpty);
    return facts;
  }

  private static String distinct(SweepResults sweep, Function<RunInfo, String> field) {
    return sweep.points().stream().map(point -> field.apply(point.results().run())).distinct()
        .collect(Collectors.joining(", "));
  }

  private static long sum(SweepResults sweep, ToLongFunction<RunInfo> field) {
    return sweep.points().stream().mapToLong(point -> field.applyAsLong(point.results().run())).sum();
  }

  private static String logControl(boolean checked) {
    return "<label><input type=\"checkbox\" data-choice=\"logY\"" + (checked ? " checked" : "")
        + "> logarithmic</label>";
  }

  private static String linkControls(List<String> tiers) {
    ImmutableList<String> options = tiers.stream()
        .map(tier -> "<option>" + HtmlPage.escape(tier) + "</option>")
        .collect(ImmutableList.toImmutableList());
    return "<label>Sort by <select data-choice=\"sort\"><option value=\"utilization\">use</option>"
        + "<option value=\"stall\">waiting for credits</option><option value=\"payload\">payload</option>"
        + "<option value=\"queue\">most bytes waiting</option></select></label>"
        + "<label>Tier <select data-choice=\"tier\"><option value=\"\">all</option>" + String.join("", options)
        + "</select></label><label>Show <select data-choice=\"count\"><option>20</option><option>50</option>"
        + "<option>100</option></select></label>";
  }
}
