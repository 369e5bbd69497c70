package dev.heddle.collectives.neuron;

import com.google.common.primitives.Longs;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import java.util.Arrays;

/**
 * The chunks of a collective: one for each rank, its owner, and channel. Input and output share their place, so that no
 * rank copies what it already has.
 */
final class Chunks {
  private final Layout layout;
  private final int channels;
  private final int mirrors;
  private final boolean scattered;

  /**
   * Cuts the buffers.
   *
   * @param channels parts of each rank's data
   * @param mirrors scratch buffers of as many chunks as there are in all
   */
  static Chunks of(Collective collective, int channels, int mirrors) {
    return new Chunks(collective, channels, mirrors, false);
  }

  /** The same of one channel, with one mirror, and room for what each rank has added up of the owner's chunk. */
  static Chunks withPartials(Collective collective) {
    return new Chunks(collective, 1, 1, true);
  }

  private Chunks(Collective collective, int channels, int mirrors, boolean partials) {
    this.channels = channels;
    this.mirrors = mirrors;
    scattered = collective.op() == CollectiveOp.REDUCE_SCATTER;
    int perBlock = collective.op() == CollectiveOp.ALL_REDUCE
        ? Math.multiplyExact(collective.ranks(), channels) : channels;
    Layout plain = Layout.of(collective, perBlock);
    long[] owners = new long[collective.ranks() * channels];
    Arrays.setAll(owners, slot -> plain.bytes(0, wide(collective.op(), slot)));
    long[] scratch = new long[mirrors * owners.length];
    Arrays.setAll(scratch, slot -> owners[slot % owners.length]);
    Layout shared = plain.sharingInputAndOutput();
    layout = partials
        ? shared.withScratchOfRanks(rank -> Longs.concat(scratch, filled(owners.length, owners[rank])))
        : shared.withScratch(scratch);
  }

  private static long[] filled(int length, long value) {
    long[] array = new long[length];
    Arrays.fill(array, value);
    return array;
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

  /** Room for what another rank has added up of the owner's chunk. */
  ChunkRange partial(int from) {
    return scratch(mirrors, from, 0);
  }

  /** Room for an owner's chunk in a mirror. */
  ChunkRange scratch(int mirror, int owner, int channel) {
    return ChunkRange.scratch(mirror * layout.ranks() * channels + slot(owner, channel), 1);
  }
}
