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
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;

/**
 * Provides recursive doubling: in round {@code i} a rank exchanges all its data with the rank whose number differs in
 * bit {@code i}. Few rounds, for small sizes [Thakur, Rabenseifner, Gropp 2005]. Other numbers of ranks fold into the
 * largest power of two in all_reduce, and are refused elsewhere.
 */
@Plugin(id = "recursive-doubling",
    description = "Ranks exchange all they have in log2 n rounds: all_reduce, all_gather")
public final class RecursiveDoublingAlgorithmProvider
    implements
      CollectiveAlgorithmProvider<RecursiveDoublingAlgorithmProvider.Settings> {
  private static final String ID = "recursive-doubling";
  private static final ImmutableSet<CollectiveOp> SERVED =
      Sets.immutableEnumSet(CollectiveOp.ALL_REDUCE, CollectiveOp.ALL_GATHER);

  /** There is nothing to set. */
  public record Settings() {}

  @Override
  public CollectiveAlgorithm create(Settings settings) {
    return (cluster, group) -> collective -> CollectivePlan.of(plan(collective));
  }

  private static void require(Collective collective) {
    Shares.require(ID, collective.op(), SERVED);
    if (collective.op() != CollectiveOp.ALL_REDUCE && Integer.bitCount(collective.ranks()) != 1) {
      throw new InvalidSettingException("", ID + " does " + collective.op().key()
          + " on powers of two only, not on " + collective.ranks() + " ranks");
    }
  }

  private static Schedule plan(Collective collective) {
    require(collective);
    Layout layout = Layout.of(collective, 1);
    if (collective.ranks() == 1) {
      return Shares.singleRank(ID, layout);
    }
    return collective.op() == CollectiveOp.ALL_REDUCE
        ? Schedule.planned(ID, layout, rank -> new HypercubeSteps(layout, rank).doublingAllReduce())
        : Schedule.planned(ID, layout, rank -> new HypercubeSteps(layout, rank).doublingAllGather());
  }

}
