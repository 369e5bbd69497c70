package dev.heddle.bench.track;

import dev.heddle.report.CurvePage;
import dev.heddle.report.NumberText;
import dev.heddle.report.TextTable;
import dev.heddle.report.TextTable.Column;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Tables and the page of measurements, for people. */
final class Tables {
  private static final int WIDTH = 190;
  private static final int HASH = 10;
  private static final double NS_PER_US = 1e3;
  private static final double MIB = 1 << 20;

  private Tables() {}

  /** The table of one session. */
  static List<String> session(Entry entry) {
    TextTable table = new TextTable(List.of(
        Column.label("benchmark"), Column.number("processor time", 1), Column.number("elapsed", 3),
        Column.number("bytes", 2), Column.number("bytes before", 2), Column.number("peak MiB", 3),
        Column.number("ratio", 0),
        Column.number("interval", 0), Column.number("same build", 0), Column.label("processor time is")));
    for (Series each : entry.series()) {
      List<String> row = new ArrayList<>(List.of(
          each.measured().text(), time(each, Measurement.PROCESSOR_NS), time(each, Measurement.WALL_NS),
          NumberText.of(each.median(Measurement.ALLOCATED_BYTES)),
          NumberText.of(entry.baseline(each.measured()).map(other -> other.median(Measurement.ALLOCATED_BYTES))
              .orElse(Double.NaN)),
          NumberText.of(each.median(Measurement.PEAK_BYTES) / MIB)));
      row.addAll(entry.comparison(each).map(Tables::cells).orElse(List.of("-", "-", alone(each), "not compared")));
      table.row(row);
    }
    List<String> lines = new ArrayList<>(table.lines(WIDTH));
    entry.series().forEach(each -> lines.addAll(counts(each, entry)));
    coverage(entry).ifPresent(lines::add);
    return lines;
  }

  /** The table over commits. */
  static List<String> history(List<Entry> entries) {
    TextTable table = new TextTable(HISTORY.stream().map(title -> title.equals("benchmark") || title.equals("commit")
        || title.equals("verdict") ? Column.label(title) : Column.number(title, 0)).toList());
    rows(entries, new RatioChain(entries)).forEach(table::row);
    List<String> lines = new ArrayList<>(table.lines(WIDTH));
    entries.stream().filter(entry -> !entry.note().isBlank())
        .forEach(entry -> lines.add("  " + hash(entry.commit()) + ": " + entry.note()));
    return lines;
  }

  private static final List<String> HISTORY = List.of(
      "benchmark", "commit", "date", "processor time", "bytes", "ratio", "interval", "verdict", "since first");

  /** The page with a chart per benchmark. */
  static String page(String machine, List<Entry> entries) {
    RatioChain chain = new RatioChain(entries);
    CurvePage page = new CurvePage("Speed over commits", machine);
    page.paragraph("Processor time relative to the first commit of a chain: the product of ratios that were each "
        + "measured in pairs in one session. Less is faster.");
    Map<String, List<Case>> byBenchmark = new TreeMap<>();
    chain.cases().forEach(each -> byBenchmark.computeIfAbsent(
        each.isProcess() ? "Processes" : new Case(each.benchmark(), Map.of()).text(), any -> new ArrayList<>())
        .add(each));
    byBenchmark.forEach((benchmark, cases) -> {
      List<CurvePage.Curve> curves = cases.stream().flatMap(each -> curves(each, chain).stream()).toList();
      if (!curves.isEmpty()) {
        page.chart(benchmark, chain.commits().stream().map(Tables::hash).toList(), "relative processor time", curves);
      }
    });
    page.table("Measurements", HISTORY, rows(entries, chain));
    page.table("Notes", List.of("commit", "note"),
        entries.stream().map(entry -> List.of(hash(entry.commit()), entry.note())).toList());
    return page.render();
  }

