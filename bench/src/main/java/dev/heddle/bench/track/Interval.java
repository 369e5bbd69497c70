package dev.heddle.bench.track;

import com.google.common.primitives.Doubles;
import java.util.Arrays;

/**
 * The median of ratios and an interval for it that assumes no distribution: of n sorted ratios the k-th lowest and the
 * k-th highest, with the largest k whose coverage is at least 95 %, else the lowest and the highest. The coverage is
 * 1 - 2 P(X &lt; k) with X binomial of n and 1/2: each ratio lies below the true median with probability 1/2.
 *
 * @param median of the ratios; of an even number the geometric mean of the middle two
 * @param low lower end
 * @param high upper end
 * @param coverage probability that the interval has the true median
 */
record Interval(double median, double low, double high, double coverage) {
  private static final double WISHED_COVERAGE = 0.95;

  /**
   * The interval of ratios.
   *
   * @throws IllegalArgumentException when there is none
   */
  static Interval of(double[] ratios) {
    int n = ratios.length;
    if (n == 0) {
      throw new IllegalArgumentException("no ratio has no median");
    }
    double[] sorted = ratios.clone();
    Arrays.sort(sorted);
    int cut = 0;
    while (2 * (cut + 2) <= n && coverage(n, cut + 2) >= WISHED_COVERAGE) {
      cut++;
    }
    double median = n % 2 == 1 ? sorted[n / 2] : Math.sqrt(sorted[n / 2 - 1] * sorted[n / 2]);
    return new Interval(median, sorted[cut], sorted[n - 1 - cut], coverage(n, cut + 1));
  }

  /** The larger deviation of an end from 1, as a factor of at least 1. */
  double spread() {
    return Doubles.max(1, high, 1 / low);
  }

  boolean leavesOutOne() {
    return low > 1 || high < 1;
  }

  // 1 - 2 P(X < k): the k-th lowest and highest of n.
  private static double coverage(int n, int k) {
    double term = Math.pow(0.5, n);
    double below = 0;
    for (int i = 0; i < k; i++) {
      below += term;
      term = term * (n - i) / (i + 1);
    }
    return 1 - 2 * below;
  }
}
