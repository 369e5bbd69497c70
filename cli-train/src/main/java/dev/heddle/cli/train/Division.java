package dev.heddle.cli.train;

import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.Recompute;
import java.util.Optional;

/**
 * The division of a job among ranks.
 *
 * @param parallelism degrees of parallelism
 * @param microBatch sequences that a rank computes at once
 * @param recompute activations that are recomputed; without it, as the software's settings state
 * @param ranks accelerators that take part; without it, all
 * @param ranksPerNode accelerators of each node that take part; without it, all
 * @param checkMemory whether a job that does not fit is refused
 */
record Division(
    Parallelism parallelism, int microBatch, Optional<Recompute> recompute, Optional<Integer> ranks,
    Optional<Integer> ranksPerNode, boolean checkMemory) {
  /** One rank, whose memory is not checked; the base of a search. */
  static Division none() {
    return new Division(Parallelism.none(), 1, Optional.empty(), Optional.empty(), Optional.empty(), false);
  }
}
