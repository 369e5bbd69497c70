package dev.heddle.workload.megatron.parallel;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import java.util.Optional;

/**
 * Sequences of an iteration: in all, or as micro-batches of each data-parallel rank.
 *
 * @param global sequences of an iteration
 * @param micro sequences that a rank computes at once
 * @param perRank micro-batches of each data-parallel rank, in place of {@code global}: the batch grows with the cluster
 */
public record Batch(
    @Setting(value = "sequences of an iteration", min = "1", max = "100000000") Optional<Integer> global,
    @Setting(value = "sequences that a rank computes at once", def = "1", min = "1", max = "1000000") int micro,
    @Setting(value = "micro-batches of each data-parallel rank, in place of global", min = "1",
        max = "100000000") Optional<Integer> perRank) {
  /** Checks that exactly one of both is given. */
  public Batch {
    if (global.isPresent() == perRank.isPresent()) {
      throw new InvalidSettingException("global", global.isPresent()
          ? "the batch is given by per-rank already" : "is missing, and so is per-rank; one of both is needed");
    }
  }

  /** A batch of a global size in micro-batches. */
  public static Batch of(int global, int micro) {
    return new Batch(Optional.of(global), micro, Optional.empty());
  }

  /**
   * Sequences of an iteration.
   *
   * @param data data-parallel ranks
   */
  public long sequences(int data) {
    return global.map(Integer::longValue).orElseGet(() -> (long) perRank.orElseThrow() * micro * data);
  }
}
