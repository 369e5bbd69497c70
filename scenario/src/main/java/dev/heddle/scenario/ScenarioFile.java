package dev.heddle.scenario;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.results.SweepResults;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A scenario file with everything applied: one point, or the points of its sweep, each bound and checked.
 *
 * @param name of the scenario
 * @param description for people
 * @param axes of the sweep, outermost first; empty without one
 * @param plots of the sweep
 * @param rankings of its points
 * @param points in the order of the axes, the last running fastest; exactly one without a sweep
 * @param hash over everything that affects results, in hexadecimal: equal files have equal hashes
 */
public record ScenarioFile(
    String name,
    String description,
    List<SweepResults.Axis> axes,
    List<SweepResults.Plot> plots,
    List<SweepResults.Ranking> rankings,
    List<Point> points,
    String hash) {
  /** Copies the lists. */
  public ScenarioFile {
    axes = ImmutableList.copyOf(axes);
    plots = ImmutableList.copyOf(plots);
    rankings = ImmutableList.copyOf(rankings);
    points = ImmutableList.copyOf(points);
  }

  /**
   * One combination of the swept fields.
   *
   * @param key hash over everything that affects the point's results, the contents of named files included, in
   *     hexadecimal
   * @param parameters value of each axis as written, by path
   * @param binding binds the point, which was checked when the file was read; of a long sweep, anew at every call
   */
  public record Point(String key, Map<String, String> parameters, Supplier<Scenario> binding) {
    /** Copies the map, keeping its order. */
    public Point {
      parameters = ImmutableMap.copyOf(parameters);
    }

    /** The bound scenario. */
    public Scenario scenario() {
      return binding.get();
    }
  }

  /** Whether the file has a sweep. */
  public boolean swept() {
    return !axes.isEmpty();
  }
}
