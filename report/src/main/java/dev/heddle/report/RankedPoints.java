package dev.heddle.report;

import com.google.common.collect.ImmutableList;
import dev.heddle.results.Results.Metric;
import dev.heddle.results.SweepResults;
import dev.heddle.results.SweepResults.Point;
import dev.heddle.results.SweepResults.Ranking;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The points of a sweep by what they change of a metric against the first, the greatest fall first; among equals in their
 * order.
 *
 * @param title of the table
 * @param unit of the metric
 * @param baseline name of the first point
 * @param value of the first point
 * @param rows of the others
 */
record RankedPoints(String title, String unit, String baseline, double value, List<Row> rows) {
  RankedPoints {
    rows = ImmutableList.copyOf(rows);
  }

  /**
   * A point.
   *
   * @param name values of the axes
   * @param value of the metric
   * @param fall against the first point; negative for a rise
   * @param fallPct in percent of the first point's value
   */
  record Row(String name, double value, double fall, double fallPct) {}

  /** The rankings of a sweep whose first point is there; those of a metric that it lacks are left out. */
  static List<RankedPoints> of(SweepResults sweep) {
    List<RankedPoints> all = new ArrayList<>();
    for (Ranking ranking : sweep.rankings()) {
      first(sweep).flatMap(first -> first.results().metric(ranking.metric())
          .map(metric -> of(sweep, ranking, first, metric)))
          .ifPresent(all::add);
    }
    return all;
  }

  private static Optional<Point> first(SweepResults sweep) {
    return sweep.points().stream()
        .filter(point -> sweep.axes().stream()
            .allMatch(axis -> axis.values().get(0).equals(point.parameters().get(axis.path()))))
        .findFirst();
  }

  private static RankedPoints of(SweepResults sweep, Ranking ranking, Point first, Metric baseline) {
    List<Row> rows = new ArrayList<>();
    for (Point point : sweep.points()) {
      Optional<Metric> metric = point.results().metric(ranking.metric());
      if (point != first && metric.isPresent()) {
        double fall = baseline.value() - metric.get().value();
        rows.add(new Row(name(point), metric.get().value(), fall, 100 * fall / baseline.value()));
      }
    }
    rows.sort(Comparator.comparingDouble((Row row) -> -row.fall()));
    return new RankedPoints(ranking.title(), baseline.unit(), name(first), baseline.value(), rows);
  }

  private static String name(Point point) {
    return String.join(", ", point.parameters().values());
  }
}
