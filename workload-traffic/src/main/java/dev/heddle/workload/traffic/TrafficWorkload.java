package dev.heddle.workload.traffic;

import dev.heddle.spi.Cluster;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.workload.traffic.TrafficWorkloadProvider.Pattern;
import dev.heddle.workload.traffic.TrafficWorkloadProvider.Settings;
import java.util.List;

/** The traffic workload: checks the pattern against the cluster, and makes a program for each rank. */
record TrafficWorkload(Settings settings) implements Workload {
  @Override
  public WorkloadPlan plan(Cluster cluster) {
    return WorkloadPlan.of(ranks(cluster), new TrafficPrograms(settings)::of);
  }

  private int[] ranks(Cluster cluster) {
    int[] ranks = cluster.terminals(settings.participants());
    if (ranks.length < 2) {
      throw new InvalidSettingException(
          "participants",
          "the cluster has " + ranks.length + " of kind '" + settings.participants().key() + "'; traffic needs 2");
    }
    requireNodes(cluster, ranks);
    requireShape(ranks.length);
    return ranks;
  }

  private void requireNodes(Cluster cluster, int[] ranks) {
    double interShare = interShare(settings);
    if (Double.isNaN(interShare)) {
      return;
    }
    if (interShare > 0 && cluster.node(ranks[0]) == cluster.node(ranks[ranks.length - 1])) {
      throw new InvalidSettingException(
          "pattern", interShare * 100 + " % of messages go to other nodes, but there is only one node; use c5");
    }
    for (int i = 0; i < ranks.length && interShare < 1; i++) {
      boolean before = i > 0 && cluster.node(ranks[i - 1]) == cluster.node(ranks[i]);
      boolean after = i + 1 < ranks.length && cluster.node(ranks[i + 1]) == cluster.node(ranks[i]);
      if (!before && !after) {
        throw new InvalidSettingException(
            "pattern",
            "messages go to the same node, but " + cluster.name(ranks[i]) + " is alone of its kind on its node");
      }
    }
  }

  private void requireShape(int ranks) {
    if (settings.pattern() == Pattern.BIT_REVERSAL && Integer.bitCount(ranks) != 1) {
      throw new InvalidSettingException(
          "pattern", ranks + " ranks; bit-reversal needs a power of two, such as " + Integer.highestOneBit(ranks));
    }
    int side = (int) Math.round(Math.sqrt(ranks));
    if (settings.pattern() == Pattern.TRANSPOSE && side * side != ranks) {
      throw new InvalidSettingException(
          "pattern", ranks + " ranks; transpose needs a square number, such as " + side * side);
    }
    if (settings.pattern() == Pattern.SHIFT && settings.shift() % ranks == 0) {
      throw new InvalidSettingException(
          "shift", settings.shift() + " ranks; of " + ranks + " ranks each would send to itself");
    }
    List<Integer> targets = settings.targets();
    boolean aims = settings.pattern() == Pattern.HOTSPOT || settings.pattern() == Pattern.INCAST;
    for (int target : aims ? targets : List.<Integer>of()) {
      if (target < 0 || target >= ranks) {
        throw new InvalidSettingException("targets", target + " is no rank; there are ranks 0 to " + (ranks - 1));
      }
    }
  }

  /** The share of messages to other nodes; NaN for patterns that are independent of nodes. */
  static double interShare(Settings settings) {
    return switch (settings.pattern()) {
      case C1 -> 0.20;
      case C2 -> 0.15;
      case C3 -> 0.10;
      case C4 -> 0.05;
      case C5 -> 0.0;
      case MIXED -> settings.interShare().value();
      default -> Double.NaN;
    };
  }
}
