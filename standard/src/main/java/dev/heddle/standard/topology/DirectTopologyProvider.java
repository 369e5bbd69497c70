package dev.heddle.standard.topology;

import dev.heddle.spi.Link;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.tier.TierPlanBuilder;
import dev.heddle.tier.Topology;
import dev.heddle.tier.TopologyProvider;

/** Provides the full mesh without a switch: a cable between every two terminals. */
@Plugin(id = "direct", description = "A link between every two terminals, without a switch")
public final class DirectTopologyProvider implements TopologyProvider<DirectTopologyProvider.Settings> {
  /**
   * The settings of the topology.
   *
   * @param link between every two terminals
   */
  public record Settings(@Setting("link between every two terminals") Link link) {}

  @Override
  public Topology create(Settings settings) {
    return terminals -> {
      TierPlanBuilder plan = new TierPlanBuilder(terminals);
      for (int a = 0; a < terminals.size(); a++) {
        for (int b = a + 1; b < terminals.size(); b++) {
          plan.connect(a, b, settings.link());
        }
      }
      return plan.routeByShortestPaths().build();
    };
  }
}
