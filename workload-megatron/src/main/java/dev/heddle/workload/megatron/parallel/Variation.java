package dev.heddle.workload.megatron.parallel;

import dev.heddle.spi.Setting;
import dev.heddle.units.Fraction;
import dev.heddle.units.RandomStream;
import java.util.TreeSet;

/**
 * Differences between ranks that have the same work. All ranks wait for the slowest, and differences that no scenario
 * names count by their expected effect: accelerators of one model keep different clocks at their limit of power, and a
 * node may be slow as a whole. Jitter and stragglers are drawn from the run's seed.
 *
 * @param jitter mean relative slowdown of each stretch of kernels, drawn for each from an exponential distribution
 * @param stragglers ranks that are slow throughout, drawn from all
 * @param slowdown relative slowdown of a straggler's kernels
 * @param clockDeviation standard deviation of the clocks that accelerators keep at their limit of power, relative to
 *     the mean
 * @param slowNodes share of all nodes that are slow; 0 for a machine whose slow nodes were taken out
 * @param slowNodeSlowdown relative slowdown of a slow node's kernels
 */
public record Variation(
    @Setting(value = "mean relative slowdown of a stretch of kernels, exponentially distributed", def = "0",
        max = "10") Fraction jitter,
    @Setting(value = "ranks that are slow throughout, drawn by the seed", def = "0", min = "0",
        max = "1048576") int stragglers,
    @Setting(value = "relative slowdown of a straggler's kernels", def = "20 %", max = "100") Fraction slowdown,
    @Setting(value = "standard deviation of the clocks that accelerators keep at their limit of power", def = "1.5 %",
        max = "0.1", source = "Sinha et al., SC'22: 8 % between the whiskers of five machines, 5.4 deviations of a "
            + "normal distribution") Fraction clockDeviation,
    @Setting(value = "share of all nodes that are slow; 0 where they were taken out, as checks before a job do",
        def = "0", max = "1", source = "MegaScale, section 5: about 0.5 % of machines before") Fraction slowNodes,
    @Setting(value = "relative slowdown of a slow node's kernels", def = "10 %", max = "100",
        source = "MegaScale, section 5: about 10 % slower") Fraction slowNodeSlowdown) {
  // Quantiles of the normal distribution: Abramowitz and Stegun, 26.2.23, to 0.00045.
  private static final double[] NUMERATOR = {2.515517, 0.802853, 0.010328};
  private static final double[] DENOMINATOR = {1, 1.432788, 0.189269, 0.001308};
  /** Rank of an order statistic's mean among quantiles [Blom 1958]. */
  private static final double BLOM = 0.375;

  /** Whether ranks differ at all. */
  public boolean present() {
    return jitter.value() > 0 || stragglers > 0;
  }

  /**
   * The expected factor of kernel times by slow nodes: {@code 1 + s (1 - (1 - p)^n)}, the chance that one of {@code n}
   * nodes is slow times its slowdown.
   *
   * @param nodes of the job
   */
  public double expectedFactor(int nodes) {
    return 1 + slowNodeSlowdown.value() * (1 - Math.pow(1 - slowNodes.value(), nodes));
  }

  /**
   * The share by which the slowest of some accelerators is expected to keep a lower clock at its limit of power than
   * the mean: the mean of the largest of {@code n} normal variates times their deviation, to 2 % from four on.
   *
   * @param accelerators of the job
   */
  public double expectedClockLoss(int accelerators) {
    if (accelerators < 2) {
      return 0;
    }
    double above = (1 - BLOM) / (accelerators + 1 - 2 * BLOM);
    double t = Math.sqrt(-2 * Math.log(above));
    return clockDeviation.value() * (t - polynomial(NUMERATOR, t) / polynomial(DENOMINATOR, t));
  }

  private static double polynomial(double[] coefficients, double x) {
    double sum = 0;
    for (int power = coefficients.length - 1; power >= 0; power--) {
      sum = sum * x + coefficients[power];
    }
    return sum;
  }

  /**
   * The ranks that are slow throughout.
   *
   * @param ranks of the job
   * @param random source of the draws
   */
  public TreeSet<Integer> slow(int ranks, RandomStream random) {
    TreeSet<Integer> slow = new TreeSet<>();
    int count = Math.min(stragglers, ranks);
    // Each draw is of one rank more than the last; one that is taken stands for the rank just added [Floyd].
    for (int last = ranks - count; last < ranks; last++) {
      int drawn = random.nextInt(last + 1);
      slow.add(slow.contains(drawn) ? last : drawn);
    }
    return slow;
  }
}
