package dev.heddle.workload.megatron.parallel;

import dev.heddle.spi.Setting;

/**
 * Sequences of an iteration.
 *
 * @param global sequences of an iteration
 * @param micro sequences that a rank computes at once
 */
public record Batch(
    @Setting(value = "sequences of an iteration", min = "1", max = "100000000") int global,
    @Setting(value = "sequences that a rank computes at once", def = "1", min = "1", max = "1000000") int micro) {}