  private static List<CurvePage.Curve> curves(Case measured, RatioChain chain) {
    Map<String, List<Integer>> at = new LinkedHashMap<>();
    Map<String, List<Double>> values = new LinkedHashMap<>();
    for (int i = 0; i < chain.commits().size(); i++) {
      int index = i;
      chain.at(measured, chain.commits().get(i)).ifPresent(point -> {
        at.computeIfAbsent(point.root(), any -> new ArrayList<>()).add(index);
        values.computeIfAbsent(point.root(), any -> new ArrayList<>()).add(point.value());
      });
    }
    List<CurvePage.Curve> curves = new ArrayList<>();
    at.forEach((root, indices) -> curves.add(new CurvePage.Curve(
        measured.text() + (at.size() > 1 ? " since " + hash(root) : ""), indices,
        values.getOrDefault(root, List.of()))));
    return curves;
  }

  private static List<List<String>> rows(List<Entry> entries, RatioChain chain) {
    List<List<String>> rows = new ArrayList<>();
    for (Case measured : chain.cases()) {
      for (Entry entry : entries) {
        for (Series each : entry.series()) {
          if (each.measured().equals(measured)) {
            rows.add(row(entry, each, chain));
          }
        }
      }
    }
    return rows;
  }

  private static List<String> row(Entry entry, Series series, RatioChain chain) {
    List<String> row = new ArrayList<>(List.of(
        series.measured().text(), hash(entry.commit()), entry.date().replaceFirst("T.*", ""),
        time(series, Measurement.PROCESSOR_NS), NumberText.of(series.median(Measurement.ALLOCATED_BYTES))));
    List<String> compared = entry.comparison(series).map(Tables::cells).orElse(List.of("-", "-", "-", "not compared"));
    row.addAll(List.of(compared.get(0), compared.get(1), compared.get(3)));
    row.add(chain.at(series.measured(), entry.commit())
        .map(point -> three(point.value()) + " since " + hash(point.root()) + ", " + three(point.low()) + ".."
            + three(point.high()))
        .orElse("-"));
    return row;
  }

  private static List<String> cells(Comparison comparison) {
    Interval ratio = comparison.ratio();
    return List.of(three(ratio.median()), three(ratio.low()) + ".." + three(ratio.high()),
        "1 +- " + three(comparison.spread() - 1), comparison.verdict().text());
  }

  private static String alone(Series series) {
    double[] ratios = Rounds.alone(series.measures().getOrDefault(Measurement.PROCESSOR_NS, List.of()));
    return ratios.length == 0 ? "-" : "1 +- " + three(Interval.of(ratios).spread() - 1);
  }

  // Counters of benchmarks, and exact counts of processes, with those of the baseline where they differ.
  private static List<String> counts(Series series, Entry entry) {
    List<String> lines = new ArrayList<>();
    String name = "  " + series.measured().text() + ": ";
    series.measures().keySet().stream().filter(key -> key.endsWith(Measurement.PER_OPERATION)).forEach(key -> lines
        .add(name + NumberText.of(series.median(key)) + " " + key.replace(Measurement.PER_OPERATION, "")
            + " per operation, "
            + NumberText.time(series.median(Measurement.PROCESSOR_NS) / series.median(key) / NS_PER_US)
            + " of processor each"));
    Map<String, String> before =
        entry.baseline(series.measured()).map(Series::counts).orElse(series.counts());
    if (!series.counts().isEmpty()) {
      lines.add(name + series.counts()
          + (before.equals(series.counts()) ? "" : ", but " + before + " of the baseline: another model, or another "
              + "work; the ratio is of both"));
    }
    return lines;
  }

  private static Optional<String> coverage(Entry entry) {
    return entry.series().stream().flatMap(each -> entry.comparison(each).stream()).findFirst()
        .map(comparison -> "  ratio: to the baseline, median within rounds; its interval covers the true median with "
            + three(100 * comparison.ratio().coverage()) + " %");
  }

  private static String time(Series series, String measure) {
    return NumberText.time(series.median(measure) / NS_PER_US);
  }

  private static String three(double value) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.3f", value);
  }

  private static String hash(String commit) {
    return commit.matches("[0-9a-f]{40}") ? commit.substring(0, HASH) : commit;
  }
}
