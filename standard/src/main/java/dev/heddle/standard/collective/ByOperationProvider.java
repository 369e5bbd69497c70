package dev.heddle.standard.collective;

import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Retransmission;
import dev.heddle.spi.Setting;
import java.util.Map;

/**
 * Provides a choice among algorithms by the operation: one that does a single operation, such as a file of MSCCL,
 * serves a job that has others besides.
 */
@Plugin(id = "by-operation",
    description = "An algorithm of its own for each of some operations, and one for all others")
public final class ByOperationProvider implements CollectiveAlgorithmProvider<ByOperationProvider.Settings> {
  /**
   * The algorithms.
   *
   * @param operations that have algorithms of their own
   * @param others algorithm of all other operations
   */
  public record Settings(
      @Setting("algorithms by operation: {all_to_all: direct}") Map<CollectiveOp, CollectiveAlgorithm> operations,
      @Setting(value = "algorithm of the operations that have none of their own",
          def = "{type: ring}") CollectiveAlgorithm others) {}

  @Override
  public CollectiveAlgorithm create(Settings settings) {
    return new ByOperation(ImmutableMap.copyOf(settings.operations()), settings.others());
  }

  private record ByOperation(
      ImmutableMap<CollectiveOp, CollectiveAlgorithm> operations, CollectiveAlgorithm others)
      implements CollectiveAlgorithm {
    // A group is prepared by an algorithm when an operation first asks for it, as the algorithm may refuse the group.
    @Override
    public Communicator communicator(Cluster cluster, Group group) {
      ImmutableMap<CollectiveOp, Supplier<Communicator>> own = ImmutableMap.copyOf(
          Maps.transformValues(operations, each -> prepared(each, cluster, group)));
      Supplier<Communicator> rest = prepared(others, cluster, group);
      return collective -> own.getOrDefault(collective.op(), rest).get().plan(collective);
    }

    private static Supplier<Communicator> prepared(CollectiveAlgorithm algorithm, Cluster cluster, Group group) {
      return Suppliers.memoize(() -> algorithm.communicator(cluster, group));
    }

    @Override
    public Retransmission retransmission() {
      return others.retransmission();
    }
  }
}
