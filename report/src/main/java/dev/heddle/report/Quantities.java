package dev.heddle.report;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import dev.heddle.results.Results;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** The scalar quantities of results: the metrics, then each distribution's figures as {@code fct.p99}. */
final class Quantities {
  private static final Map<String, ToDoubleFunction<Results.Distribution>> FIGURES = figures();

  private Quantities() {}

  /**
   * A scalar quantity.
   *
   * @param id a metric's key, or a distribution's key with a suffix
   * @param title for people
   * @param unit of the values
   */
  record Quantity(String id, String title, String unit) {
    private static final Splitter PARTS = Splitter.on(", ");

    /** The quantity of both results: its title keeps the parts before the colon that both titles have. */
    Quantity and(Quantity other) {
      int end = title.lastIndexOf(": ");
      int otherEnd = other.title.lastIndexOf(": ");
      if (title.equals(other.title) || end < 0 || otherEnd < 0) {
        return this;
      }
      List<String> shared = PARTS.splitToList(title.substring(0, end));
      List<String> others = PARTS.splitToList(other.title.substring(0, otherEnd));
      String kept = shared.stream().filter(others::contains).collect(Collectors.joining(", "));
      return new Quantity(id, kept.isEmpty() ? title.substring(end + 2) : kept + title.substring(end), unit);
    }
  }

  /** All quantities that any of the results has, in the order in which they first occur. */
  static List<Quantity> of(List<Results> all) {
    Map<String, Quantity> metrics = new LinkedHashMap<>();
    Map<String, Quantity> figures = new LinkedHashMap<>();
    for (Results results : all) {
      for (Results.Metric metric : results.metrics()) {
        metrics.merge(metric.id(), new Quantity(metric.id(), metric.title(), metric.unit()), Quantity::and);
      }
      for (Results.Distribution distribution : results.distributions()) {
        for (String suffix : FIGURES.keySet()) {
          String id = distribution.id() + "." + suffix;
          String unit = suffix.equals("count") ? "1" : distribution.unit();
          figures.merge(id, new Quantity(id, distribution.title() + ", " + suffix, unit), Quantity::and);
        }
      }
    }
    figures.keySet().removeAll(metrics.keySet());
    return ImmutableList.<Quantity>builder().addAll(metrics.values()).addAll(figures.values()).build();
  }

  /** All quantities of which some result has a value, the metrics in the order of a run's report. */
  static List<Quantity> ordered(List<Results> all) {
    List<Quantity> known = of(all);
    List<Quantity> ordered = new ArrayList<>();
    all.stream().flatMap(results -> MetricRows.of(results.metrics()).stream()).map(Results.Metric::id).distinct()
        .forEach(id -> known.stream().filter(quantity -> quantity.id().equals(id)).forEach(ordered::add));
    Set<String> metrics = all.stream().flatMap(results -> results.metrics().stream()).map(Results.Metric::id)
        .collect(Collectors.toCollection(LinkedHashSet::new));
    known.stream().filter(quantity -> !metrics.contains(quantity.id()))
        .filter(quantity -> all.stream().anyMatch(results -> !Double.isNaN(value(results, quantity.id()))))
        .forEach(ordered::add);
    return ordered;
  }

  /** The figures of a distribution, by the last part of their keys. */
  static Set<String> suffixes() {
    return FIGURES.keySet();
  }

  /** The value of a quantity; NaN where the results do not have it. */
  static double value(Results results, String id) {
    Optional<Results.Metric> metric = results.metric(id);
    if (metric.isPresent()) {
      return metric.get().value();
    }
    int dot = id.lastIndexOf('.');
    ToDoubleFunction<Results.Distribution> figure = dot < 0 ? null : FIGURES.get(id.substring(dot + 1));
    if (figure == null) {
      return Double.NaN;
    }
    return results.distribution(id.substring(0, dot)).map(figure::applyAsDouble).orElse(Double.NaN);
  }

  private static Map<String, ToDoubleFunction<Results.Distribution>> figures() {
    Map<String, ToDoubleFunction<Results.Distribution>> figures = new LinkedHashMap<>();
    figures.put("count", Results.Distribution::count);
    figures.put("mean", Results.Distribution::mean);
    figures.put("min", Results.Distribution::min);
    figures.put("p50", Results.Distribution::p50);
    figures.put("p90", Results.Distribution::p90);
    figures.put("p99", Results.Distribution::p99);
    figures.put("p999", Results.Distribution::p999);
    figures.put("max", Results.Distribution::max);
    return figures;
  }
}
