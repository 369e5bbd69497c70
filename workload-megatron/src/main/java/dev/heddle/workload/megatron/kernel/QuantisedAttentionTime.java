package dev.heddle.workload.megatron.kernel;

import dev.heddle.spi.Setting;

/**
 * Time of fused attention in 8 bits relative to 16 bits, for one size of heads.
 *
 * @param format of the factors
 * @param size mean size of a head's keys and values
 * @param forward time over that in 16 bits
 * @param backward the same of the gradients
 */
public record QuantisedAttentionTime(
    @Setting("format of the factors: fp8 or mxfp8") LinearFormat format,
    @Setting(value = "mean size of a head's keys and values", min = "1", max = "1024") double size,
    @Setting(value = "time of the forward pass over that in 16 bits", min = "0.1", max = "4") double forward,
    @Setting(value = "the same of the gradients", min = "0.1", max = "4") double backward) {
  double of(boolean backwards) {
    return backwards ? backward : forward;
  }
}
