package dev.heddle.collective;

import java.util.Arrays;

/**
 * A collective call: the operation, the number of ranks, the root, and the size in bytes. Sizes are as nccl-tests
 * counts them: the largest buffer that any rank has. Sizes that do not divide evenly are cut into parts that differ by
 * at most one element. In an {@code all_to_all}, pair {@code (s, d)} exchanges part {@code (s + d) mod ranks}, so that
 * every rank's buffers have the same size.
 */
public final class Collective {
  private static final long[][] NO_OFFSETS = new long[2][0];

  private final CollectiveOp op;
  private final int ranks;
  private final int root;
  private final long elements;
  private final int elementBytes;
  // For all_to_all_v: row s holds the first byte of each block of rank s's input, and its end; else empty.
  private final long[] sendOffsets;
  private final long[] receiveOffsets;

  private Collective(CollectiveOp op, int[] ranksAndRoot, long elements, int elementBytes, long[][] offsets) {
    this.op = op;
    ranks = ranksAndRoot[0];
    root = ranksAndRoot[1];
    this.elements = elements;
    this.elementBytes = elementBytes;
    sendOffsets = offsets[0];
    receiveOffsets = offsets[1];
  }

  /**
   * A collective of single bytes, rooted at rank 0 where the operation has a root.
   *
   * @param op any but {@link CollectiveOp#ALL_TO_ALL_V}
   * @param ranks at least 1
   * @param bytes of the largest buffer of any rank, at least 0
   */
  public static Collective of(CollectiveOp op, int ranks, long bytes) {
    if (op == CollectiveOp.ALL_TO_ALL_V) {
      throw new IllegalArgumentException("all_to_all_v has a size per pair: use allToAllV");
    }
    if (ranks < 1) {
      throw new IllegalArgumentException("a collective has at least 1 rank: " + ranks);
    }
    if (bytes < 0) {
      throw new IllegalArgumentException("a collective has at least 0 bytes: " + bytes);
    }
    return new Collective(op, new int[] {ranks, 0}, bytes, 1, NO_OFFSETS);
  }

  /**
   * A collective of single bytes with a root, where the operation has one.
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
    return new Collective(CollectiveOp.ALL_TO_ALL_V, new int[] {ranks, 0}, most, 1, offsets);
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
    if (!op.rooted()) {
      throw new IllegalArgumentException(op.key() + " has no root");
    }
    if (rank < 0 || rank >= ranks) {
      throw new IllegalArgumentException("root " + rank + " is not within 0 to " + (ranks - 1));
    }
    return new Collective(op, new int[] {ranks, rank}, elements, elementBytes, NO_OFFSETS);
  }

  /**
   * The same collective of elements that are never cut.
   *
   * @param size of an element in bytes, at least 1
   * @throws IllegalArgumentException when the bytes are no multiple of it
   */
  public Collective withElementBytes(int size) {
    if (op == CollectiveOp.ALL_TO_ALL_V || size < 1 || bytes() % size != 0) {
      throw new IllegalArgumentException(
          bytes() + " bytes of " + op.key() + " cannot be elements of " + size + " bytes");
    }
    return new Collective(op, new int[] {ranks, root}, bytes() / size, size, NO_OFFSETS);
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
    return elements * elementBytes;
  }

  /** The most bytes that one rank has for another in an all_to_all_v; an equal share of all in any other operation. */
  public long largestShare() {
    long largest = op == CollectiveOp.ALL_TO_ALL_V ? 0 : bytes() / ranks;
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
    if (op != CollectiveOp.ALL_TO_ALL_V) {
      throw new IllegalStateException(op.key() + " has no sizes per pair");
    }
    return blockElements(from, Buffer.INPUT, to);
  }

  /** The bytes of an element, which is never cut. */
  public int elementBytes() {
    return elementBytes;
  }

  /** The number of blocks of a rank's buffer. */
  int blocks(int rank, Buffer buffer) {
    boolean atRoot = rank == root;
    return buffer == Buffer.INPUT ? op.inputBlocks(ranks, atRoot) : op.outputBlocks(ranks, atRoot);
  }

  /** The elements of a block of a rank's input or output. */
  long blockElements(int rank, Buffer buffer, int block) {
    return blockStart(rank, buffer, block + 1) - blockStart(rank, buffer, block);
  }

  /**
   * The first element of a block of a rank's input or output; an index equal to the number of blocks yields the end.
   */
  long blockStart(int rank, Buffer buffer, int block) {
    if (op == CollectiveOp.ALL_TO_ALL_V) {
      return (buffer == Buffer.INPUT ? sendOffsets : receiveOffsets)[rank * (ranks + 1) + block];
    }
    if (op == CollectiveOp.ALL_TO_ALL) {
      long end = rank + block;
      long turned = end <= ranks ? partStart(elements, ranks, end) : elements + partStart(elements, ranks, end - ranks);
      return turned - partStart(elements, ranks, rank);
    }
    if (op.whole()) {
      return block * elements;
    }
    boolean single = blocks(rank, buffer) == 1 && ranks > 1;
    return single
        ? block * (partStart(elements, ranks, rank + 1L) - partStart(elements, ranks, rank))
        : partStart(elements, ranks, block);
  }

  /** The first element of part {@code index} of a number of elements, of which the first parts have one more. */
  static long partStart(long elements, long parts, long index) {
    return elements / parts * index + Math.min(index, elements % parts);
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
        && elements == that.elements && elementBytes == that.elementBytes
        && Arrays.equals(sendOffsets, that.sendOffsets);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * op.ordinal() + ranks) + Long.hashCode(bytes());
  }

  @Override
  public String toString() {
    return op.key() + " of " + bytes() + " B on " + ranks + " ranks" + (op.rooted() ? ", root " + root : "");
  }
}
