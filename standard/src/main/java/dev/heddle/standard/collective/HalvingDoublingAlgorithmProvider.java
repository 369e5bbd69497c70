package dev.heddle.standard.collective;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import dev.heddle.collective.Schedule;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.CollectivePlan;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import java.util.Arrays;

/**
 * Provides recursive halving and doubling: few rounds and, in powers of two, no more bytes than a ring [Thakur,
 * Rabenseifner, Gropp 2005].
 * Other numbers of ranks fold into the largest power of two in all_reduce, and are refused elsewhere.
 */
@Plugin(id = "halving-doubling",
    description = "Ranks exchange halves, quarters and so on: all_reduce, reduce_scatter, all_gather")
public final class HalvingDoublingAlgorithmProvider
    implements
      CollectiveAlgorithmProvider<HalvingDoublingAlgorithmProvider.Settings> {
  private static final String ID = "halving-doubling";
  private static final ImmutableSet<CollectiveOp> SERVED =
      Sets.immutableEnumSet(CollectiveOp.ALL_REDUCE, CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER);

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
    boolean reduces = collective.op() == CollectiveOp.ALL_REDUCE;
    Layout plain = Layout.of(collective, reduces ? Integer.highestOneBit(collective.ranks()) : 1);
    Layout layout = collective.op() == CollectiveOp.REDUCE_SCATTER ? plain.withScratch(blocks(plain)) : plain;
    if (collective.ranks() == 1) {
      return Shares.singleRank(ID, layout);
    }
    return switch (collective.op()) {
      case ALL_REDUCE ->
        Schedule.planned(ID, layout, rank -> new HypercubeSteps(layout, rank).halvingDoublingAllReduce());
      case REDUCE_SCATTER ->
        Schedule.planned(ID, layout, rank -> new HypercubeSteps(layout, rank).halvingReduceScatter());
      default -> Schedule.planned(ID, layout, rank -> new HypercubeSteps(layout, rank).doublingAllGather());
    };
  }

  private static long[] blocks(Layout layout) {
    long[] bytes = new long[layout.ranks()];
    Arrays.setAll(bytes, block -> layout.bytes(0, ChunkRange.input(block, 1)));
    return bytes;
  }
}
