package dev.heddle.bench.track;

import com.google.common.primitives.Doubles;
import java.util.List;

/**
 * The comparison of one figure of two builds that were measured in pairs.
 *
 * @param ratio of this build to the baseline, within rounds
 * @param spread of a build against itself: the factor that the interval of neighbouring measurements of the same build
 *     reaches
 * @param verdict on the difference
 */
record Comparison(Interval ratio, double spread, Verdict verdict) {
  /** The fewest rounds from which a difference is told: the extremes of five ratios cover 93.75 %. */
  static final int LEAST_ROUNDS = 5;

  /** A verdict on a figure of which less is better. */
  enum Verdict {
    /** The figure is smaller than the baseline's. */
    LESS("less"),
    /** The figure is larger. */
    MORE("more"),
    /** The interval has 1, or the difference is within the spread of a build against itself. */
    NONE("no difference"),
    /** There are too few rounds to tell. */
    UNKNOWN("too few rounds");

    private final String text;

    Verdict(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  /**
   * Compares a figure; both lists have one positive value per round.
   *
   * @param build of this build
   * @param baseline of the baseline
   */
  static Comparison of(List<Double> build, List<Double> baseline) {
    Interval ratio = Interval.of(Rounds.between(build, baseline));
    double[] same = Rounds.within(build, baseline);
    double spread = same.length == 0 ? Double.NaN : Interval.of(same).spread();
    return new Comparison(ratio, spread, verdict(ratio, spread, Math.min(build.size(), baseline.size())));
  }

  private static Verdict verdict(Interval ratio, double spread, int rounds) {
    if (rounds < LEAST_ROUNDS) {
      return Verdict.UNKNOWN;
    }
    double factor = Doubles.max(ratio.median(), 1 / ratio.median());
    if (!ratio.leavesOutOne() || factor <= spread) {
      return Verdict.NONE;
    }
    return ratio.median() < 1 ? Verdict.LESS : Verdict.MORE;
  }
}
