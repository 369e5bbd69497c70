package dev.heddle.collectives.nccl.algorithm;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.Pipeline;

/** Collects the edges of a pipeline, as terminals. */
final class Edges {
  private final ImmutableIntArray.Builder sources = ImmutableIntArray.builder();
  private final ImmutableIntArray.Builder targets = ImmutableIntArray.builder();
  private int count;

  void add(int source, int target) {
    sources.add(source);
    targets.add(target);
    count++;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /**
   * The pipeline.
   *
   * @param bytes that each edge carries on the wire
   * @param messageBytes of one message, at most {@code bytes}
   * @param transferPs the least time in which the edges carry them
   * @param fixedPs what it takes besides
   */
  Pipeline pipeline(long bytes, long messageBytes, double transferPs, long fixedPs) {
    Pipeline pipeline = Pipeline.of(
        sources.build(), targets.build(), bytes, Math.min(bytes, messageBytes), new Pipeline.Fill(0, 0, fixedPs));
    return bytes > 0 && transferPs > 0 ? pipeline.limited(bytes / transferPs) : pipeline;
  }
}
