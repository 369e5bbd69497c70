package dev.heddle.bench.track;

import com.google.common.primitives.Doubles;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The order of paired measurements: ABBA, that is A B in odd rounds and B A in even ones. Drift of the machine's speed
 * thus favours neither, and the last measurement of a round and the first of the next are neighbours of the same build,
 * which show the spread of a build against itself.
 */
final class Rounds {
  private Rounds() {}

  /** Whether the baseline comes first in a round. */
  static boolean baselineFirst(int round) {
    return round % 2 == 1;
  }

  /**
   * The ratios of this build to the baseline, one per round.
   *
   * @param build a figure by round
   * @param baseline the same figure of the baseline
   */
  static double[] between(List<Double> build, List<Double> baseline) {
    double[] ratios = new double[Math.min(build.size(), baseline.size())];
    for (int round = 0; round < ratios.length; round++) {
      ratios[round] = build.get(round) / baseline.get(round);
    }
    return ratios;
  }

  /** The ratios of neighbouring measurements of the same build, later to earlier: one less than there are rounds. */
  static double[] within(List<Double> build, List<Double> baseline) {
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round + 1 < Math.min(build.size(), baseline.size()); round++) {
      List<Double> twice = baselineFirst(round) ? build : baseline;
      ratios.add(twice.get(round + 1) / twice.get(round));
    }
    return Doubles.toArray(ratios);
  }

  /** The ratios of consecutive measurements of a build that is measured alone. */
  static double[] alone(List<Double> build) {
    double[] ratios = new double[Math.max(0, build.size() - 1)];
    for (int round = 0; round < ratios.length; round++) {
      ratios[round] = build.get(round + 1) / build.get(round);
    }
    return ratios;
  }

  /** The median. */
  static double median(List<Double> values) {
    List<Double> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
