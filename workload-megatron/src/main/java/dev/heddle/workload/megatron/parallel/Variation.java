package dev.heddle.workload.megatron.parallel;

import dev.heddle.spi.Setting;
import dev.heddle.units.Fraction;
import dev.heddle.units.RandomStream;
import java.util.TreeSet;

/**
 * Differences between ranks that have the same work. Slow nodes that no scenario names count by their expected effect:
 * all ranks wait for the slowest, so an iteration takes longer by {@code slowNodeSlowdown} as soon as one node of the
 * job is slow. Jitter and stragglers are drawn from the run's seed.
 *
 * @param jitter mean relative slowdown of each stretch of kernels, drawn for each from an exponential distribution
 * @param stragglers ranks that are slow throughout, drawn from all
 * @param slowdown relative slowdown of a straggler's kernels
 * @param slowNodes share of all nodes that are slow; 0 for a machine whose slow nodes were taken out
 * @param slowNodeSlowdown relative slowdown of a slow node's kernels
 */
public record Variation(
    @Setting(value = "mean relative slowdown of a stretch of kernels, exponentially distributed", def = "0",
        max = "10") Fraction jitter,
    @Setting(value = "ranks that are slow throughout, drawn by the seed", def = "0", min = "0",
        max = "1048576") int stragglers,
    @Setting(value = "relative slowdown of a straggler's kernels", def = "20 %", max = "100") Fraction slowdown,
    @Setting(value = "share of all nodes that are slow; 0 where they were taken out", def = "0.5 %", max = "1",
        source = "MegaScale, section 5: about 0.5 % of machines") Fraction slowNodes,
    @Setting(value = "relative slowdown of a slow node's kernels", def = "10 %", max = "100",
        source = "MegaScale, section 5: about 10 % slower") Fraction slowNodeSlowdown) {
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
