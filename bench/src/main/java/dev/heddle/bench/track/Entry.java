package dev.heddle.bench.track;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a history: measurements of one commit on one class of machines, in pairs with a baseline or alone.
 *
 * @param format version of the format, {@link #FORMAT}
 * @param commit identity of the measured state
 * @param date of the commit, in UTC
 * @param machine that measured
 * @param note on the circumstances, such as other load
 * @param options of the measured virtual machines
 * @param series measurements by case
 * @param baseline the state measured in turn with it; null where it was measured alone
 */
record Entry(
    int format,
    String commit,
    String date,
    Machine machine,
    String note,
    List<String> options,
    List<Series> series,
    @Nullable Baseline baseline) {
  /** The version of the format that is written and read. */
  static final int FORMAT = 1;

  Entry {
    options = ImmutableList.copyOf(options);
    series = ImmutableList.copyOf(series);
  }

  /**
   * The other state of a paired measurement. In each round both were measured, in the order of {@link Rounds}.
   *
   * @param commit its identity
   * @param date of the commit, in UTC
   * @param series measurements by case
   */
  record Baseline(String commit, String date, List<Series> series) {
    Baseline {
      series = ImmutableList.copyOf(series);
    }
  }

  /** The baseline's measurements of a case. */
  Optional<Series> baseline(Case measured) {
    return Optional.ofNullable(baseline).flatMap(
        other -> other.series().stream().filter(each -> each.measured().equals(measured)).findFirst());
  }

  /** The comparison of the processor time of a case with the baseline. */
  Optional<Comparison> comparison(Series of) {
    List<Double> build = of.measures().getOrDefault(Measurement.PROCESSOR_NS, List.of());
    return baseline(of.measured()).map(other -> other.measures().getOrDefault(Measurement.PROCESSOR_NS, List.of()))
        .filter(other -> !other.isEmpty() && !build.isEmpty()).map(other -> Comparison.of(build, other));
  }
}
