package dev.heddle.scenario;

import dev.heddle.registry.SettingsSchema;
import dev.heddle.scenario.Node.Origin;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Terminal;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.Topology;
import java.util.List;

/**
 * A topology with its position in the scenario, at which a failure to plan is reported.
 *
 * @param topology as its provider made it
 * @param path of its mapping
 * @param origin of its mapping
 */
record LocatedTopology(Topology topology, String path, Origin origin) implements Topology {
  @Override
  public TierPlan plan(List<Terminal> terminals) {
    TierPlan plan;
    try {
      plan = topology.plan(terminals);
    } catch (InvalidSettingException e) {
      String key = SettingsSchema.key(e.component());
      throw problem(key.isEmpty() ? path : path + "." + key, String.valueOf(e.getMessage()));
    } catch (IllegalStateException | IllegalArgumentException e) {
      throw problem(path, "the topology's plan is not usable: " + e.getMessage());
    }
    if (plan.terminals() != terminals.size()) {
      throw problem(path, "the topology connects " + plan.terminals() + " of " + terminals.size() + " terminals");
    }
    return plan;
  }

  private ScenarioException problem(String at, String message) {
    return new ScenarioException(List.of(new Problem(origin.file(), origin.line(), at, message)));
  }
}
