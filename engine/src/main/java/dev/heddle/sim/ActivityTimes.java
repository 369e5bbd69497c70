package dev.heddle.sim;

import dev.heddle.observe.ActivityObserver;
import dev.heddle.results.Results.Metric;
import dev.heddle.spi.Workload.Activity;
import dev.heddle.workload.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Sums of the time of ranks' first streams by activity. Each rank's figures are written by one thread. */
final class ActivityTimes implements ActivityObserver {
  private static final double PS_PER_US = 1e6;

  private final List<Activity> activities;
  private final long[] spentPs;
  // By rank the one whose figures are its own too.
  private final int[] sameAs;

  ActivityTimes(List<Activity> activities, int ranks) {
    this.activities = activities;
    spentPs = new long[activities.size() * ranks];
    sameAs = IntStream.range(0, ranks).toArray();
  }

  @Override
  public void spent(int rank, int stream, Operation operation, long startPs, long endPs) {
    if (stream == 0) {
      spentPs[rank * activities.size() + operation.activity()] += endPs - startPs;
    }
  }

  @Override
  public void spentByAll(int[] ranks, int stream, Operation operation, long startPs, long endPs) {
    if (sameAs[ranks[ranks.length - 1]] != ranks[0]) {
      for (int rank : ranks) {
        sameAs[rank] = ranks[0];
      }
    }
    spent(ranks[0], stream, operation, startPs, endPs);
  }

  /** The key of the metric of an activity. */
  static String key(Activity activity) {
    return "activity." + activity.id();
  }

  /** The mean over all ranks, per activity. */
  List<Metric> metrics() {
    List<Metric> metrics = new ArrayList<>();
    int ranks = sameAs.length;
    for (int activity = 0; activity < activities.size(); activity++) {
      double sum = 0;
      for (int rank : sameAs) {
        sum += spentPs[rank * activities.size() + activity];
      }
      metrics.add(new Metric(key(activities.get(activity)), activities.get(activity).title() + " (mean)",
          "us", sum / ranks / PS_PER_US));
    }
    return metrics;
  }
}
