package dev.heddle.workload.megatron.model;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import java.util.Optional;

/**
 * A mixture of experts in place of the feed-forward block.
 *
 * @param count experts of a layer
 * @param topK experts that each token goes to
 * @param ffn inner size of an expert
 * @param sharedFfn inner size of the expert that every token goes to; 0: none
 * @param denseLayers first layers that keep the dense block
 * @param every period in layers after those, of which the last one has experts
 * @param latent size of a token's vector among the experts, to which it is projected before them and from which after;
 *     without it, that of the model
 * @param groups of experts, of which each token's experts lie in {@code topGroups}; 1: no groups
 * @param topGroups groups that a token's experts lie in
 */
public record Experts(
    @Setting(value = "experts of a layer", min = "2", max = "65536") int count,
    @Setting(value = "experts that each token goes to", min = "1") int topK,
    @Setting(value = "inner size of an expert", min = "1") int ffn,
    @Setting(value = "inner size of the expert that every token goes to; 0: none", def = "0", min = "0") int sharedFfn,
    @Setting(value = "first layers that keep the dense block", def = "0", min = "0") int denseLayers,
    @Setting(value = "period in layers after those, of which the last has experts and the others the dense block",
        def = "1", min = "1", max = "100000") int every,
    @Setting(value = "size of a token's vector among the experts, to which it is projected before them and from which"
        + " after; without it, the model's", min = "1",
        source = "Megatron-Core: moe_latent_size") Optional<Integer> latent,
    @Setting(value = "groups of experts, of which a token's experts lie in few; 1: no groups", def = "1",
        min = "1") int groups,
    @Setting(value = "groups that a token's experts lie in", def = "1", min = "1") int topGroups) {
  /** Checks that a token goes to no more experts than there are. */
  public Experts {
    if (topK > count) {
      throw new InvalidSettingException("top-k", topK + " of " + count + " experts");
    }
    if (count % groups != 0 || topGroups > groups) {
      throw new InvalidSettingException(
          "groups", topGroups + " of " + groups + " groups of " + count + " experts; groups must divide the experts");
    }
  }

  /**
   * The expected number of ranks, nodes or other equal parts of all experts that hold at least one of a token's
   * experts, with experts drawn evenly: {@code n (1 - C(E - E/n, k) / C(E, k))} of {@code n} parts of {@code E} experts
   * [DeepEP, elastic.py]. With groups, experts are drawn from those of {@code topGroups} groups alone.
   *
   * @param parts that divide the experts among them
   */
  public double partsHit(int parts) {
    double drawn = (double) count * topGroups / groups;
    if (parts >= groups) {
      return hit((double) parts * topGroups / groups, drawn, topK);
    }
    // Parts of several groups each: those with one of the drawn groups.
    return groups == 1 ? hit(parts, count, topK) : Math.min(hit(parts, groups, topGroups), hit(parts, count, topK));
  }

  // Parts hit by distinct draws: the product is C(all - all/parts, draws) / C(all, draws).
  private static double hit(double parts, double all, int draws) {
    double missed = 1;
    for (int draw = 0; draw < draws; draw++) {
      missed *= Math.max(0, all - all / parts - draw) / (all - draw);
    }
    return parts * (1 - missed);
  }
}
