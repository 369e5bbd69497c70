package dev.heddle.topology.fattree;

import static dev.heddle.testkit.fixture.Records.with;

import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.topology.fattree.FatTreeTopologyProvider.Settings;
import java.util.List;
import java.util.Optional;

/** Settings of fat trees with links of 400 Gb/s. */
final class FatTrees {
  static final Settings DEFAULTS = Settings.of(Fabrics.link("400 Gb/s"), Fabrics.virtualOutputSwitch());

  private FatTrees() {}

  /** A shape of switches of one radix. */
  static Settings radix(int levels, int radix, int oversubscription) {
    return with(DEFAULTS, "levels", Optional.of(levels), "radix", Optional.of(radix), "oversubscription",
        oversubscription);
  }

  /** A shape PGFT(h; m; w; p). */
  static Settings shape(List<Integer> m, List<Integer> w, List<Integer> p) {
    return with(DEFAULTS, "down", m, "up", w, "parallel", p);
  }
}
