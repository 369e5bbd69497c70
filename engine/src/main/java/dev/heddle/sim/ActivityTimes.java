package dev.heddle.sim;

import dev.heddle.observe.ActivityObserver;
import dev.heddle.results.Results.Metric;
import dev.heddle.spi.Workload.Activity;
import dev.heddle.workload.Operation;
import java.util.ArrayList;
import java.util.List;

/** Sums of the time of ranks' first streams by activity. Each rank's figures are written by one thread. */
final class ActivityTimes implements ActivityObserver {
  private static final double PS_PER_US = 1e6;

  private final List<Activity> activities;
  private final long[] spentPs;

  ActivityTimes(List<Activity> activities, int ranks) {
    this.activities = activities;
    spentPs = new long[activities.size() * ranks];
  }

  @Override
  public void spent(int rank, int stream, Operation operation, long startPs, long endPs) {
    if (stream == 0) {
      spentPs[rank * activities.size() + operation.activity()] += endPs - startPs;
    }
  }

  /** The key of the metric of an activity. */
  static String key(Activity activity) {
    return "activity." + activity.id();
  }

  /** The mean over all ranks, per activity. */
  List<Metric> metrics() {
    List<Metric> metrics = new ArrayList<>();
    int ranks = spentPs.length / activities.size();
    for (int activity = 0; activity < activities.size(); activity++) {
      double sum = 0;
      for (int rank = 0; rank < ranks; rank++) {
        sum += spentPs[rank * activities.size() + activity];
      }
      metrics.add(new Metric(key(activities.get(activity)), activities.get(activity).title() + " (mean)",
          "us", sum / ranks / PS_PER_US));
    }
    return metrics;
  }
}
