package dev.heddle.standard.collective;

import static dev.heddle.collective.ChunkRange.input;
import static dev.heddle.collective.ChunkRange.output;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.CollectivePlan;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;

/** Provides the direct exchange: every rank sends each other rank's part to it, without detours. */
@Plugin(id = "direct",
    description = "Every rank sends to every other at once: all_to_all, all_to_all_v, all_gather, send_recv")
public final class DirectAlgorithmProvider implements CollectiveAlgorithmProvider<DirectAlgorithmProvider.Settings> {
  private static final String ID = "direct";
  private static final ImmutableSet<CollectiveOp> SERVED = Sets.immutableEnumSet(
      CollectiveOp.ALL_GATHER, CollectiveOp.ALL_TO_ALL, CollectiveOp.ALL_TO_ALL_V, CollectiveOp.SEND_RECV);

  /**
   * The division of messages.
   *
   * @param channels concurrent channels, each with its part of every message
   */
  public record Settings(
      @Setting(value = "concurrent channels, each with its part of every message", def = "1", min = "1",
          max = "64") int channels) {}

  @Override
  public CollectiveAlgorithm create(Settings settings) {
    return new Direct(settings.channels());
  }

  private record Direct(int channels) implements CollectiveAlgorithm {
    @Override
    public Communicator communicator(Cluster cluster, Group group) {
      ExchangeOrder order = ExchangeOrder.of(cluster, group);
      return collective -> CollectivePlan.of(plan(collective, order));
    }

    private Schedule plan(Collective collective, ExchangeOrder order) {
      Shares.require(ID, collective.op(), SERVED);
      Layout layout = Layout.of(collective, channels);
      return collective.ranks() == 1
          ? Shares.singleRank(ID, layout) : Schedule.planned(ID, layout, rank -> steps(layout, rank, order));
    }

    private RankSteps steps(Layout layout, int rank, ExchangeOrder order) {
      CollectiveOp op = layout.collective().op();
      int ranks = layout.ranks();
      boolean toAll = op == CollectiveOp.ALL_TO_ALL || op == CollectiveOp.ALL_TO_ALL_V;
      boolean next = op == CollectiveOp.SEND_RECV;
      RankStepsBuilder steps = new RankStepsBuilder(layout, rank);
      if (!next) {
        steps.copy(
            steps.threadBlock(0, RankSteps.NONE, RankSteps.NONE), input(toAll ? rank * channels : 0, channels),
            output(rank * channels, channels));
      }
      int turns = next ? 1 : ranks - 1;
      for (int channel = 0; channel < channels; channel++) {
        for (int turn = 1; turn <= turns; turn++) {
          int to = next ? (rank + 1) % ranks : order.receiver(rank, turn);
          int from = next ? (rank + ranks - 1) % ranks : order.sender(rank, turn);
          int block = steps.threadBlock(channel, to, from);
          steps.send(block, input((toAll ? to * channels : 0) + channel, 1));
          steps.receive(block, output((next ? 0 : from * channels) + channel, 1));
        }
      }
      return steps.build();
    }
  }
}
