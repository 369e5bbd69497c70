package dev.heddle.bench.track;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Processor times over commits relative to the first of a chain: the product of the ratios of pairs, each measured in
 * one session. Times of different sessions are never compared; a commit that no pair joins to others begins a chain.
 */
final class RatioChain {
  /**
   * A commit's place on a chain.
   *
   * @param root commit at the chain's begin, whose value is 1
   * @param value product of the medians
   * @param low product of the intervals' lower ends, which bounds it cautiously
   * @param high product of the upper ends
   */
  record Point(String root, double value, double low, double high) {
    private Point times(Interval ratio) {
      return new Point(root, value * ratio.median(), low * ratio.low(), high * ratio.high());
    }
  }

  private final Map<Case, Map<String, Point>> points = new LinkedHashMap<>();
  private final List<String> commits = new ArrayList<>();

  /** Chains entries, which are in the order of their commits. */
  RatioChain(List<Entry> entries) {
    for (Entry entry : entries) {
      Entry.Baseline baseline = entry.baseline();
      if (baseline != null) {
        note(baseline.commit());
      }
      note(entry.commit());
      for (Series each : entry.series()) {
        Map<String, Point> chain = points.computeIfAbsent(each.measured(), any -> new LinkedHashMap<>());
        if (baseline != null && !baseline.commit().equals(entry.commit())) {
          entry.comparison(each).ifPresent(comparison -> {
            Point before =
                chain.computeIfAbsent(baseline.commit(), commit -> new Point(commit, 1, 1, 1));
            chain.putIfAbsent(entry.commit(), before.times(comparison.ratio()));
          });
        }
      }
    }
  }

  private void note(String commit) {
    if (!commits.contains(commit)) {
      commits.add(commit);
    }
  }

  /** All commits, those included that are a baseline only. */
  List<String> commits() {
    return List.copyOf(commits);
  }

  List<Case> cases() {
    return List.copyOf(points.keySet());
  }

  /** The place of a commit; empty where no pair joins it to another. */
  Optional<Point> at(Case measured, String commit) {
    return Optional.ofNullable(points.getOrDefault(measured, Map.of()).get(commit));
  }
}
