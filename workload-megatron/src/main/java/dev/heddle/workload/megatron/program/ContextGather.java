package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.parallel.GroupKind;

/**
 * Gathering of keys and values before attention, as Transformer Engine has it (cp_comm_type: all_gather). Each rank
 * holds two of twice as many chunks as there are ranks; keys and values are gathered and put in order, and attention
 * takes a step for each of the rank's chunks of queries, with the keys before its end, which are those of all ranks
 * once for both. Backward, keys and values are gathered anew, each step adds to the gradients of all of them, and
 * these are put in order and scattered [Transformer Engine, context_parallel.py, AttnFuncWithCPAndKVAllGather].
 */
final class ContextGather implements KeyExchange {
  private static final int TENSORS = 2;
  private static final int STEPS = 2;
  /** Elements read and written for one that is copied. */
  private static final int COPIED = 2;
  /** The same for one that is added to another. */
  private static final int ADDED = 3;

  private final long keyBytes;
  private final double queries;

  ContextGather(LayerSizes sizes) {
    keyBytes = sizes.keyBytes();
    queries = (double) sizes.tokens() * sizes.context();
  }

  @Override
  public void begin(StageOps ops, boolean backward) {
    if (backward) {
      ops.moveByOperators("gather-zeros", keyBytes, TENSORS);
    }
    exchange(ops, CollectiveOp.ALL_GATHER);
    ops.moveByOperators("gather-order", COPIED * keyBytes, TENSORS);
  }

  @Override
  public void end(StageOps ops, boolean backward) {
    ops.moveByOperators("gather-queries", COPIED * HALF * queries, STEPS);
    if (backward) {
      ops.moveByOperators("gather-gradients", ADDED * keyBytes, STEPS * TENSORS);
      ops.moveByOperators("gather-order", COPIED * keyBytes, TENSORS);
      exchange(ops, CollectiveOp.REDUCE_SCATTER);
    }
    ops.operators(STEPS - 1.0, false);
  }

  private void exchange(StageOps ops, CollectiveOp op) {
    for (int tensor = 0; tensor < TENSORS; tensor++) {
      ops.begin(GroupKind.CONTEXT, op, keyBytes / TENSORS);
    }
    ops.join(Activity.CONTEXT, GroupKind.CONTEXT, 0);
  }
}
