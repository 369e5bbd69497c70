package dev.heddle.collectives.neuron;

import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import java.util.Arrays;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/**
 * The chunks of a collective: one for each rank, its owner, and channel. Input and output share memory, so that no rank
 * copies data that it already has.
 */
final class Chunks {
  private static final int NONE = -1;

  private final Layout layout;
  private final int channels;
  private final int mirrors;
  private final boolean scattered;
  // The owners of the chunks, by their numbers here; the start of their mirrors; and the location of sums in scratch.
  private final int[] owners;
  private final int firstScratch;
  private final int result;

  /**
   * Cuts the buffers.
   *
   * @param channels parts of each rank's data
   * @param mirrors scratch buffers with the total number of chunks each
   */
  static Chunks of(Collective collective, int channels, int mirrors) {
    int all = collective.ranks() * channels;
    return new Chunks(collective, channels, mirrors, (shared, bytes) -> shared.withScratch(
        IntStream.range(0, mirrors * all).mapToLong(slot -> bytes.applyAsLong(slot % all)).toArray()));
  }

  /** The chunks of one channel, with one mirror, and space for each rank's partial sums of the owner's chunk. */
  static Chunks withPartials(Collective collective) {
    int ranks = collective.ranks();
    return withScratch(
        collective, 1, rank -> IntStream.range(0, 2 * ranks).map(slot -> slot < ranks ? slot : rank).toArray());
  }

  /**
   * The chunks of one channel with other scratch chunks.
   *
   * @param scratch of a rank: for each of its scratch chunks the owner of the chunk that it has space for
   */
  static Chunks withScratch(Collective collective, IntFunction<int[]> scratch) {
    return withScratch(collective, 0, scratch);
  }

  private static Chunks withScratch(Collective collective, int mirrors, IntFunction<int[]> scratch) {
    return new Chunks(collective, 1, mirrors, (shared, bytes) -> shared
        .withScratchOfRanks(rank -> Arrays.stream(scratch.apply(rank)).mapToLong(bytes).toArray()));
  }

  // The sizes of a layout's scratch chunks follow from the bytes of each owner's chunk.
  private Chunks(
      Collective collective, int channels, int mirrors, BiFunction<Layout, IntToLongFunction, Layout> room) {
    this.channels = channels;
    this.mirrors = mirrors;
    scattered = collective.op() == CollectiveOp.REDUCE_SCATTER;
    owners = IntStream.range(0, collective.ranks()).toArray();
    firstScratch = 0;
    result = NONE;
    int perBlock = collective.op() == CollectiveOp.ALL_REDUCE
        ? Math.multiplyExact(collective.ranks(), channels) : channels;
    Layout plain = Layout.of(collective, perBlock);
    layout = room.apply(plain.sharingInputAndOutput(), slot -> plain.bytes(0, wide(collective.op(), slot)));
  }

  private Chunks(Chunks other, int[] owners, int firstScratch, int result) {
    this.owners = owners;
    this.firstScratch = firstScratch;
    this.result = result;
    layout = other.layout;
    channels = other.channels;
    mirrors = other.mirrors;
    scattered = other.scattered;
  }

  /**
   * The chunks of some owners, which are numbered anew.
   *
   * @param ranks the owners
   * @param first the scratch chunk at which the mirrors of their chunks begin
   * @param sum the scratch chunk in which a rank has the sum of the chunk that it owns among these
   */
  Chunks subset(int[] ranks, int first, int sum) {
    return new Chunks(this, ranks, first, sum);
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
    return owners[owner] * channels + channel;
  }

  /** A rank's contribution to the sum of an owner's chunk. */
  ChunkRange input(int owner, int channel) {
    return ChunkRange.input(slot(owner, channel), 1);
  }

  /** The final position of an owner's chunk when all have it. */
  ChunkRange output(int owner, int channel) {
    return ChunkRange.output(slot(owner, channel), 1);
  }

  /** The position of the sum of an owner's chunk at the owner. */
  ChunkRange result(int owner, int channel) {
    if (result != NONE) {
      return ChunkRange.scratch(result, 1);
    }
    return scattered ? ChunkRange.output(channel, 1) : output(owner, channel);
  }

  /** Space for another rank's partial sum of the owner's chunk. */
  ChunkRange partial(int from) {
    return scratch(mirrors, from, 0);
  }

  /** Space for an owner's chunk in a mirror. */
  ChunkRange scratch(int mirror, int owner, int channel) {
    return ChunkRange.scratch(firstScratch + (mirror * owners.length + owner) * channels + channel, 1);
  }
}
