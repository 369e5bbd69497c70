package dev.heddle.report;

import dev.heddle.report.TextTable.Column;
import dev.heddle.results.Results;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.results.Results.Metric;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/** Tables of two runs side by side: their settings, figures, time by activity, and links. */
final class Comparison {
  private static final int MOST_LINKS = 10;
  private static final int MOST_FIELDS = 30;
  private static final double LEAST_DIFFERENCE = 0.0005;
  private static final String ACTIVITY = "activity.";
  private static final String DEFAULT = "(default)";

  private Comparison() {}

  /** The settings that differ; none where both have the same. */
  static List<String> fields(Map<String, String> before, Map<String, String> after, int width) {
    TextTable table = new TextTable(List.of(
        Column.label("setting"), Column.label("A"), Column.label("B")));
    List<String> changed = union(before.keySet(), after.keySet()).stream()
        .filter(path -> !before.getOrDefault(path, DEFAULT).equals(after.getOrDefault(path, DEFAULT)))
        .toList();
    changed.stream().limit(MOST_FIELDS).forEach(path -> table.row(List.of(
        path, before.getOrDefault(path, DEFAULT), after.getOrDefault(path, DEFAULT))));
    List<String> lines = new ArrayList<>(changed.isEmpty() ? List.of() : table.lines(width));
    if (changed.size() > MOST_FIELDS) {
      lines.add("  ... and " + (changed.size() - MOST_FIELDS) + " more");
    }
    return lines;
  }

  private static Set<String> union(Collection<String> first, Collection<String> second) {
    Set<String> all = new LinkedHashSet<>(first);
    all.addAll(second);
    return all;
  }

  /** The metrics of both runs, in the order of the second, with the change in percent; without those of activities. */
  static List<String> metrics(Results before, Results after, int width) {
    return metrics(before, after, false, width);
  }

  /** The ranks' mean time by activity, the largest change first; none where neither run has any. */
  static List<String> activities(Results before, Results after, int width) {
    return metrics(before, after, true, width);
  }

  private static List<String> metrics(Results before, Results after, boolean activities, int width) {
    Map<String, Metric> old = byId(before);
    Map<String, Metric> now = byId(after);
    List<String> ids = new ArrayList<>(union(ids(after), ids(before)));
    ids.removeIf(id -> id.startsWith(ACTIVITY) != activities
        || activities && value(old, id, 0) == 0 && value(now, id, 0) == 0);
    if (activities) {
      ids.sort(Comparator.comparingDouble(id -> -Math.abs(value(now, id, 0) - value(old, id, 0))));
    }
    TextTable table = new TextTable(List.of(
        Column.label(activities ? "activity" : "metric"), Column.number("A", 0), Column.number("B", 0),
        Column.number("B - A", 2), new Column("unit", false, 1), Column.number("change %", 0)));
    for (String id : ids) {
      Metric any = Objects.requireNonNull(now.getOrDefault(id, old.get(id)));
      double missing = activities ? 0 : Double.NaN;
      double a = value(old, id, missing);
      double b = value(now, id, missing);
      double larger = Double.isNaN(a) ? b : Double.isNaN(b) ? a : Math.max(Math.abs(a), Math.abs(b));
      NumberText.Scale scale = NumberText.scale(larger, any.unit());
      table.row(List.of(
          any.title(), scale.of(a), scale.of(b), scale.of(b - a), scale.unit(), change(a, b)));
    }
    return ids.isEmpty() ? List.of() : table.lines(width);
  }

  private static List<String> ids(Results results) {
    return MetricRows.of(results.metrics()).stream().map(Metric::id).toList();
  }

  private static double value(Map<String, Metric> metrics, String id, double missing) {
    Metric metric = metrics.get(id);
    return metric == null ? missing : metric.value();
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

  /** The links of each tier that both runs have: how many, and the mean of their use and of their waits for credits. */
  static List<String> tiers(Results before, Results after, int width) {
    Set<String> tiers = union(before.links().stream().map(LinkUsage::tier).toList(),
        after.links().stream().map(LinkUsage::tier).toList());
    TextTable table = new TextTable(List.of(
        Column.label("tier"), Column.number("A links", 2), Column.number("B links", 2), Column.number("A used %", 0),
        Column.number("B used %", 0), Column.number("A stalled %", 1), Column.number("B stalled %", 1)));
    tiers.forEach(tier -> table.row(List.of(
        tier, NumberText.count(links(before, tier).size()), NumberText.count(links(after, tier).size()),
        NumberText.percent(mean(before, tier, LinkUsage::utilization)),
        NumberText.percent(mean(after, tier, LinkUsage::utilization)),
        NumberText.percent(mean(before, tier, LinkUsage::creditStall)),
        NumberText.percent(mean(after, tier, LinkUsage::creditStall)))));
    return tiers.isEmpty() ? List.of() : table.lines(width);
  }

  private static List<LinkUsage> links(Results results, String tier) {
    return results.links().stream().filter(link -> link.tier().equals(tier)).toList();
  }

  private static double mean(Results results, String tier, ToDoubleFunction<LinkUsage> share) {
    return links(results, tier).stream().mapToDouble(share).average().orElse(Double.NaN);
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
    both.stream().limit(MOST_LINKS).forEach(link -> {
      LinkUsage past = Objects.requireNonNull(old.get(link.name()));
      table.row(List.of(
          link.name(), NumberText.percent(past.utilization()), NumberText.percent(link.utilization()),
          NumberText.percent(past.creditStall()), NumberText.percent(link.creditStall())));
    });
    return table.lines(width);
  }

  private static double difference(LinkUsage link, Map<String, LinkUsage> old) {
    LinkUsage other = old.get(link.name());
    return other == null ? 0 : Math.abs(link.utilization() - other.utilization());
  }
}
