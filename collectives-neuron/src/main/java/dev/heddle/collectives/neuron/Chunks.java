package dev.heddle.collectives.neuron;

import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;

/**
 * The chunks of a collective: one for each rank, its owner, and channel. Input and output share their place, so that no
 * rank copies what it already has.
 */
final class Chunks {
  private final Layout layout;
  private final int channels;
  private final boolean scattered;

  /**
   * Cuts the buffers.
   *
   * @param channels parts of each rank's data
   * @param mirrors scratch buffers of as many chunks as there are in all
   */
  Chunks(Collective collective, int channels, int mirrors) {
    this.channels = channels;
    scattered = collective.op() == CollectiveOp.REDUCE_SCATTER;
    int perBlock = collective.op() == CollectiveOp.ALL_REDUCE
        ? Math.multiplyExact(collective.ranks(), channels) : channels;
    Layout plain = Layout.of(collective, perBlock);
    int slots = collective.ranks() * channels;
    long[] scratch = new long[mirrors * slots];
    for (int slot = 0; slot < scratch.length; slot++) {
      scratch[slot] = plain.bytes(0, wide(collective.op(), slot % slots));
    }
    layout = plain.sharingInputAndOutput().withScratch(scratch);
  }

  private static ChunkRange wide(CollectiveOp op, int slot) {
    return op == CollectiveOp.ALL_GATHER ? ChunkRange.output(slot, 1) : ChunkRange.input(slot, 1);
  }

  Layout layout() {
    return layout;
  }

  int channels() {
    return channels;
  }

  private int slot(int owner, int channel) {
    return owner * channels + channel;
  }

  /** What a rank contributes to the sum of an owner's chunk. */
  ChunkRange input(int owner, int channel) {
    return ChunkRange.input(slot(owner, channel), 1);
  }

  /** Where an owner's chunk comes to lie when all have it. */
  ChunkRange output(int owner, int channel) {
    return ChunkRange.output(slot(owner, channel), 1);
  }

  /** Where the owner has the sum of its chunk. */
  ChunkRange result(int owner, int channel) {
    return scattered ? ChunkRange.output(channel, 1) : output(owner, channel);
  }

  /** Room for an owner's chunk in a mirror. */
  ChunkRange scratch(int mirror, int owner, int channel) {
    return ChunkRange.scratch(mirror * layout.ranks() * channels + slot(owner, channel), 1);
  }
}
