package dev.heddle.spi;

import dev.heddle.results.Results.Metric;
import dev.heddle.spi.Workload.Activity;
import java.util.List;

/**
 * Provides {@link Workload}s.
 *
 * @param <S> the settings record
 */
public interface WorkloadProvider<S extends Record> extends Provider<S, Workload> {
  /** The activities that plans can have, for lists of metrics. */
  default List<Activity> activities() {
    return List.of();
  }

  /** The metrics that plans can have besides those of activities, for lists of metrics; their values do not count. */
  default List<Metric> metrics() {
    return List.of();
  }
}
