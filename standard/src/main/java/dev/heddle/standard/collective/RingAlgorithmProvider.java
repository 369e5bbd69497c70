package dev.heddle.standard.collective;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import dev.heddle.collective.Pipeline;
import dev.heddle.collective.Schedule;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.CollectiveCost;
import dev.heddle.spi.CollectiveRequest;
import dev.heddle.spi.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Provides the ring: rank {@code r} sends to {@code r + 1} only. Its all_reduce sends {@code 2 (n - 1) / n} of the data
 * per rank, the least possible [Patarasuk, Yuan 2009].
 */
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
  public String id() {
    return ID;
  }

  @Override
  public String description() {
    return "Every rank sends to the next: all_reduce, all_gather, reduce_scatter, broadcast, reduce";
  }

  @Override
  public Class<Settings> settings() {
    return Settings.class;
  }

  @Override
  public CollectiveAlgorithm create(Settings settings) {
    return new Ring(settings);
  }

  private record Ring(Settings settings) implements CollectiveAlgorithm {
    @Override
    public Schedule plan(CollectiveRequest request) {
      Collective collective = request.collective();
      Shares.require(ID, collective.op(), SERVED);
      Layout layout = Layout.of(collective, Math.multiplyExact(settings.channels(), perChannel(collective)));
      if (collective.ranks() == 1) {
        return Shares.alone(ID, layout);
      }
      return Schedule.planned(ID, layout, rank -> new RingSteps(layout, rank, settings.channels()).steps());
    }

    // All ranks send first. A step that forwards received data then needs buffer space at the next rank before it frees
    // its own.
    @Override
    public int window() {
      return 2;
    }

    @Override
    public List<Pipeline> pipelines(CollectiveRequest request) {
      Shares.require(ID, request.collective().op(), SERVED);
      List<Pipeline> pipelines = new ArrayList<>();
      for (int channel = 0; channel < settings.channels() && request.group().size() > 1; channel++) {
        long bytes = request.collective().bytes();
        long start = Math.floorDiv(bytes * channel, settings.channels());
        pipelines.add(pipeline(request, bytes * (channel + 1) / settings.channels() - start));
      }
      return pipelines;
    }

    // A ring's datum crosses every edge but one, or but two, once or twice; a chain's last piece follows the others.
    private Pipeline pipeline(CollectiveRequest request, long bytes) {
      int n = request.group().size();
      return switch (request.collective().op()) {
        case ALL_REDUCE -> circle(request, 2 * (n - 1), bytes);
        case ALL_GATHER, REDUCE_SCATTER -> circle(request, n - 1, bytes);
        case REDUCE -> chain(request, request.collective().root() + 1, bytes);
        default -> chain(request, request.collective().root(), bytes);
      };
    }

    private static Pipeline circle(CollectiveRequest request, int rounds, long bytes) {
      int n = request.group().size();
      return Pipeline.of(
          members(request, 0, n), members(request, 1, n), Shares.of(bytes, rounds, n), Shares.of(bytes, 1, n),
          new Pipeline.Fill((double) rounds / n, 0, 0));
    }

    private Pipeline chain(CollectiveRequest request, int first, long bytes) {
      int n = request.group().size();
      return Pipeline.of(
          members(request, first, n - 1), members(request, first + 1, n - 1), bytes,
          Shares.of(bytes, 1, settings.pieces()),
          new Pipeline.Fill(1, Shares.of(bytes, n - 2, settings.pieces()), 0));
    }

    private static ImmutableIntArray members(CollectiveRequest request, int first, int count) {
      int n = request.group().size();
      return ImmutableIntArray.copyOf(
          IntStream.range(first, first + count).map(rank -> request.group().member(rank % n)));
    }

    private int perChannel(Collective collective) {
      return switch (collective.op()) {
        case ALL_REDUCE -> collective.ranks();
        case BROADCAST, REDUCE -> settings.pieces();
        default -> 1;
      };
    }

    @Override
    public CollectiveCost cost(CollectiveRequest request) {
      Collective collective = request.collective();
      Shares.require(ID, collective.op(), SERVED);
      long bytes = collective.bytes();
      long n = collective.ranks();
      if (n == 1) {
        return Shares.alone();
      }
      long share = Shares.of(bytes, n - 1, n);
      long chain = n - 2 + settings.pieces();
      return switch (collective.op()) {
        case ALL_REDUCE -> new CollectiveCost(2 * (n - 1), Math.addExact(share, share), share);
        case ALL_GATHER -> new CollectiveCost(n - 1, share, 0);
        case REDUCE_SCATTER -> new CollectiveCost(n - 1, share, share);
        case REDUCE -> new CollectiveCost(
            chain, Shares.of(bytes, chain, settings.pieces()), Shares.of(bytes, chain, settings.pieces()));
        default -> new CollectiveCost(chain, Shares.of(bytes, chain, settings.pieces()), 0);
      };
    }
  }
}
