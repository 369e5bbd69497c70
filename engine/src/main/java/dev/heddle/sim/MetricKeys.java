package dev.heddle.sim;

import com.google.common.collect.ImmutableList;
import dev.heddle.collective.CollectiveOp;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The keys that the results of a simulation can have, known before it runs.
 *
 * @param metrics keys of scalar figures; of collectives those of a run with one kind of collective
 * @param distributions keys of distributions
 */
public record MetricKeys(List<String> metrics, List<String> distributions) {
  /** The figures of a kind of collectives, in the order of results. */
  static final List<String> COLLECTIVE_FIGURES = List.of("count", "time", "algbw", "busbw");

  /** A collective of a run with several kinds: operation, bytes of the largest buffer, ranks. */
  private static final Pattern SIZED = Pattern.compile("(collective\\.[a-z_]+)\\.\\d+\\.\\d+(\\.[a-z]+)");

  /** Copies the lists. */
  public MetricKeys {
    metrics = ImmutableList.copyOf(metrics);
    distributions = ImmutableList.copyOf(distributions);
  }

  /** Whether results can have a metric of this key. */
  public boolean has(String key) {
    return metrics.contains(SIZED.matcher(key).replaceFirst("$1$2"));
  }

  static List<String> ofCollectives() {
    return Arrays.stream(CollectiveOp.values())
        .flatMap(op -> COLLECTIVE_FIGURES.stream().map(figure -> "collective." + op.key() + "." + figure)).toList();
  }
}
