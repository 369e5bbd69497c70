package dev.heddle.standard.collective;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import dev.heddle.collective.Schedule;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.CollectiveCost;
import dev.heddle.spi.CollectiveRequest;

/**
 * Provides the binomial tree: the number of ranks that have the data doubles in each round, or the number of those that
 * still have to send them halves. Any number of ranks, {@code log2 n} rounds, rounded up [Thakur, Rabenseifner, Gropp
 * 2005].
 */
public final class BinomialTreeAlgorithmProvider
    implements
      CollectiveAlgorithmProvider<BinomialTreeAlgorithmProvider.Settings> {
  private static final String ID = "binomial-tree";
  private static final ImmutableSet<CollectiveOp> SERVED = Sets.immutableEnumSet(
      CollectiveOp.BROADCAST, CollectiveOp.REDUCE, CollectiveOp.GATHER, CollectiveOp.SCATTER);

  /** There is nothing to set. */
  public record Settings() {}

  @Override
  public String id() {
    return ID;
  }

  @Override
  public String description() {
    return "A tree in which every round doubles those that are served: broadcast, reduce, gather, scatter";
  }

  @Override
  public Class<Settings> settings() {
    return Settings.class;
  }

  @Override
  public CollectiveAlgorithm create(Settings settings) {
    return new BinomialTree();
  }

  private record BinomialTree() implements CollectiveAlgorithm {
    @Override
    public Schedule plan(CollectiveRequest request) {
      Collective collective = request.collective();
      Shares.require(ID, collective.op(), SERVED);
      Layout plain = Layout.of(collective, 1);
      if (collective.ranks() == 1) {
        return Shares.alone(ID, plain);
      }
      Layout layout = BinomialTreeSteps.withScratch(plain);
      return Schedule.planned(ID, layout, rank -> new BinomialTreeSteps(layout, rank).steps());
    }

    @Override
    public CollectiveCost cost(CollectiveRequest request) {
      Collective collective = request.collective();
      Shares.require(ID, collective.op(), SERVED);
      int n = collective.ranks();
      if (n == 1) {
        return Shares.alone();
      }
      // The longest chain has a message for every bit of the largest 2^k - 1 that is a rank; the root sends for each
      // bit.
      long rounds = Integer.numberOfTrailingZeros(Integer.highestOneBit(n));
      long sends = Integer.SIZE - Integer.numberOfLeadingZeros(n - 1);
      long whole = Math.multiplyExact(sends, collective.bytes());
      return switch (collective.op()) {
        case BROADCAST -> new CollectiveCost(rounds, whole, 0);
        case REDUCE -> new CollectiveCost(rounds, whole, whole);
        default -> new CollectiveCost(rounds, Shares.of(collective.bytes(), n - 1, n), 0);
      };
    }
  }
}
