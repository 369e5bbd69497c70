package dev.heddle.collectives.nccl.algorithm;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.Pipeline;

/** Builder of a pipeline from its edges between terminals. */
final class Edges {
  private final ImmutableIntArray.Builder sources = ImmutableIntArray.builder();
  private final ImmutableIntArray.Builder targets = ImmutableIntArray.builder();
  private final int parallelEdges;

  /**
   * A builder without edges.
   *
   * @param parallelEdges number of parallel edges for each added edge; the fabric routes each separately
   */
  Edges(int parallelEdges) {
    this.parallelEdges = parallelEdges;
  }

  void add(int source, int target) {
    for (int i = 0; i < parallelEdges; i++) {
      sources.add(source);
      targets.add(target);
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
        sources.build(), targets.build(), each, Math.min(each, messageBytes), fill);
    return each > 0 && transferPs > 0 ? pipeline.limited(each / transferPs) : pipeline;
  }
}
