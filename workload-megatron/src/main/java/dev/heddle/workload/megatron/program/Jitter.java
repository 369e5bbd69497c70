package dev.heddle.workload.megatron.program;

import dev.heddle.units.RandomStream;
import dev.heddle.workload.megatron.parallel.Variation;

/** Random and constant slowdown of a rank's kernels. */
final class Jitter {
  /** No slowdown. */
  static final Jitter PLANNED = new Jitter(0, 1, RandomStream.of(0, "", ""));

  private final double jitter;
  private final double factor;
  private final RandomStream random;

  private Jitter(double jitter, double factor, RandomStream random) {
    this.jitter = jitter;
    this.factor = factor;
    this.random = random;
  }

  /**
   * The slowdown of a rank.
   *
   * @param variation of the job
   * @param slow whether the rank is slow throughout
   * @param random stream of the rank
   */
  static Jitter of(Variation variation, boolean slow, RandomStream random) {
    return new Jitter(variation.jitter().value(), slow ? 1 + variation.slowdown().value() : 1, random);
  }

  /** The actual time of the next stretch of kernels, in picoseconds. */
  long stretch(long ps) {
    return jitter == 0 && factor == 1 ? ps
        : Math.round(ps * factor * (jitter == 0 ? 1 : 1 + jitter * random.nextExponential()));
  }
}
