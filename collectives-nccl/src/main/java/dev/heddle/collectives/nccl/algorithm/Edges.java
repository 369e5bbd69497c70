package dev.heddle.collectives.nccl.algorithm;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.Collective;
import dev.heddle.collective.Pipeline;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.Schedule;
import dev.heddle.collectives.nccl.schedule.Rings;
import java.util.function.IntUnaryOperator;

/** Builder of a pipeline from its edges between terminals. */
final class Edges {
  private final ImmutableIntArray.Builder sources = ImmutableIntArray.builder();
  private final ImmutableIntArray.Builder targets = ImmutableIntArray.builder();
  private final ImmutableIntArray.Builder rails = ImmutableIntArray.builder();
  private final int parallelEdges;

  /**
   * A builder without edges.
   *
   * @param parallelEdges number of parallel edges for each added edge; the fabric routes each separately
   */
  Edges(int parallelEdges) {
    this.parallelEdges = parallelEdges;
  }

  /**
   * Adds the edges of a channel's ring; broadcast and reduce cut it at the root.
   *
   * @param terminal of each rank
   * @param onRails the rails of messages between nodes
   */
  void addRing(
      Rings rings, int channel, Collective collective, IntUnaryOperator terminal, Schedule.Rails onRails) {
    for (int rank = 0; rank < rings.ranks(); rank++) {
      int next = rings.behind(channel, rank, -1);
      if (joined(collective, rank, next)) {
        int relay = rings.relay(channel, rank);
        if (relay != rank) {
          add(terminal.applyAsInt(rank), terminal.applyAsInt(relay));
        }
        add(terminal.applyAsInt(relay), terminal.applyAsInt(next), onRails.between(relay, next, channel));
      }
    }
  }

  /** Whether a rank of a ring sends to the next one in a collective. */
  static boolean joined(Collective collective, int rank, int next) {
    return switch (collective.op()) {
      case BROADCAST -> next != collective.root();
      case REDUCE -> rank != collective.root();
      default -> true;
    };
  }

  void add(int source, int target) {
    add(source, target, RankSteps.NONE);
  }

  /** Adds an edge on a rail, or by the terminals' own NICs with {@link RankSteps#NONE}. */
  void add(int source, int target, int rail) {
    for (int i = 0; i < parallelEdges; i++) {
      sources.add(source);
      targets.add(target);
      rails.add(rail);
    }
  }

  void addBothWays(int one, int other) {
    add(one, other);
    add(other, one);
  }

  /**
   * The pipeline over the edges.
   *
   * @param bytes that each edge carries on the wire, over all of its parallel edges
   * @param messageBytes size of one message, at most {@code bytes}
   * @param transferPs least time of the transfer, which limits the rate
   * @param fill latency and fixed time in addition to the transfer
   */
  Pipeline pipeline(long bytes, long messageBytes, double transferPs, Pipeline.Fill fill) {
    long each = (bytes + parallelEdges - 1) / parallelEdges;
    Pipeline pipeline = Pipeline.of(
        sources.build(), targets.build(), each, Math.min(each, messageBytes), fill).onRails(rails.build());
    return each > 0 && transferPs > 0 ? pipeline.limited(each / transferPs) : pipeline;
  }
}
