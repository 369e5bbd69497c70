package dev.heddle.report;

import com.google.common.collect.ImmutableList;
import dev.heddle.results.SweepResults;
import dev.heddle.results.SweepResults.Plot;
import dev.heddle.results.SweepResults.Ranking;
import dev.heddle.spi.NearestMatch;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The keys of metrics that plots and rankings name, and checks of them. */
public final class ReportKeys {
  private static final int MOST_SHOWN = 12;

  private ReportKeys() {}

  /** The keys that plots and rankings name, each once. */
  public static List<String> named(List<Plot> plots, List<Ranking> rankings) {
    return Stream.concat(plots.stream().map(Plot::metric), rankings.stream().map(Ranking::metric)).distinct().toList();
  }

  /** Whether a key is a figure of one of the distributions, such as {@code fct.p99}. */
  public static boolean isFigure(String key, Collection<String> distributions) {
    return figures(distributions).contains(key);
  }

  /** The keys of metrics and of the figures of distributions, in this order. */
  public static List<String> all(Collection<String> metrics, Collection<String> distributions) {
    return Stream.concat(metrics.stream(), figures(distributions).stream()).distinct().toList();
  }

  /** The message about a key that no point has. */
  public static String unknown(String key, Collection<String> known) {
    String more = known.size() > MOST_SHOWN ? " and " + (known.size() - MOST_SHOWN)
        + " more, which docs/reference/metrics.md and heddle describe list" : "";
    return "no point has the metric '" + key + "'" + NearestMatch.hint(key, known)
        + "; there are " + known.stream().limit(MOST_SHOWN).collect(Collectors.joining(", ")) + more;
  }

  /** Messages about the keys of a finished sweep that none of its points has. */
  public static List<String> absent(SweepResults sweep) {
    if (sweep.points().isEmpty()) {
      return List.of();
    }
    List<String> known = Quantities.of(sweep.points().stream().map(SweepResults.Point::results).toList()).stream()
        .map(Quantities.Quantity::id).toList();
    return named(sweep.plots(), sweep.rankings()).stream().filter(key -> !known.contains(key))
        .map(key -> "report: " + unknown(key, known)).toList();
  }

  private static List<String> figures(Collection<String> distributions) {
    ImmutableList.Builder<String> figures = ImmutableList.builder();
    distributions.forEach(id -> Quantities.suffixes().forEach(suffix -> figures.add(id + "." + suffix)));
    return figures.build();
  }
}
