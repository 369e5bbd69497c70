package dev.heddle.standard.collective;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import dev.heddle.collective.Schedule;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.CollectivePlan;
import dev.heddle.spi.Plugin;

/**
 * Provides the binomial tree: the number of ranks that have the data doubles in each round, or the number of those that
 * still have to send them halves. Any number of ranks, {@code log2 n} rounds, rounded up [Thakur, Rabenseifner, Gropp
 * 2005].
 */
@Plugin(id = "binomial-tree",
    description = "A tree in which every round doubles those that are served: broadcast, reduce, gather, scatter")
public final class BinomialTreeAlgorithmProvider
    implements
      CollectiveAlgorithmProvider<BinomialTreeAlgorithmProvider.Settings> {
  private static final String ID = "binomial-tree";
  private static final ImmutableSet<CollectiveOp> SERVED = Sets.immutableEnumSet(
      CollectiveOp.BROADCAST, CollectiveOp.REDUCE, CollectiveOp.GATHER, CollectiveOp.SCATTER);

  /** There is nothing to set. */
  public record Settings() {}

  @Override
  public CollectiveAlgorithm create(Settings settings) {
    return (cluster, group) -> collective -> CollectivePlan.of(plan(collective));
  }

  private static Schedule plan(Collective collective) {
    Shares.require(ID, collective.op(), SERVED);
    Layout plain = Layout.of(collective, 1);
    if (collective.ranks() == 1) {
      return Shares.singleRank(ID, plain);
    }
    Layout layout = BinomialTreeSteps.withScratch(plain);
    return Schedule.planned(ID, layout, rank -> new BinomialTreeSteps(layout, rank).steps());
  }
}
