package dev.heddle.collectives.nccl.symmetric;

import dev.heddle.collective.CollectiveOp;

/** A kernel of NCCL for symmetric memory, in NCCL's order [NCCL 2.27 to 2.30, sym_kernels.cc]. */
public enum SymmetricKernel {
  /** One shot: every rank stores its data with flags to all others, and each adds. */
  ALL_REDUCE_LL("AllReduce_AGxLL_R", CollectiveOp.ALL_REDUCE, Kind.LINES, false),
  /** One shot by multicast: a rank stores once, and the switches copy. */
  ALL_REDUCE_LL_MULTICAST("AllReduce_AGxLLMC_R", CollectiveOp.ALL_REDUCE, Kind.LINES, true),
  /** Two shots: a rank loads and adds its part of all data, and stores the sum to all. */
  ALL_REDUCE_LOAD_STORE("AllReduce_RSxLD_AGxST", CollectiveOp.ALL_REDUCE, Kind.MEMORY, false),
  /** Two shots by the switches, which add what a rank loads and copy what it stores. */
  ALL_REDUCE_MULTIMEM("AllReduce_RSxLDMC_AGxSTMC", CollectiveOp.ALL_REDUCE, Kind.MEMORY, true),
  /** Stores with flags to all others. */
  ALL_GATHER_LL("AllGather_LL", CollectiveOp.ALL_GATHER, Kind.LINES, false),
  /** Stores with flags, which the switches copy. */
  ALL_GATHER_LL_MULTICAST("AllGather_LLMC", CollectiveOp.ALL_GATHER, Kind.LINES, true),
  /** Stores to all others. */
  ALL_GATHER_STORE("AllGather_ST", CollectiveOp.ALL_GATHER, Kind.MEMORY, false),
  /** Stores that the switches copy. */
  ALL_GATHER_MULTIMEM("AllGather_STMC", CollectiveOp.ALL_GATHER, Kind.MEMORY, true),
  /** Stores with flags to the rank that adds. */
  REDUCE_SCATTER_LL("ReduceScatter_LL", CollectiveOp.REDUCE_SCATTER, Kind.LINES, false),
  /** Loads from all others, which a rank adds. */
  REDUCE_SCATTER_LOAD("ReduceScatter_LD", CollectiveOp.REDUCE_SCATTER, Kind.MEMORY, false),
  /** Loads of sums that the switches add. */
  REDUCE_SCATTER_MULTIMEM("ReduceScatter_LDMC", CollectiveOp.REDUCE_SCATTER, Kind.MEMORY, true);

  // Bytes that a kernel with flags moves for a byte of each rank; with multicast a block moves a tenth more.
  private static final int LINE_BYTES = 9;
  private static final double MULTICAST_LINES = 1.1;
  // Share of the ranks' data that a block with multicast moves in all_gather and reduce_scatter.
  private static final double MULTICAST_SHARE = .55;
  private static final int MOST_BLOCKS = 64;
  // Blocks that saturate the links with multicast, times the ranks.
  private static final int HOPPER_BLOCKS = 16;
  private static final int BLACKWELL_BLOCKS = 32;

  private final String title;
  private final CollectiveOp op;
  private final Kind kind;
  private final boolean multicast;

  SymmetricKernel(String title, CollectiveOp op, Kind kind, boolean multicast) {
    this.title = title;
    this.op = op;
    this.kind = kind;
    this.multicast = multicast;
  }

  private enum Kind {
    LINES,
    MEMORY
  }

  /** The name in NCCL. */
  public String title() {
    return title;
  }

  /** The operation. */
  public CollectiveOp op() {
    return op;
  }

  /** Whether data and flags are stored together, as with LL. */
  boolean lines() {
    return kind == Kind.LINES;
  }

  /** Whether switches reduce or copy. */
  boolean multicast() {
    return multicast;
  }

  /**
   * The bytes that pass a GPU's links.
   *
   * @param bytes of the call: of all_reduce the whole buffer, otherwise a rank's part
   */
  double busBytes(double bytes, int ranks) {
    if (lines()) {
      return LINE_BYTES * ranks * bytes;
    }
    return op != CollectiveOp.ALL_REDUCE ? (ranks - 1) * bytes
        : multicast ? bytes + bytes / ranks : 2 * bytes * (ranks - 1) / ranks;
  }

  /** The factor by which a thread block of this kernel moves more than one that loads and stores. */
  double blockFactor(int ranks) {
    return !multicast ? 1 : lines() ? MULTICAST_LINES : op == CollectiveOp.ALL_REDUCE ? ranks : MULTICAST_SHARE * ranks;
  }

  /** The most thread blocks. */
  int mostBlocks(int ranks, boolean blackwell) {
    return lines() || !multicast ? MOST_BLOCKS
        : ((blackwell ? BLACKWELL_BLOCKS : HOPPER_BLOCKS) + ranks - 1) / ranks;
  }
}
