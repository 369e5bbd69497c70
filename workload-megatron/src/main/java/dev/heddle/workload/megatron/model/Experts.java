package dev.heddle.workload.megatron.model;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;

/**
 * A mixture of experts in place of the feed-forward block.
 *
 * @param count experts of a layer
 * @param topK experts that each token goes to
 * @param ffn inner size of an expert
 * @param sharedFfn inner size of the expert that every token goes to; 0: none
 * @param denseLayers first layers that keep the dense block
 */
public record Experts(
    @Setting(value = "experts of a layer", min = "2", max = "65536") int count,
    @Setting(value = "experts that each token goes to", min = "1") int topK,
    @Setting(value = "inner size of an expert", min = "1") int ffn,
    @Setting(value = "inner size of the expert that every token goes to; 0: none", def = "0", min = "0") int sharedFfn,
    @Setting(value = "first layers that keep the dense block", def = "0", min = "0") int denseLayers) {
  /** Checks that there are as many experts as a token goes to. */
  public Experts {
    if (topK > count) {
      throw new InvalidSettingException("top-k", topK + " of " + count + " experts");
    }
  }
}
