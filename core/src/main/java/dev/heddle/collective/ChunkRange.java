package dev.heddle.collective;

/**
 * Contiguous chunks in one buffer of a rank.
 *
 * @param buffer that holds the chunks
 * @param slot index of the first chunk, from 0
 * @param count number of chunks, at least 1
 */
public record ChunkRange(Buffer buffer, int slot, int count) {
  /** Checks the range. */
  public ChunkRange {
    if (slot < 0 || count < 1) {
      throw new IllegalArgumentException("chunks lie at 0 or above and are at least 1: " + slot + ", " + count);
    }
  }

  /** Chunks of the input. */
  public static ChunkRange input(int slot, int count) {
    return new ChunkRange(Buffer.INPUT, slot, count);
  }

  /** Chunks of the output. */
  public static ChunkRange output(int slot, int count) {
    return new ChunkRange(Buffer.OUTPUT, slot, count);
  }

  /** Chunks of the scratch buffer. */
  public static ChunkRange scratch(int slot, int count) {
    return new ChunkRange(Buffer.SCRATCH, slot, count);
  }

  @Override
  public String toString() {
    return buffer.letter() + "[" + slot + (count == 1 ? "]" : ".." + (slot + count - 1) + "]");
  }
}
