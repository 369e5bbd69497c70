package dev.heddle.report;

import dev.heddle.report.TextTable.Column;
import dev.heddle.results.Results;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.results.Results.Metric;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Tables of two runs side by side. */
final class Comparison {
  private static final int MOST_LINKS = 10;
  private static final double LEAST_DIFFERENCE = 0.0005;

  private Comparison() {}

  /** The metrics of both runs, in the order of the second, with the change in percent. */
  static List<String> metrics(Results before, Results after, int width) {
    TextTable table = new TextTable(List.of(
        Column.label("metric"), Column.number("A", 0), Column.number("B", 0), new Column("unit", false, 1),
        Column.number("change %", 0)));
    Map<String, Metric> old = byId(before);
    Map<String, Metric> now = byId(after);
    Set<String> ids = new LinkedHashSet<>();
    MetricRows.of(after.metrics()).forEach(metric -> ids.add(metric.id()));
    MetricRows.of(before.metrics()).forEach(metric -> ids.add(metric.id()));
    for (String id : ids) {
      Metric any = now.containsKey(id) ? now.get(id) : old.get(id);
      double a = old.containsKey(id) ? old.get(id).value() : Double.NaN;
      double b = now.containsKey(id) ? now.get(id).value() : Double.NaN;
      table.row(List.of(
          any.title(), NumberText.of(a), NumberText.of(b), any.unit().equals("1") ? "" : any.unit(), change(a, b)));
    }
    return table.lines(width);
  }

  private static Map<String, Metric> byId(Results results) {
    Map<String, Metric> metrics = new LinkedHashMap<>();
    results.metrics().forEach(metric -> metrics.put(metric.id(), metric));
    return metrics;
  }

  private static String change(double a, double b) {
    if (Double.isNaN(a) || Double.isNaN(b)) {
      return NumberText.NONE;
    }
    return a == b ? "0" : a == 0 ? NumberText.NONE : String.format(Locale.ROOT, "%+.2f", 100 * (b - a) / a);
  }

  /** The links of both runs whose use differs most; none where all are used alike. */
  static List<String> links(Results before, Results after, int width) {
    Map<String, LinkUsage> old = new LinkedHashMap<>();
    before.links().forEach(link -> old.put(link.name(), link));
    List<LinkUsage> both =
        new ArrayList<>(after.links().stream().filter(link -> old.containsKey(link.name())).toList());
    both.removeIf(link -> difference(link, old) < LEAST_DIFFERENCE);
    both.sort(Comparator.comparingDouble((LinkUsage link) -> -difference(link, old)).thenComparing(LinkUsage::name));
    if (both.isEmpty()) {
      return List.of();
    }
    TextTable table = new TextTable(List.of(
        Column.label("link"), Column.number("A used %", 0), Column.number("B used %", 0),
        Column.number("A stalled %", 1), Column.number("B stalled %", 1)));
    both.stream().limit(MOST_LINKS).forEach(link -> table.row(List.of(
        link.name(), NumberText.percent(old.get(link.name()).utilization()), NumberText.percent(link.utilization()),
        NumberText.percent(old.get(link.name()).creditStall()), NumberText.percent(link.creditStall()))));
    return table.lines(width);
  }

  private static double difference(LinkUsage link, Map<String, LinkUsage> old) {
    LinkUsage other = old.get(link.name());
    return other == null ? 0 : Math.abs(link.utilization() - other.utilization());
  }
}
