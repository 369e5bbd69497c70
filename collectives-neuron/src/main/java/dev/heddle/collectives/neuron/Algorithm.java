package dev.heddle.collectives.neuron;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.RankSteps;
import java.util.Locale;
import java.util.Optional;

/** The algorithms of [Neuron]. */
public enum Algorithm {
  /** From rank to rank round the chips, on every cycle at the same time. */
  RING,
  /** Directly to one rank of every other chip, and within chips. */
  MESH,
  /** Every input to every rank at once. */
  SINGLE_STEP_MESH,
  /** The ring of every other rank, which also serves its neighbour. */
  KANGARING,
  /** Recursive doubling and halving over the hypercube of chips. */
  RDH,
  /** Over several instances: RDH within each, and direct messages between ranks of the same position. */
  HIERARCHICAL;

  private static final int MOST_INSTANCES = 64;
  // Beyond, counting the messages of all pairs takes too long, and so does a hierarchy step by step.
  private static final int MOST_OFFERED = 256;

  /** The name in scenarios: kebab case. */
  String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether it moves data on in circles, so that all links carry data all the time. */
  boolean isPipelined() {
    return this == RING || this == KANGARING;
  }

  /**
   * Whether it is among those of which the fastest is chosen: one step to all is in a group of moderate size, a
   * hierarchy where such a group has several ranks in each instance.
   */
  boolean isOffered(Placement placement) {
    boolean moderate = placement.ranks() <= MOST_OFFERED;
    return this == HIERARCHICAL ? moderate && placement.ranks() > placement.nodes()
        : this != SINGLE_STEP_MESH || moderate;
  }

  /** Why it cannot do an operation on a group; empty when it can. */
  Optional<String> refusal(CollectiveOp op, Placement placement) {
    boolean phases =
        op == CollectiveOp.ALL_GATHER || op == CollectiveOp.REDUCE_SCATTER || op == CollectiveOp.ALL_REDUCE;
    boolean does = switch (this) {
      case MESH -> phases || op == CollectiveOp.ALL_TO_ALL;
      case SINGLE_STEP_MESH -> op == CollectiveOp.ALL_REDUCE;
      default -> phases;
    };
    if (!does) {
      return Optional.of(key() + " does not do " + op.key() + "; it does "
          + (this == SINGLE_STEP_MESH ? "all_reduce" : "all_gather, reduce_scatter, all_reduce")
          + (this == MESH ? ", all_to_all" : ""));
    }
    return placement.ranks() == 1 || op == CollectiveOp.ALL_TO_ALL
        ? Optional.empty() : refusal(placement).map(why -> key() + " cannot do " + op.key() + ": " + why);
  }

  private Optional<String> refusal(Placement placement) {
    int perChip = placement.ranksPerChip();
    if (this == RING) {
      return Optional.empty();
    }
    if (this == HIERARCHICAL) {
      return refusalOverInstances(placement);
    }
    if (placement.nodes() > 1) {
      return Optional.of("the group lies in " + placement.nodes() + " instances that no NeuronLink joins; ring can");
    }
    if (this == SINGLE_STEP_MESH) {
      return placement.ranks() <= RankSteps.MAX_ACCESSES ? Optional.empty()
          : Optional
              .of("a rank adds up " + RankSteps.MAX_ACCESSES + " inputs at most; the group has " + placement.ranks()
                  + " ranks; mesh can");
    }
    if (perChip == 0) {
      return Optional.of("the group has more ranks on some chips than on others; ring can");
    }
    if (this == KANGARING && !placement.hasWholeChips()) {
      return Optional.of("the group has not all ranks of its chips; ring can");
    }
    if (this == KANGARING && (perChip % 2 != 0 || perChip * placement.chips() < 4)) {
      return Optional.of("it needs two pairs of ranks or more, each on one chip, but there are " + placement.chips()
          + " chips of " + perChip + " ranks; ring can");
    }
    boolean cube = placement.chips() == 1 || placement.grid().filter(ChipGrid::isHypercube).isPresent();
    if (this == RDH && !cube) {
      return Optional.of("it needs all chips of a torus or mesh whose sides are powers of two; the group has "
          + placement.chips() + " chips" + placement.grid().map(grid -> " of a " + grid).orElse("") + "; ring can");
    }
    return Optional.empty();
  }

  private static Optional<String> refusalOverInstances(Placement placement) {
    if (placement.nodes() == 1 || placement.nodes() > MOST_INSTANCES) {
      return Optional.of("it goes over 2 to " + MOST_INSTANCES + " instances; the group lies in " + placement.nodes()
          + "; ring can");
    }
    if (!placement.isAligned()) {
      return Optional.of("the group has ranks at other places in one instance than in another; ring can");
    }
    return RDH.refusal(placement.ofNode(0)).map(why -> "within an instance, " + why);
  }
}
