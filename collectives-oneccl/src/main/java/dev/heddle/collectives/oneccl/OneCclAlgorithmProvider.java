package dev.heddle.collectives.oneccl;

import com.google.common.base.Suppliers;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.CollectivePlan;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import java.util.function.Supplier;

/**
 * Provides the all_reduce that scales up and out: tiles of a GPU reduce-scatter among them, then the tiles of the same
 * number of a node's GPUs, each by direct exchange; ranks of the same position reduce between nodes; and all is
 * gathered in the reverse order [ALCF §3.1].
 */
@Plugin(id = "oneccl",
    description = "All_reduce that reduces within GPUs and nodes, then between nodes, and gathers in the reverse order")
public final class OneCclAlgorithmProvider implements CollectiveAlgorithmProvider<OneCclAlgorithmProvider.Settings> {
  private static final String ID = "oneccl";

  /**
   * The settings of an all_reduce.
   *
   * @param tiles of a GPU
   * @param scaleOut algorithm between nodes
   * @param host role of the host for data that leave the node
   */
  public record Settings(
      @Setting(value = "accelerators that follow each other in a node and are one GPU", def = "2", min = "1",
          max = "64") int tiles,
      @Setting(value = "reduction among the ranks of the same position of all nodes", def = "ring") ScaleOut scaleOut,
      @Setting(
          value = "role of the host for data that leave the node; copies need an aggregator for each accelerator",
          def = "none") HostPath host) {}

  @Override
  public CollectiveAlgorithm create(Settings settings) {
    return new OneCcl(settings);
  }

  /** As a ring: all send first, and pass on before they free. */
  private static final int WINDOW = 2;

  private record OneCcl(Settings settings) implements CollectiveAlgorithm {
    @Override
    public Communicator communicator(Cluster cluster, Group group) {
      Supplier<Teams> teams = Suppliers.memoize(() -> Teams.of(cluster, group, settings.tiles()));
      return collective -> plan(collective, teams);
    }

    private CollectivePlan plan(Collective collective, Supplier<Teams> teams) {
      if (collective.op() != CollectiveOp.ALL_REDUCE) {
        throw new InvalidSettingException(
            "", ID + " does not do " + collective.op().key() + "; it does all_reduce");
      }
      ScaleOut scaleOut = settings.scaleOut();
      HostPath host = settings.host();
      return CollectivePlan
          .of(new Plans(teams.get(), scaleOut, host, collective).schedule(ID).withWindow(WINDOW))
          .withPipelines(() -> new Phases(teams.get(), scaleOut, host, collective.bytes()).pipelines());
    }
  }
}
