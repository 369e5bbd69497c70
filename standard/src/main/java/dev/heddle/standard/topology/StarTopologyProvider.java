package dev.heddle.standard.topology;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Terminal;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import dev.heddle.tier.Topology;
import dev.heddle.tier.TopologyProvider;
import java.util.List;
import java.util.Map;

/** Provides the star: all terminals on one switch, the "all-to-all" node of [SAURON §3.3]. */
@Plugin(id = "star", description = "All terminals on one switch")
public final class StarTopologyProvider implements TopologyProvider<StarTopologyProvider.Settings> {
  /** (n + 1) n routes are at most 2^31 - 1. */
  private static final int MOST_TERMINALS = 46_340;

  /**
   * The settings of a star.
   *
   * @param link between a terminal and the switch
   * @param links links of particular kinds of terminal, by kind
   * @param centre the switch
   */
  public record Settings(
      @Setting("link between a terminal and the switch") Link link,
      @Setting("links of particular kinds of terminal, by kind, such as nic") Map<String, Link> links,
      @Setting(value = "the switch in the middle", def = "{type: generic}") Switch centre) {}

  @Override
  public Topology create(Settings settings) {
    return terminals -> plan(settings, terminals);
  }

  private static TierPlan plan(Settings settings, List<Terminal> terminals) {
    for (String kind : settings.links().keySet()) {
      if (terminals.stream().noneMatch(terminal -> terminal.kind().key().equals(kind))) {
        throw new InvalidSettingException(
            "links", "no terminal is of kind '" + kind + "'; there are "
                + terminals.stream().map(terminal -> terminal.kind().key()).distinct().toList());
      }
    }
    if (terminals.size() > MOST_TERMINALS) {
      throw new InvalidSettingException(
          "", terminals.size() + " terminals are more than one switch has here; at most " + MOST_TERMINALS
              + " are possible, as every device has a route to each; divide them among tiers");
    }
    TierPlanBuilder plan = new TierPlanBuilder(terminals);
    int centre = plan.addDevice("switch", DeviceKind.SWITCH, settings.centre());
    for (int i = 0; i < terminals.size(); i++) {
      plan.connect(i, centre, settings.links().getOrDefault(terminals.get(i).kind().key(), settings.link()));
    }
    return plan.routeByShortestPaths().build();
  }
}
