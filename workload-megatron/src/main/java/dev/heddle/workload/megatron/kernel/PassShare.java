package dev.heddle.workload.megatron.kernel;

import dev.heddle.spi.Setting;

/**
 * Achieved shares of the rate that binds a kernel, in both passes: fused attention of the peak rate of 16 bits, by the
 * operations that its mask leaves; normalisation of the memory's, by its least memory traffic.
 *
 * @param forward share of the rate
 * @param backward the same of its gradients
 */
public record PassShare(
    @Setting(value = "share of the rate that binds it", min = "0.01", max = "1") double forward,
    @Setting(value = "the same of its gradients", min = "0.01", max = "1") double backward) {
  double of(boolean backwards) {
    return backwards ? backward : forward;
  }
}
