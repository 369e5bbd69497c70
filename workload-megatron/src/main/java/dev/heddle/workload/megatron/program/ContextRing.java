package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.parallel.GroupKind;

/**
 * Kernels and operators around attention where ranks share a sequence by a ring, as Transformer Engine has it
 * (cp_comm_type: p2p). Each rank holds two of twice as many chunks as there are ranks, one from each end. It takes a
 * step for the keys of each rank: the first with a causal mask, the others without one, all its queries with half of
 * the keys where those come before, half of its queries with all keys where they come later, in equal numbers on the
 * mean. Each half is copied to be contiguous, and the results of steps are merged by their sums of exponentials
 * [Transformer Engine, context_parallel.py, AttnFuncWithCPAndKVP2P]. Conversions of quantised attention are not
 * counted.
 */
final class ContextRing implements KeyExchange {
  /** Share of a rank's queries that a step has: all in half of the steps, half of them in the others. */
  private static final double MEAN_PART = 0.75;
  /** Elements read and written for one that is copied. */
  private static final int COPIED = 2;
  /** The same for one that is added to another. */
  private static final int ADDED = 3;
  /** Tensors of queries' size that a step of gradients copies: queries, result and its gradients. */
  private static final int GRADIENT_COPIES = 3;
  /** Bytes that a sum of exponentials in 32 bits takes to be corrected. */
  private static final int SUM_BYTES = 12;

  private final int ranks;
  private final long keyBytes;
  private final double queries;
  private final double keys;
  private final double sums;

  ContextRing(LayerSizes sizes) {
    ranks = sizes.parallel().keyRanks();
    keyBytes = sizes.keyBytes();
    queries = (double) sizes.tokens() * sizes.context();
    keys = (double) sizes.tokens() * (sizes.projected() - sizes.context());
    sums = (double) sizes.tokens() * sizes.heads();
  }

  @Override
  public void begin(StageOps ops, boolean backward) {
    ops.begin(GroupKind.CONTEXT, CollectiveOp.ALL_GATHER, keyBytes);
    if (backward) {
      ops.begin(GroupKind.CONTEXT, CollectiveOp.REDUCE_SCATTER, keyBytes);
    }
  }

  @Override
  public void end(StageOps ops, boolean backward) {
    steps(ops, backward);
    ops.join(Activity.CONTEXT, GroupKind.CONTEXT, 0);
  }

  // The needs of the steps besides one call of attention and its exchanges, of which one or two count.
  private void steps(StageOps ops, boolean backward) {
    int more = ranks - 1;
    if (backward) {
      move(ops, "ring-copy", COPIED * (GRADIENT_COPIES * queries + keys) / 8, 2 * more);
      move(ops, "ring-queries", ADDED * MEAN_PART * queries, ranks);
      move(ops, "ring-keys", ADDED * MEAN_PART * keys, ranks);
      ops.operators(more + 2.0 * (more - 1), false);
      return;
    }
    move(ops, "ring-keys", COPIED * keys, 1);
    move(ops, "ring-copy", COPIED * (queries + keys) / 4, more);
    ops.operate(new Kernel.Memory("ring-sums", SUM_BYTES * sums), ranks);
    move(ops, "ring-merge", ADDED * MEAN_PART * queries, ranks);
    ops.operators(more + more - 1.0, false);
  }

  private static void move(StageOps ops, String name, double elements, int kernels) {
    ops.operate(new Kernel.Memory(name, HALF * elements), kernels);
  }
}
