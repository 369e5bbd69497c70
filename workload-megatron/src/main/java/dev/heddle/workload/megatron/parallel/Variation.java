package dev.heddle.workload.megatron.parallel;

import dev.heddle.spi.Setting;
import dev.heddle.units.Fraction;
import dev.heddle.units.RandomStream;
import java.util.TreeSet;

/**
 * How ranks differ that should take the same time. All is drawn from the run's seed.
 *
 * @param jitter mean of the share by which each stretch of kernels takes longer, drawn anew for each from an exponential
 *     distribution
 * @param stragglers ranks that are slow throughout, drawn from all
 * @param slowdown by how much a straggler's kernels take longer
 */
public record Variation(
    @Setting(value = "mean share by which a stretch of kernels takes longer, exponentially distributed", def = "0",
        max = "10") Fraction jitter,
    @Setting(value = "ranks that are slow throughout, drawn by the seed", def = "0", min = "0",
        max = "1048576") int stragglers,
    @Setting(value = "by how much a straggler's kernels take longer", def = "20 %", max = "100") Fraction slowdown) {
  /** Whether ranks differ at all. */
  public boolean present() {
    return jitter.value() > 0 || stragglers > 0;
  }

  /**
   * The ranks that are slow throughout.
   *
   * @param ranks of the job
   * @param random where they are drawn from
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
