package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.parallel.GroupKind;

/**
 * Exchange of heads among context-parallel ranks, as Transformer Engine has it (cp_comm_type: a2a): before attention
 * each rank gives away the tokens of the others' heads and takes its own heads of all tokens, and after it the reverse.
 * Tensors are exchanged one by one; each is copied into the order of ranks before and into that of tokens after, and
 * the copies of one run beside the exchange of the next. Backward, attention's result is exchanged with its gradients
 * [Transformer Engine, context_parallel.py, flash_attn_a2a_communicate and AttnFuncWithCPAndQKVOA2A]. Where attention
 * reads and writes 8 bits, all of these tensors have them.
 */
final class HeadExchange {
  private final boolean present;
  private final int elementBytes;
  private final double queries;
  private final double keys;
  private final double values;
  private final double results;

  HeadExchange(LayerSizes sizes) {
    present = sizes.parallel().headRanks() > 1;
    elementBytes = sizes.execution().writesAttentionInEightBits() ? 1 : HALF;
    double tokens = sizes.tokens();
    queries = tokens * sizes.heads() * sizes.keySize();
    keys = tokens * sizes.keyHeads() * sizes.keySize();
    values = tokens * sizes.keyHeads() * sizes.valueSize();
    results = tokens * sizes.context();
  }

  /** Adds the exchange before a pass of attention. */
  void begin(StageOps ops, boolean backward) {
    if (backward) {
      exchange(ops, results, results);
    } else {
      exchange(ops, queries, keys, values);
    }
  }

  /** Adds the exchange after a pass of attention. */
  void end(StageOps ops, boolean backward) {
    if (backward) {
      exchange(ops, queries, keys, values);
    } else {
      exchange(ops, results);
    }
  }

  private void exchange(StageOps ops, double... tensors) {
    if (!present) {
      return;
    }
    for (double elements : tensors) {
      copy(ops, elements);
      ops.begin(GroupKind.CONTEXT_HEADS, CollectiveOp.ALL_TO_ALL, Math.round(elementBytes * elements));
    }
    for (int tensor = 0; tensor < tensors.length; tensor++) {
      ops.join(Activity.CONTEXT, GroupKind.CONTEXT_HEADS, tensors.length - 1 - tensor);
      copy(ops, tensors[tensor]);
    }
  }

  private void copy(StageOps ops, double elements) {
    ops.moveByOperators("heads-copy", 2 * elementBytes * elements, 1);
  }
}
