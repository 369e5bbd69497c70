package dev.heddle.docs;

// sample: provider
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

/** Provides a chain: switches in a row, each with one terminal. It has one path between two terminals. */
@Plugin(id = "chain", description = "Switches in a row, each with one terminal")
public final class ChainTopologyProvider implements TopologyProvider<ChainTopologyProvider.Settings> {
  private static final int MOST_TERMINALS = 1024;

  /**
   * The parts of a chain.
   *
   * @param link between switches, and from a terminal to its switch
   * @param forwarding of each switch
   */
  public record Settings(
      @Setting("link between switches, and from a terminal to its switch") Link link,
      @Setting(value = "the switches", def = "{type: generic}") Switch forwarding) {}

  @Override
  public Topology create(Settings settings) {
    return terminals -> plan(settings, terminals);
  }

  private static TierPlan plan(Settings settings, List<Terminal> terminals) {
    if (terminals.size() > MOST_TERMINALS) {
      throw new InvalidSettingException("", terminals.size() + " terminals; a chain has at most " + MOST_TERMINALS);
    }
    TierPlanBuilder plan = new TierPlanBuilder(terminals);
    int previous = -1;
    for (int terminal = 0; terminal < terminals.size(); terminal++) {
      int device = plan.addDevice("switch" + terminal, DeviceKind.SWITCH, settings.forwarding());
      plan.connect(terminal, device, settings.link());
      if (previous >= 0) {
        plan.connect(previous, device, settings.link());
      }
      previous = device;
    }
    return plan.routeByShortestPaths().build();
  }
}
// end
