package dev.heddle.topology.fattree;

import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TreeRow;
import dev.heddle.topology.fattree.FatTreeTopologyProvider.Routing;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The links, switches and routing of a tree.
 *
 * @param links of each level, from the terminals up
 * @param switches of each level, from the leaves up
 * @param routing choice of the upward path and of one of parallel cables
 * @param reduction link between each switch and its aggregator; absent if switches do not reduce
 */
record Wiring(List<Link> links, List<Switch> switches, Routing routing, Optional<Link> reduction) {
  /**
   * The wiring with equal links and switches at every level, unless one is given for each level; without aggregators.
   */
  static Wiring of(List<Link> links, List<Switch> switches, int levels, Routing routing) {
    return new Wiring(
        links.size() == 1 ? Collections.nCopies(levels, links.get(0)) : List.copyOf(links),
        switches.size() == 1 ? Collections.nCopies(levels, switches.get(0)) : List.copyOf(switches),
        routing, Optional.empty());
  }

  /** The wiring with aggregators, if a link to them is given. */
  Wiring reducing(Optional<Link> by) {
    return new Wiring(links, switches, routing, by);
  }

  TierPlan.Selection selection() {
    return switch (routing) {
      case D_MOD_K, ECMP -> TierPlan.Selection.MESSAGE_HASH;
      case S_MOD_K -> TierPlan.Selection.SOURCE;
      case RANDOM -> TierPlan.Selection.RANDOM;
      case ADAPTIVE -> TierPlan.Selection.ADAPTIVE;
    };
  }

  TreeRow.Choice choice() {
    return switch (routing) {
      case D_MOD_K -> TreeRow.Choice.DESTINATION;
      case S_MOD_K -> TreeRow.Choice.SOURCE;
      case RANDOM, ECMP, ADAPTIVE -> TreeRow.Choice.SELECTION;
    };
  }
}
