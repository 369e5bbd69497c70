package dev.heddle.report;

import dev.heddle.report.Quantities.Quantity;
import dev.heddle.report.TextTable.Column;
import dev.heddle.results.Results.Metric;
import dev.heddle.results.SweepResults;
import dev.heddle.results.SweepResults.Point;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The points of a sweep without plots as one table: the axes, then the metrics that differ between points. */
final class SweepTable {
  private static final int MOST_ROWS = 40;
  private static final int MOST_METRICS = 8;

  private SweepTable() {}

  /** The lines of the table, at most {@code width} columns wide. */
  static List<String> lines(SweepResults sweep, int width) {
    List<Quantity> quantities = quantities(sweep);
    List<Column> columns = new ArrayList<>();
    sweep.axes().forEach(axis -> columns.add(Column.label(axis.label())));
    for (int i = 0; i < quantities.size(); i++) {
      columns.add(Column.number(NumberText.titled(quantities.get(i).title(), quantities.get(i).unit()), i));
    }
    TextTable table = new TextTable(columns);
    for (Point point : sweep.points().subList(0, Math.min(MOST_ROWS, sweep.points().size()))) {
      List<String> cells = new ArrayList<>();
      sweep.axes().forEach(axis -> cells.add(point.parameters().getOrDefault(axis.path(), "")));
      quantities.forEach(quantity -> cells.add(NumberText.of(Quantities.value(point.results(), quantity.id()))));
      table.row(cells);
    }
    List<String> lines = new ArrayList<>(table.lines(width));
    if (sweep.points().size() > MOST_ROWS) {
      lines.addAll(TextTable.wrap(
          "... and " + (sweep.points().size() - MOST_ROWS) + " more points; results.csv has all", width));
    }
    return lines;
  }

  /** The first metrics, in the order of a run's report, that differ between points; of one point, the first of all. */
  static List<Quantity> quantities(SweepResults sweep) {
    Set<String> metrics = sweep.points().stream().flatMap(point -> point.results().metrics().stream()).map(Metric::id)
        .collect(Collectors.toCollection(LinkedHashSet::new));
    List<Quantity> ordered = Quantities.ordered(sweep.points().stream().map(Point::results).toList()).stream()
        .filter(quantity -> metrics.contains(quantity.id())).toList();
    List<Quantity> differing = ordered.stream().filter(quantity -> differs(sweep, quantity)).toList();
    return (differing.isEmpty() ? ordered : differing).stream().limit(MOST_METRICS).collect(Collectors.toList());
  }

  private static boolean differs(SweepResults sweep, Quantity quantity) {
    return sweep.points().stream().mapToDouble(point -> Quantities.value(point.results(), quantity.id())).distinct()
        .count() > 1;
  }
}
