package dev.heddle.collectives.oneccl;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Pipeline;
import dev.heddle.collective.Schedule;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.CollectiveCost;
import dev.heddle.spi.CollectiveRequest;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import java.util.List;

/**
 * Provides the all_reduce that scales up and out: tiles of a GPU reduce-scatter among them, then the tiles of the same
 * number of a node's GPUs, each by direct exchange; ranks of the same position reduce between nodes; and all is
 * gathered in the reverse order [ALCF §3.1].
 */
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
  public String id() {
    return ID;
  }

  @Override
  public String description() {
    return "All_reduce that reduces within GPUs and nodes, then between nodes, and gathers in the reverse order";
  }

  @Override
  public Class<Settings> settings() {
    return Settings.class;
  }

  @Override
  public CollectiveAlgorithm create(Settings settings) {
    return new OneCcl(settings);
  }

  private record OneCcl(Settings settings) implements CollectiveAlgorithm {
    private Teams teams(CollectiveRequest request) {
      CollectiveOp op = request.collective().op();
      if (op != CollectiveOp.ALL_REDUCE) {
        throw new InvalidSettingException("", ID + " does not do " + op.key() + "; it does all_reduce");
      }
      return Teams.of(request, settings.tiles());
    }

    private Phases phases(CollectiveRequest request) {
      return new Phases(teams(request), settings.scaleOut(), settings.host(), request.collective().bytes());
    }

    @Override
    public Schedule plan(CollectiveRequest request) {
      return new Plans(teams(request), settings.scaleOut(), settings.host(), request.collective()).schedule(ID);
    }

    @Override
    public CollectiveCost cost(CollectiveRequest request) {
      return phases(request).cost();
    }

    @Override
    public List<Pipeline> pipelines(CollectiveRequest request) {
      return phases(request).pipelines();
    }

    // As a ring: all send first, and pass on before they free.
    @Override
    public int window() {
      return 2;
    }
  }
}
