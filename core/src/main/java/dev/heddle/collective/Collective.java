package dev.heddle.collective;

import com.google.common.base.Preconditions;
import java.util.Arrays;

/**
 * A collective call: the operation, the number of ranks, the root, and the size in bytes. Sizes are as nccl-tests
 * counts them: the largest buffer that any rank has. Sizes that do not divide evenly are cut into parts that differ by
 * at most one byte. In an {@code all_to_all}, pair {@code (s, d)} exchanges part {@code (s + d) mod ranks}, so that
 * every rank's buffers have the same size.
 */
public final class Collective {
  private static final long[][] NO_OFFSETS = new long[2][0];

  private final CollectiveOp op;
  private final int ranks;
  private final int root;
  private final long bytes;
  // For all_to_all_v: row s holds the first byte of each block of rank s's input, and its end; else empty.
  private final long[] sendOffsets;
  private final long[] receiveOffsets;

  private Collective(CollectiveOp op, int[] ranksAndRoot, long bytes, long[][] offsets) {
    this.op = op;
    ranks = ranksAndRoot[0];
    root = ranksAndRoot[1];
    this.bytes = bytes;
    sendOffsets = offsets[0];
    receiveOffsets = offsets[1];
  }

  /**
   * A collective rooted at rank 0 where the operation has a root.
   *
   * @param op any but {@link CollectiveOp#ALL_TO_ALL_V}
   * @param ranks at least 1
   * @param bytes of the largest buffer of any rank, at least 0
   */
  public static Collective of(CollectiveOp op, int ranks, long bytes) {
    if (op == CollectiveOp.ALL_TO_ALL_V) {
      throw new IllegalArgumentException("all_to_all_v has a size per pair: use allToAllV");
    }
    Preconditions.checkArgument(ranks >= 1, "a collective has at least 1 rank: %s", ranks);
    Preconditions.checkArgument(bytes >= 0, "a collective has at least 0 bytes: %s", bytes);
    return new Collective(op, new int[] {ranks, 0}, bytes, NO_OFFSETS);
  }

  /**
   * A collective with a root, where the operation has one.
   *
   * @param root rank, or 0
   */
  public static Collective of(CollectiveOp op, int ranks, long bytes, int root) {
    Collective collective = of(op, ranks, bytes);
    return op.rooted() ? collective.withRoot(root) : collective;
  }

  /**
   * An all_to_all with a size per pair.
   *
   * @param bytes row {@code s}, column {@code d}: from rank {@code s} to rank {@code d}, at least 0
   */
  public static Collective allToAllV(long[][] bytes) {
    int ranks = bytes.length;
    if (ranks == 0 || Arrays.stream(bytes).anyMatch(row -> row.length != ranks)) {
      throw new IllegalArgumentException("all_to_all_v needs a square of sizes, a row per rank");
    }
    if (Arrays.stream(bytes).flatMapToLong(Arrays::stream).anyMatch(size -> size < 0)) {
      throw new IllegalArgumentException("all_to_all_v's sizes are at least 0");
    }
    long[][] offsets = summed(bytes);
    long most = Arrays.stream(offsets).flatMapToLong(Arrays::stream).max().orElse(0);
    return new Collective(CollectiveOp.ALL_TO_ALL_V, new int[] {ranks, 0}, most, offsets);
  }

  private static long[][] summed(long[][] bytes) {
    try {
      return new long[][] {offsets(bytes, false), offsets(bytes, true)};
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("all_to_all_v's sizes are too many bytes in all for a rank, 2^63 or more", e);
    }
  }

  /**
   * The same collective with a root.
   *
   * @throws IllegalArgumentException when the operation has none, or there is no such rank
   */
  public Collective withRoot(int rank) {
    Preconditions.checkArgument(op.rooted(), "%s has no root", op.key());
    Preconditions.checkArgument(rank >= 0 && rank < ranks, "root %s is not within 0 to %s", rank, ranks - 1);
    return new Collective(op, new int[] {ranks, rank}, bytes, NO_OFFSETS);
  }

  /** The operation. */
  public CollectiveOp op() {
    return op;
  }

  /** The number of ranks. */
  public int ranks() {
    return ranks;
  }

  /** The root, or 0 where the operation has none. */
  public int root() {
    return root;
  }

  /** The bytes of the largest buffer of any rank. */
  public long bytes() {
    return bytes;
  }

  /** The most bytes that one rank has for another in an all_to_all_v; an equal share of all in any other operation. */
  public long largestShare() {
    long largest = op == CollectiveOp.ALL_TO_ALL_V ? 0 : bytes / ranks;
    for (int at = 0; at + 1 < sendOffsets.length; at++) {
      largest = Math.max(largest, sendOffsets[at + 1] - sendOffsets[at]);
    }
    return largest;
  }

  /**
   * The bytes that a rank has for another in an all_to_all_v.
   *
   * @throws IllegalStateException when this is another operation
   */
  public long pairBytes(int from, int to) {
    Preconditions.checkState(op == CollectiveOp.ALL_TO_ALL_V, "%s has no sizes per pair", op.key());
    return blockBytes(from, Buffer.INPUT, to);
  }

  /** The number of blocks of a rank's buffer. */
  int blocks(int rank, Buffer buffer) {
    boolean atRoot = rank == root;
    return buffer == Buffer.INPUT ? op.inputBlocks(ranks, atRoot) : op.outputBlocks(ranks, atRoot);
  }

  /** The bytes of a block of a rank's input or output. */
  long blockBytes(int rank, Buffer buffer, int block) {
    return blockStart(rank, buffer, block + 1) - blockStart(rank, buffer, block);
  }

  /**
   * The first byte of a block of a rank's input or output; an index equal to the number of blocks yields the end.
   */
  long blockStart(int rank, Buffer buffer, int block) {
    if (op == CollectiveOp.ALL_TO_ALL_V) {
      return (buffer == Buffer.INPUT ? sendOffsets : receiveOffsets)[rank * (ranks + 1) + block];
    }
    if (op == CollectiveOp.ALL_TO_ALL) {
      long end = rank + block;
      long turned = end <= ranks ? partStart(bytes, ranks, end) : bytes + partStart(bytes, ranks, end - ranks);
      return turned - partStart(bytes, ranks, rank);
    }
    if (op.whole()) {
      return block * bytes;
    }
    boolean single = blocks(rank, buffer) == 1 && ranks > 1;
    return single
        ? block * (partStart(bytes, ranks, rank + 1L) - partStart(bytes, ranks, rank))
        : partStart(bytes, ranks, block);
  }

  /** The first byte of part {@code index} of a number of bytes, of which the first parts have one more. */
  static long partStart(long bytes, long parts, long index) {
    return bytes / parts * index + Math.min(index, bytes % parts);
  }

  private static long[] offsets(long[][] pairs, boolean turned) {
    int n = pairs.length;
    long[] offsets = new long[n * (n + 1)];
    for (int row = 0; row < n; row++) {
      for (int column = 0; column < n; column++) {
        long size = turned ? pairs[column][row] : pairs[row][column];
        int at = row * (n + 1) + column;
        offsets[at + 1] = Math.addExact(offsets[at], size);
      }
    }
    return offsets;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Collective that && op == that.op && ranks == that.ranks && root == that.root
        && bytes == that.bytes && Arrays.equals(sendOffsets, that.sendOffsets);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * op.ordinal() + ranks) + Long.hashCode(bytes);
  }

  @Override
  public String toString() {
    return op.key() + " of " + bytes + " B on " + ranks + " ranks" + (op.rooted() ? ", root " + root : "");
  }
}
