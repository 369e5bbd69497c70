package dev.heddle.workload.megatron.model;

import dev.heddle.spi.Setting;

/**
 * Sliding-window attention: layers whose attention covers the last tokens only.
 *
 * @param tokens size of the window
 * @param every period in layers, of which the last covers all tokens and the others have the window
 */
public record Window(
    @Setting(value = "tokens that attention sees", min = "1", max = "100000000") int tokens,
    @Setting(value = "period in layers, of which the last covers all tokens and the others have the window", def = "2",
        min = "1",
        max = "100000") int every) {
  /** Whether a layer, from 0, has the window. */
  boolean in(int layer) {
    return every == 1 || layer % every != every - 1;
  }
}
