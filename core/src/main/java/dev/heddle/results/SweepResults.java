package dev.heddle.results;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Map;

/**
 * The results of a sweep: one point per combination of the swept fields.
 *
 * @param scenario name of the scenario
 * @param description of the scenario
 * @param axes the swept fields, outermost first
 * @param plots of the points, as the scenario defines them; may be empty
 * @param rankings of the points against the first, as the scenario defines them; may be empty
 * @param points in the order of the axes, the last axis running fastest; of an unfinished sweep, the finished ones
 */
public record SweepResults(
    String scenario, String description, List<Axis> axes, List<Plot> plots, List<Ranking> rankings,
    List<Point> points) {
  /** Copies the lists. */
  public SweepResults {
    axes = ImmutableList.copyOf(axes);
    plots = ImmutableList.copyOf(plots);
    rankings = ImmutableList.copyOf(rankings);
    points = ImmutableList.copyOf(points);
  }

  /** A sweep without rankings. */
  public SweepResults(String scenario, String description, List<Axis> axes, List<Plot> plots, List<Point> points) {
    this(scenario, description, axes, plots, ImmutableList.of(), points);
  }

  /**
   * One swept field.
   *
   * @param path of the field within the scenario
   * @param label for people
   * @param values as written
   */
  public record Axis(String path, String label, List<String> values) {
    /** Copies the list. */
    public Axis {
      values = ImmutableList.copyOf(values);
    }
  }

  /**
   * A figure: a row of panels, one per value of the panel axis, each with one curve per value of the series axis.
   *
   * @param title of the figure
   * @param metric id of the metric on the ordinate
   * @param x path of the axis on the abscissa
   * @param series path of the axis with one curve per value; empty for one curve
   * @param panels path of the axis with one panel per value; empty for one panel
   * @param logY whether the ordinate is logarithmic
   */
  public record Plot(String title, String metric, String x, String series, String panels, boolean logY) {}

  /**
   * A table of the change of a metric at each point against the first point, the largest decrease first: the cost of
   * bottlenecks, where each point removes one.
   *
   * @param title of the table
   * @param metric id of the metric
   */
  public record Ranking(String title, String metric) {}

  /**
   * One finished point.
   *
   * @param parameters value of each axis as written, by path
   * @param results of the point
   */
  public record Point(Map<String, String> parameters, Results results) {
    /** Copies the map, keeping its order. */
    public Point {
      parameters = ImmutableMap.copyOf(parameters);
    }
  }
}
