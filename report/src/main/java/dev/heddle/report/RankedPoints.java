package dev.heddle.report;

import com.google.common.collect.ImmutableList;
import dev.heddle.report.Quantities.Quantity;
import dev.heddle.results.SweepResults;
import dev.heddle.results.SweepResults.Point;
import dev.heddle.results.SweepResults.Ranking;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The points of a sweep by their change of a metric against the first, the largest decrease first; among equals in
 * their order.
 *
 * @param title of the table
 * @param unit of the texts, in which the first point's value has one to three digits before the point
 * @param scale of the metric's values to that unit
 * @param baseline name of the first point
 * @param value of the first point
 * @param rows of the others
 */
record RankedPoints(String title, String unit, double scale, String baseline, double value, List<Row> rows) {
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
      first(sweep).flatMap(first -> quantity(first, ranking.metric())
          .map(quantity -> of(sweep, ranking, first, quantity)))
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

  private static Optional<Quantity> quantity(Point point, String id) {
    return Quantities.of(List.of(point.results())).stream().filter(quantity -> quantity.id().equals(id)).findFirst();
  }

  private static RankedPoints of(SweepResults sweep, Ranking ranking, Point first, Quantity quantity) {
    double baseline = Quantities.value(first.results(), quantity.id());
    List<Row> rows = new ArrayList<>();
    for (Point point : sweep.points()) {
      double value = Quantities.value(point.results(), quantity.id());
      if (point != first && !Double.isNaN(value)) {
        double fall = baseline - value;
        rows.add(new Row(name(point), value, fall, 100 * fall / baseline));
      }
    }
    rows.sort(Comparator.comparingDouble((Row row) -> -row.fall()));
    NumberText.Scale scale = NumberText.scale(baseline, quantity.unit());
    return new RankedPoints(ranking.title(), scale.unit(), scale.factor(), name(first), baseline, rows);
  }

  /** A value of the metric in the unit of the texts. */
  String text(double metric) {
    return NumberText.of(metric * scale);
  }

  private static String name(Point point) {
    return String.join(", ", point.parameters().values());
  }
}
