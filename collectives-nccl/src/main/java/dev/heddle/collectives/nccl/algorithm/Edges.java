package dev.heddle.collectives.nccl.algorithm;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.Pipeline;

/** Collects the edges of a pipeline, as terminals. */
final class Edges {
  private final ImmutableIntArray.Builder sources = ImmutableIntArray.builder();
  private final ImmutableIntArray.Builder targets = ImmutableIntArray.builder();
  private final int ways;

  /**
   * No edges yet.
   *
   * @param ways of each edge: the fabric routes each by itself
   */
  Edges(int ways) {
    this.ways = ways;
  }

  void add(int source, int target) {
    for (int way = 0; way < ways; way++) {
      sources.add(source);
      targets.add(target);
    }
  }

  void addBothWays(int one, int other) {
    add(one, other);
    add(other, one);
  }

  /**
   * The pipeline.
   *
   * @param bytes that each edge carries on the wire, over all of its ways
   * @param messageBytes of one message, at most {@code bytes}
   * @param transferPs the least time in which the edges carry them
   * @param fill what it takes besides
   */
  Pipeline pipeline(long bytes, long messageBytes, double transferPs, Pipeline.Fill fill) {
    long each = (bytes + ways - 1) / ways;
    Pipeline pipeline = Pipeline.of(
        sources.build(), targets.build(), each, Math.min(each, messageBytes), fill);
    return each > 0 && transferPs > 0 ? pipeline.limited(each / transferPs) : pipeline;
  }
}
