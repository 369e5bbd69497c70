package dev.heddle.collective;

import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * The division of a collective's buffers into chunks: each block into the same number, which differ by at most one
 * byte, and the scratch buffer into chunks of given sizes.
 */
public final class Layout {
  private final Collective collective;
  private final int chunksPerBlock;
  private final boolean inPlace;
  // Start of the scratch chunks of each rank; a single row where all ranks and aggregators have the same.
  private final long[][] scratchStarts;
  private final int aggregators;

  private Layout(Collective collective, int chunksPerBlock) {
    this.collective = collective;
    this.chunksPerBlock = chunksPerBlock;
    inPlace = false;
    scratchStarts = new long[1][1];
    aggregators = 0;
  }

  private Layout(Layout other, boolean inPlace, long[][] scratchStarts, int aggregators) {
    collective = other.collective;
    chunksPerBlock = other.chunksPerBlock;
    this.inPlace = inPlace;
    this.scratchStarts = scratchStarts;
    this.aggregators = aggregators;
  }

  /**
   * A layout without scratch, with separate input and output.
   *
   * @param chunksPerBlock at least 1
   */
  public static Layout of(Collective collective, int chunksPerBlock) {
    long slots = (long) chunksPerBlock * collective.ranks();
    if (chunksPerBlock < 1 || slots > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("a block has 1 to 2^31 / ranks chunks: " + chunksPerBlock);
    }
    return new Layout(collective, chunksPerBlock);
  }

  /** The same layout with input and output in the same memory: an in-place operation. */
  public Layout sharingInputAndOutput() {
    return new Layout(this, true, scratchStarts, aggregators);
  }

  /**
   * The same layout with scratch chunks.
   *
   * @param bytes of each chunk, the same on all ranks
   */
  public Layout withScratch(long... bytes) {
    return new Layout(this, inPlace, new long[][] {starts(bytes)}, aggregators);
  }

  /**
   * The same layout with scratch chunks that differ from rank to rank; aggregators have none.
   *
   * @param bytes of each chunk of a rank
   */
  public Layout withScratchOfRanks(IntFunction<long[]> bytes) {
    long[][] starts = new long[ranks()][];
    Arrays.setAll(starts, rank -> starts(bytes.apply(rank)));
    return new Layout(this, inPlace, starts, aggregators);
  }

  private static long[] starts(long[] bytes) {
    long[] starts = new long[bytes.length + 1];
    for (int i = 0; i < bytes.length; i++) {
      starts[i + 1] = Math.addExact(starts[i], bytes[i]);
    }
    return starts;
  }

  private long[] scratchStarts(int rank) {
    return scratchStarts[scratchStarts.length == 1 ? 0 : rank];
  }

  /**
   * The same layout with aggregators that take part: engines of switches that reduce and multicast. Their numbers
   * follow those of the ranks, and they have scratch chunks only.
   */
  public Layout withAggregators(int count) {
    return new Layout(this, inPlace, scratchStarts, count);
  }

  /** The collective that the layout belongs to. */
  public Collective collective() {
    return collective;
  }

  /** The number of ranks. */
  public int ranks() {
    return collective.ranks();
  }

  /** The number of aggregators, which follow the ranks. */
  public int aggregators() {
    return aggregators;
  }

  /** The number of ranks and aggregators. */
  public int participants() {
    return ranks() + aggregators;
  }

  /** The chunks of each block. */
  public int chunksPerBlock() {
    return chunksPerBlock;
  }

  /** Whether input and output share memory. */
  public boolean inPlace() {
    return inPlace;
  }

  /** The chunks of a buffer of a rank or aggregator; 0 where it has no such buffer. */
  public int slots(int rank, Buffer buffer) {
    if (rank >= ranks() && (buffer != Buffer.SCRATCH || scratchStarts.length > 1)) {
      return 0;
    }
    return buffer == Buffer.SCRATCH ? scratchStarts(rank).length - 1 : collective.blocks(rank, buffer) * chunksPerBlock;
  }

  /** The bytes of contiguous chunks. */
  public long bytes(int rank, ChunkRange range) {
    return start(rank, range.buffer(), range.slot() + range.count()) - start(rank, range.buffer(), range.slot());
  }

  /** The first byte of a chunk within its buffer; an index equal to the number of chunks yields the buffer's size. */
  public long start(int rank, Buffer buffer, int slot) {
    if (buffer == Buffer.SCRATCH) {
      return scratchStarts(rank)[slot];
    }
    int block = slot / chunksPerBlock;
    int chunk = slot % chunksPerBlock;
    long start = collective.blockStart(rank, buffer, block);
    if (chunk > 0) {
      start += Collective.partStart(collective.blockBytes(rank, buffer, block), chunksPerBlock, chunk);
    }
    return start;
  }

  /** Cells of a rank's memory: its slots, those in one place counted once. */
  int cells(int rank) {
    return slots(rank, Buffer.INPUT) + slots(rank, Buffer.OUTPUT) + slots(rank, Buffer.SCRATCH);
  }

  /** The cell of a slot. */
  int cell(int rank, Buffer buffer, int slot) {
    int inputs = slots(rank, Buffer.INPUT);
    int outputs = slots(rank, Buffer.OUTPUT);
    if (buffer == Buffer.SCRATCH) {
      return inputs + outputs + slot;
    }
    if (!inPlace || inputs == 0 || outputs == 0) {
      return buffer == Buffer.INPUT ? slot : inputs + slot;
    }
    // In place, the smaller buffer is the rank's own block of the larger.
    Buffer larger = inputs >= outputs ? Buffer.INPUT : Buffer.OUTPUT;
    return buffer == larger || inputs == outputs ? slot : rank * chunksPerBlock + slot;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Layout that && collective.equals(that.collective) && inPlace == that.inPlace
        && chunksPerBlock == that.chunksPerBlock && aggregators == that.aggregators
        && Arrays.deepEquals(scratchStarts, that.scratchStarts);
  }

  @Override
  public int hashCode() {
    return 31 * collective.hashCode() + chunksPerBlock;
  }
}
