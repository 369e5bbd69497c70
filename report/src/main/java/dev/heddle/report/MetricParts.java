package dev.heddle.report;

import dev.heddle.report.HtmlTable.Cell;
import dev.heddle.results.Results;
import dev.heddle.results.Results.Metric;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A run's scalar figures on a page: cards, the ranks' time by activity, a table of collectives. */
final class MetricParts {
  private static final String ACTIVITY = "activity.";
  private static final String COLLECTIVE = "collective.";
  private static final List<String> OF_COLLECTIVE = List.of("count", "time", "algbw", "busbw");

  private MetricParts() {}

  static void add(HtmlPage page, Results results) {
    page.beginCards();
    List<Metric> own = MetricRows.of(results.metrics()).stream()
        .filter(metric -> !has(metric, ACTIVITY) && !has(metric, COLLECTIVE)).toList();
    boolean traffic = own.stream().allMatch(metric -> MetricRows.network(metric) || metric.id().equals("time"))
        && results.metrics().stream().noneMatch(metric -> has(metric, ACTIVITY) || has(metric, COLLECTIVE));
    own.stream().filter(metric -> traffic || !MetricRows.network(metric)).forEach(metric -> card(page, metric));
    page.card("Events", NumberText.count(results.run().events()), "");
    page.end();
    activities(page, results.metrics().stream().filter(metric -> has(metric, ACTIVITY) && metric.value() > 0).toList());
    collectives(page, results.metrics().stream().filter(metric -> has(metric, COLLECTIVE)).toList());
    if (!traffic && own.stream().anyMatch(MetricRows::network)) {
      page.section("Messages");
      page.beginCards();
      own.stream().filter(MetricRows::network).forEach(metric -> card(page, metric));
      page.end();
    }
  }

  private static void card(HtmlPage page, Metric metric) {
    NumberText.Scaled scaled = NumberText.scaled(metric.value(), metric.unit());
    page.card(metric.title(), scaled.text(), scaled.unit());
  }

  private static boolean has(Metric metric, String prefix) {
    return metric.id().startsWith(prefix);
  }

  private static void activities(HtmlPage page, List<Metric> spent) {
    if (spent.isEmpty()) {
      return;
    }
    page.section("Time of ranks by activity");
    page.drawing("Share of the time, the mean of all ranks", ShareDrawing.of(
        spent.stream().map(MetricParts::name).toList(), spent.stream().map(Metric::value).toList()));
    HtmlTable table = new HtmlTable("Time of ranks by activity", List.of("Activity", "Time [ms]", "Share [%]"));
    double all = spent.stream().mapToDouble(Metric::value).sum();
    for (Metric metric : spent) {
      table.row(List.of(
          Cell.text(name(metric)), Cell.number(metric.value() / 1e3), Cell.percent(100 * metric.value() / all, 1)));
    }
    page.table(table);
  }

  private static String name(Metric activity) {
    return activity.title().replace(" (mean)", "");
  }

  private static void collectives(HtmlPage page, List<Metric> metrics) {
    Map<String, double[]> rows = new LinkedHashMap<>();
    for (Metric metric : metrics) {
      int figure = OF_COLLECTIVE.indexOf(metric.id().substring(metric.id().lastIndexOf('.') + 1));
      int end = metric.title().lastIndexOf(": ");
      rows.computeIfAbsent(metric.title().substring(0, end), kind -> new double[OF_COLLECTIVE.size()])[figure] =
          metric.value();
    }
    if (rows.isEmpty()) {
      return;
    }
    page.section("Collectives");
    NumberText.Scale time = scale(rows, 1, "us");
    NumberText.Scale rate = scale(rows, 2, "GB/s");
    HtmlTable table = new HtmlTable("Collectives", List.of("Collective", "Calls", "Time (mean) [" + time.unit() + "]",
        "algbw [" + rate.unit() + "]", "busbw [" + rate.unit() + "]"));
    rows.forEach((kind, figures) -> table.row(List.of(
        Cell.text(kind), Cell.count(Math.round(figures[0])), Cell.number(figures[1] * time.factor()),
        Cell.number(figures[2] * rate.factor()), Cell.number(figures[3] * rate.factor()))));
    page.table(table);
  }

  // The unit of a column, by its largest figure.
  private static NumberText.Scale scale(Map<String, double[]> rows, int figure, String unit) {
    return NumberText.scale(rows.values().stream().mapToDouble(figures -> figures[figure]).max().orElse(0), unit);
  }
}
