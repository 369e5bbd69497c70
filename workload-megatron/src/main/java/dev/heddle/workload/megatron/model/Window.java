package dev.heddle.workload.megatron.model;

import dev.heddle.spi.Setting;

/**
 * Layers whose attention sees the last tokens only.
 *
 * @param tokens that it sees
 * @param every of so many layers, the last sees all tokens; the others have the window
 */
public record Window(
    @Setting(value = "tokens that attention sees", min = "1", max = "100000000") int tokens,
    @Setting(value = "of so many layers the last sees all tokens, the others the window", def = "2", min = "1",
        max = "100000") int every) {
  /** Whether a layer, from 0, has the window. */
  boolean in(int layer) {
    return every == 1 || layer % every != every - 1;
  }
}
