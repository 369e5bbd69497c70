package dev.heddle.report;

import com.google.common.collect.ImmutableList;
import dev.heddle.results.Results;
import dev.heddle.results.SweepResults;
import dev.heddle.results.SweepResults.Axis;
import dev.heddle.results.SweepResults.Plot;
import dev.heddle.results.SweepResults.Point;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A plot of a sweep laid out: a row of panels with common axes.
 *
 * @param title of the figure
 * @param xTitle of the abscissa, with its unit
 * @param yTitle of the ordinate, with its unit
 * @param unit of the ordinate
 * @param x how the values of the abscissa's field lie
 * @param logY whether the ordinate is logarithmic
 * @param series names of all curves, in the order of the axis, once for all panels
 * @param panels in the order of the axis
 */
record Figure(
    String title,
    String xTitle,
    String yTitle,
    String unit,
    AxisScale x,
    boolean logY,
    List<String> series,
    List<Panel> panels) {
  private static final int DEFAULT_FIGURES = 6;

  Figure {
    series = ImmutableList.copyOf(series);
    panels = ImmutableList.copyOf(panels);
  }

  /**
   * One panel.
   *
   * @param title value of the panel axis; empty for a single panel
   * @param curves by name
   */
  record Panel(String title, List<Curve> curves) {
    Panel {
      curves = ImmutableList.copyOf(curves);
    }
  }

  /**
   * One curve.
   *
   * @param name of the series
   * @param labels abscissae as written
   * @param x their positions, ascending
   * @param y ordinates; NaN where nothing was measured
   */
  record Curve(String name, List<String> labels, List<Double> x, List<Double> y) {
    Curve {
      labels = ImmutableList.copyOf(labels);
      x = ImmutableList.copyOf(x);
      y = ImmutableList.copyOf(y);
    }
  }

  /**
   * The figures of a sweep: the plots that the scenario asks for, or its first metrics over its longest axis; without
   * points none.
   */
  static List<Figure> of(SweepResults sweep) {
    if (sweep.points().isEmpty()) {
      return List.of();
    }
    List<Plot> plots = sweep.plots().isEmpty() && sweep.rankings().isEmpty() ? defaults(sweep) : sweep.plots();
    return plots.stream().map(plot -> of(sweep, plot)).collect(ImmutableList.toImmutableList());
  }

  /** Lays out one plot; axes that the plot does not name tell curves apart too. */
  static Figure of(SweepResults sweep, Plot plot) {
    Axis xAxis = axis(sweep, plot.x()).orElseGet(() -> new Axis(plot.x(), plot.x(), List.of()));
    AxisScale scale = AxisScale.of(xAxis);
    List<Axis> others = sweep.axes().stream()
        .filter(axis -> !axis.path().equals(plot.x()) && !axis.path().equals(plot.panels()))
        .sorted((a, b) -> Boolean.compare(b.path().equals(plot.series()), a.path().equals(plot.series())))
        .toList();
    Map<String, Map<String, List<Point>>> groups = new LinkedHashMap<>();
    for (Point point : sweep.points()) {
      String panel = point.parameters().getOrDefault(plot.panels(), "");
      String series = others.stream()
          .map(axis -> point.parameters().getOrDefault(axis.path(), ""))
          .filter(value -> !value.isEmpty())
          .collect(Collectors.joining(", "));
      groups.computeIfAbsent(panel, any -> new LinkedHashMap<>())
          .computeIfAbsent(series, any -> new ArrayList<>())
          .add(point);
    }
    List<String> names = groups.values().stream().flatMap(panel -> panel.keySet().stream()).distinct().toList();
    List<Panel> panels = new ArrayList<>();
    groups.forEach((title, curves) -> {
      List<Curve> drawn = new ArrayList<>();
      curves.forEach((name, points) -> drawn.add(curve(name, points, plot, scale)));
      panels.add(new Panel(title, drawn));
    });
    Quantities.Quantity quantity = quantity(sweep, plot.metric());
    return new Figure(
        plot.title().isEmpty() ? quantity.title() : plot.title(),
        NumberText.titled(xAxis.label(), scale.unit()),
        NumberText.titled(quantity.title(), quantity.unit()),
        quantity.unit(),
        scale,
        plot.logY(),
        names,
        panels);
  }

  private static Curve curve(String name, List<Point> points, Plot plot, AxisScale scale) {
    List<Point> ordered = points.stream()
        .sorted((a, b) -> Double.compare(position(a, plot, scale), position(b, plot, scale)))
        .toList();
    return new Curve(
        name,
        ordered.stream().map(point -> point.parameters().getOrDefault(plot.x(), "")).toList(),
        ordered.stream().map(point -> position(point, plot, scale)).toList(),
        ordered.stream().map(point -> Quantities.value(point.results(), plot.metric())).toList());
  }

  private static double position(Point point, Plot plot, AxisScale scale) {
    return scale.position(point.parameters().getOrDefault(plot.x(), ""));
  }

  private static Quantities.Quantity quantity(SweepResults sweep, String id) {
    List<Results> all = sweep.points().stream().map(Point::results).toList();
    return Quantities.of(all).stream()
        .filter(quantity -> quantity.id().equals(id))
        .findFirst()
        .orElseGet(() -> new Quantities.Quantity(id, id, ""));
  }

  private static Optional<Axis> axis(SweepResults sweep, String path) {
    return sweep.axes().stream().filter(axis -> axis.path().equals(path)).findFirst();
  }

  private static List<Plot> defaults(SweepResults sweep) {
    if (sweep.axes().isEmpty() || sweep.points().isEmpty()) {
      return List.of();
    }
    List<Axis> axes = new ArrayList<>(sweep.axes());
    axes.sort((a, b) -> {
      int numeric = Boolean.compare(AxisScale.of(b).numeric(), AxisScale.of(a).numeric());
      return numeric != 0 ? numeric : Integer.compare(b.values().size(), a.values().size());
    });
    String x = axes.get(0).path();
    axes.remove(0);
    axes.sort((a, b) -> Integer.compare(b.values().size(), a.values().size()));
    String series = axes.isEmpty() ? "" : axes.get(0).path();
    String panels = axes.size() < 2 ? "" : axes.get(1).path();
    return SweepTable.quantities(sweep).stream()
        .limit(DEFAULT_FIGURES)
        .map(quantity -> new Plot(quantity.title(), quantity.id(), x, series, panels, false))
        .toList();
  }
}
