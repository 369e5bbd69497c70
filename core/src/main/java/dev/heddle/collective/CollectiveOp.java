package dev.heddle.collective;

import dev.heddle.units.Keyed;
import java.util.Locale;

/**
 * A collective operation, as MPI and NCCL define it. Buffers consist of blocks: one, or one per rank, and each block of
 * the same number of chunks.
 */
public enum CollectiveOp implements Keyed {
  /** Every rank gets the reduction of all inputs. */
  ALL_REDUCE(Blocks.ONE, Blocks.ONE, true, false),
  /** Every rank gets every rank's block. */
  ALL_GATHER(Blocks.ONE, Blocks.PER_RANK, false, false),
  /** Rank {@code r} gets the reduction of all ranks' blocks {@code r}. */
  REDUCE_SCATTER(Blocks.PER_RANK, Blocks.ONE, true, false),
  /** Every rank gets the root's input. */
  BROADCAST(Blocks.ONE_AT_ROOT, Blocks.ONE, false, true),
  /** The root gets the reduction of all inputs. */
  REDUCE(Blocks.ONE, Blocks.ONE_AT_ROOT, true, true),
  /** Rank {@code r} gets block {@code r} of every rank. */
  ALL_TO_ALL(Blocks.PER_RANK, Blocks.PER_RANK, false, false),
  /** Like {@link #ALL_TO_ALL}, with a separate size for each pair of ranks. */
  ALL_TO_ALL_V(Blocks.PER_RANK, Blocks.PER_RANK, false, false),
  /** The root gets every rank's input. */
  GATHER(Blocks.ONE, Blocks.PER_RANK_AT_ROOT, false, true),
  /** Rank {@code r} gets block {@code r} of the root. */
  SCATTER(Blocks.PER_RANK_AT_ROOT, Blocks.ONE, false, true),
  /** Every rank sends its input to the next rank, the last to the first, as nccl-tests' sendrecv does. */
  SEND_RECV(Blocks.ONE, Blocks.ONE, false, false);

  private final Blocks input;
  private final Blocks output;
  private final boolean reduces;
  private final boolean rooted;

  CollectiveOp(Blocks input, Blocks output, boolean reduces, boolean rooted) {
    this.input = input;
    this.output = output;
    this.reduces = reduces;
    this.rooted = rooted;
  }

  /** The name in scenarios and on the command line, such as {@code all_reduce}. */
  @Override
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether inputs are combined. */
  public boolean reduces() {
    return reduces;
  }

  /** Whether one rank, the root, has a special role. */
  public boolean rooted() {
    return rooted;
  }

  /**
   * The ratio of bus bandwidth to algorithm bandwidth, as nccl-tests defines them: algorithm bandwidth is the size
   * divided by the time; bus bandwidth is the load that an ideal algorithm puts on every rank's link.
   *
   * @param ranks at least 1
   */
  public double busFactor(int ranks) {
    double others = ranks - 1.0;
    return switch (this) {
      case ALL_REDUCE -> 2 * others / ranks;
      case ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, ALL_TO_ALL_V, GATHER, SCATTER -> others / ranks;
      case BROADCAST, REDUCE, SEND_RECV -> 1;
    };
  }

  /** The blocks of a rank's input buffer; 0 where the rank needs none. */
  int inputBlocks(int ranks, boolean root) {
    return input.count(ranks, root);
  }

  /** The blocks of a rank's output buffer; 0 where the rank needs none. */
  int outputBlocks(int ranks, boolean root) {
    return output.count(ranks, root);
  }

  /** Whether the operation's buffers of one block hold all of its bytes, not a rank's part of them. */
  boolean whole() {
    return input != Blocks.PER_RANK && output != Blocks.PER_RANK
        && input != Blocks.PER_RANK_AT_ROOT && output != Blocks.PER_RANK_AT_ROOT;
  }

  private enum Blocks {
    ONE,
    PER_RANK,
    ONE_AT_ROOT,
    PER_RANK_AT_ROOT;

    int count(int ranks, boolean root) {
      return switch (this) {
        case ONE -> 1;
        case PER_RANK -> ranks;
        case ONE_AT_ROOT -> root ? 1 : 0;
        case PER_RANK_AT_ROOT -> root ? ranks : 0;
      };
    }
  }
}
