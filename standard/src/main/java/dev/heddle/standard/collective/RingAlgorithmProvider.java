package dev.heddle.standard.collective;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.Layout;
import dev.heddle.collective.Pipeline;
import dev.heddle.collective.Schedule;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.CollectivePlan;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Provides the ring: rank {@code r} sends to {@code r + 1} only. Its all_reduce sends {@code 2 (n - 1) / n} of the data
 * per rank, the least possible [Patarasuk, Yuan 2009].
 */
@Plugin(id = "ring",
    description = "Every rank sends to the next: all_reduce, all_gather, reduce_scatter, broadcast, reduce")
public final class RingAlgorithmProvider implements CollectiveAlgorithmProvider<RingAlgorithmProvider.Settings> {
  private static final String ID = "ring";
  private static final ImmutableSet<CollectiveOp> SERVED = Sets.immutableEnumSet(
      CollectiveOp.ALL_REDUCE, CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER, CollectiveOp.BROADCAST,
      CollectiveOp.REDUCE);

  /**
   * The pipelining of a ring.
   *
   * @param channels concurrent rings, each with its part of the data
   * @param pieces of each channel's data in broadcast and reduce, pipelined along the chain
   */
  public record Settings(
      @Setting(value = "concurrent rings, each with its part of the data", def = "1", min = "1",
          max = "64") int channels,
      @Setting(value = "pieces of each channel's data that are pipelined in broadcast and reduce", def = "8",
          min = "1", max = "65536") int pieces) {}

  /** One ring, in eight pieces where it is a chain: the default of scenarios. */
  public static CollectiveAlgorithm single() {
    return new Ring(new Settings(1, 8));
  }

  @Override
  public CollectiveAlgorithm create(Settings settings) {
    return new Ring(settings);
  }

  /** All ranks send first. A step that passes on its message then needs room ahead before it frees any behind. */
  private static final int WINDOW = 2;

  private record Ring(Settings settings) implements CollectiveAlgorithm {
    @Override
    public Communicator communicator(Cluster cluster, Group group) {
      return collective -> CollectivePlan.of(schedule(collective)).withPipelines(() -> pipelines(collective, group));
    }

    private Schedule schedule(Collective collective) {
      Shares.require(ID, collective.op(), SERVED);
      Layout layout = Layout.of(collective, Math.multiplyExact(settings.channels(), perChannel(collective)));
      if (collective.ranks() == 1) {
        return Shares.singleRank(ID, layout);
      }
      return Schedule.planned(ID, layout, rank -> new RingSteps(layout, rank, settings.channels()).steps())
          .withWindow(WINDOW);
    }

    private List<Pipeline> pipelines(Collective collective, Group group) {
      List<Pipeline> pipelines = new ArrayList<>();
      for (int channel = 0; channel < settings.channels() && group.size() > 1; channel++) {
        long bytes = collective.bytes();
        long start = Math.floorDiv(bytes * channel, settings.channels());
        pipelines.addAll(pipelines(collective, group, bytes * (channel + 1) / settings.channels() - start));
      }
      return pipelines;
    }

    private List<Pipeline> pipelines(Collective collective, Group group, long bytes) {
      int n = group.size();
      return switch (collective.op()) {
        case ALL_REDUCE -> ring(group, 2 * (n - 1), bytes);
        case ALL_GATHER, REDUCE_SCATTER -> ring(group, n - 1, bytes);
        case REDUCE -> List.of(chain(group, collective.root() + 1, bytes));
        default -> List.of(chain(group, collective.root(), bytes));
      };
    }

    // A ring takes as long as its slowest edge is busy, or as one message after another from rank to rank.
    private static List<Pipeline> ring(Group group, int rounds, long bytes) {
      int n = group.size();
      long message = Shares.of(bytes, 1, n);
      long carried = Shares.of(bytes, rounds, n);
      return List.of(
          Pipeline.of(
              members(group, 0, n), members(group, 1, n), carried, message, new Pipeline.Fill(1.0 / n, 0, 0)),
          Pipeline.of(
              members(group, 0, n), members(group, 1, n), 0, message,
              new Pipeline.Fill((double) rounds / n, carried, 0)));
    }

    private Pipeline chain(Group group, int first, long bytes) {
      int n = group.size();
      return Pipeline.of(
          members(group, first, n - 1), members(group, first + 1, n - 1), bytes,
          Shares.of(bytes, 1, settings.pieces()),
          new Pipeline.Fill(1, Shares.of(bytes, n - 2, settings.pieces()), 0));
    }

    private static ImmutableIntArray members(Group group, int first, int count) {
      int n = group.size();
      return ImmutableIntArray.copyOf(IntStream.range(first, first + count).map(rank -> group.member(rank % n)));
    }

    private int perChannel(Collective collective) {
      return switch (collective.op()) {
        case ALL_REDUCE -> collective.ranks();
        case BROADCAST, REDUCE -> settings.pieces();
        default -> 1;
      };
    }
  }
}
