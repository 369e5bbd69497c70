package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.model.Experts;
import dev.heddle.workload.megatron.parallel.ExpertDispatch;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.ArrayList;
import java.util.List;

/**
 * The exchange of tokens among expert-parallel ranks: dispatch to the ranks of a token's experts, and combine, which
 * brings the results back. Flexible dispatch sends one copy per node between nodes and forwards one copy per rank
 * within them, both at the same time [DeepEP; HybridEP].
 */
final class ExpertExchange {
  /** Bytes of scales per element of 8 bits: one of 32 bits for 128 elements [DeepEP, internode.cu]. */
  private static final double SCALE_BYTES = 4.0 / 128;

  private final LayerSizes sizes;
  private final Experts experts;
  private final ExpertDispatch dispatch;
  private final int ranks;
  private final int perNode;

  ExpertExchange(LayerSizes sizes, Experts experts, RankGrid grid) {
    this.sizes = sizes;
    this.experts = experts;
    dispatch = sizes.execution().dispatch();
    ranks = grid.size(GroupKind.EXPERT);
    perNode = grid.size(GroupKind.EXPERT_NODE);
  }

  /** Adds the dispatch of tokens to the ranks of their experts; {@code computation} adds the concurrent computation. */
  void dispatch(StageOps ops, Runnable computation) {
    exchange(ops, sizes.execution().dispatchBytes() == 1 ? 1 + SCALE_BYTES : HALF, computation);
  }

  /**
   * Adds the combination of results, which return in 16 bits and are summed; {@code computation} adds the concurrent
   * computation.
   */
  void combine(StageOps ops, Runnable computation) {
    exchange(ops, HALF, computation);
  }

  private void exchange(StageOps ops, double width, Runnable computation) {
    List<GroupKind> begun = begin(ops, width * sizes.shared() * sizes.model().hidden() * sizes.training().skew());
    computation.run();
    ops.timeFactor(1);
    begun.forEach(kind -> ops.join(Activity.EXPERT, kind, 0));
  }

  // Begins the collectives of an exchange; a copy of all tokens of this rank has a number of bytes.
  private List<GroupKind> begin(StageOps ops, double copy) {
    List<GroupKind> begun = new ArrayList<>();
    if (ranks == 1) {
      return begun;
    }
    if (dispatch == ExpertDispatch.ALL_TO_ALL) {
      begin(ops, begun, GroupKind.EXPERT, copy * experts.topK());
      return begun;
    }
    if (perNode > 1) {
      begin(ops, begun, GroupKind.EXPERT_NODE, copy * experts.partsHit(ranks));
    }
    if (ranks > perNode) {
      begin(ops, begun, GroupKind.EXPERT_RAIL, copy * experts.partsHit(ranks / perNode));
    }
    return begun;
  }

  private static void begin(StageOps ops, List<GroupKind> begun, GroupKind kind, double bytes) {
    ops.begin(kind, CollectiveOp.ALL_TO_ALL, Math.round(bytes));
    begun.add(kind);
  }

  /** Copies of a token on all ranks of its experts. */
  double copies() {
    return dispatch == ExpertDispatch.FLEX ? experts.partsHit(ranks) : experts.topK();
  }
}
