package dev.heddle.workload.megatron.kernel;

import dev.heddle.spi.Setting;

/**
 * What a fused attention kernel reaches, by the operations that its mask leaves.
 *
 * @param forward share of the peak rate of 16 bits
 * @param backward the same of its gradients
 */
public record AttentionShare(
    @Setting(value = "share of the peak rate of 16 bits", min = "0.01", max = "1") double forward,
    @Setting(value = "the same of its gradients", min = "0.01", max = "1") double backward) {}
