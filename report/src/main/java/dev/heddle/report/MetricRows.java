package dev.heddle.report;

import com.google.common.collect.ImmutableSet;
import dev.heddle.results.Results.Metric;
import java.util.ArrayList;
import java.util.List;

/**
 * The metrics of a run in the order in which people read them: the time, the workload's own figures and its collectives
 * first, then the network's messages. Metrics without a value are left out.
 */
final class MetricRows {
  /** Keys of the network's metrics, by their first part. */
  private static final ImmutableSet<String> NETWORK = ImmutableSet.of("intra", "inter", "fct", "messages", "packets");

  private MetricRows() {}

  /** The metrics that have a value. */
  static List<Metric> of(List<Metric> metrics) {
    List<Metric> present = metrics.stream().filter(metric -> !Double.isNaN(metric.value())).toList();
    List<Metric> head = present.stream().filter(metric -> !network(metric)).toList();
    // The time alone says nothing of a run whose length its scenario states.
    if (head.stream().allMatch(metric -> metric.id().equals("time"))) {
      return present;
    }
    List<Metric> ordered = new ArrayList<>(head.stream().filter(metric -> metric.id().equals("time")).toList());
    ordered.addAll(head.stream().filter(metric -> !metric.id().equals("time")).toList());
    ordered.addAll(present.stream().filter(MetricRows::network).toList());
    return ordered;
  }

  /** Whether a metric counts the network's messages. */
  static boolean network(Metric metric) {
    int dot = metric.id().indexOf('.');
    return NETWORK.contains(dot < 0 ? metric.id() : metric.id().substring(0, dot));
  }
}
