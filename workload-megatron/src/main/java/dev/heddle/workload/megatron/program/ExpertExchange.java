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

  /** Tokens go to the ranks of their experts; {@code beside} runs at the same time. */
  void dispatch(StageOps pieces, Runnable beside) {
    exchange(pieces, sizes.execution().dispatchBytes() == 1 ? 1 + SCALE_BYTES : HALF, beside);
  }

  /** Results come back in 16 bits and are added up; {@code beside} runs at the same time. */
  void combine(StageOps pieces, Runnable beside) {
    exchange(pieces, HALF, beside);
  }

  private void exchange(StageOps pieces, double width, Runnable beside) {
    List<GroupKind> begun = begin(pieces, width * sizes.shared() * sizes.model().hidden() * sizes.training().skew());
    beside.run();
    pieces.slow(1);
    begun.forEach(kind -> pieces.join(Activity.EXPERT, kind, 0));
  }

  // Bytes of one copy of all tokens of this rank.
  private List<GroupKind> begin(StageOps pieces, double copy) {
    List<GroupKind> begun = new ArrayList<>();
    if (ranks == 1) {
      return begun;
    }
    if (dispatch == ExpertDispatch.ALL_TO_ALL) {
      begin(pieces, begun, GroupKind.EXPERT, copy * experts.topK());
      return begun;
    }
    if (perNode > 1) {
      begin(pieces, begun, GroupKind.EXPERT_NODE, copy * experts.partsHit(ranks));
    }
    if (ranks > perNode) {
      begin(pieces, begun, GroupKind.EXPERT_RAIL, copy * experts.partsHit(ranks / perNode));
    }
    return begun;
  }

  private static void begin(StageOps pieces, List<GroupKind> begun, GroupKind kind, double bytes) {
    pieces.begin(kind, CollectiveOp.ALL_TO_ALL, Math.round(bytes));
    begun.add(kind);
  }

  /** Copies of a token on all ranks of its experts. */
  double copies() {
    return dispatch == ExpertDispatch.FLEX ? experts.partsHit(ranks) : experts.topK();
  }
}
