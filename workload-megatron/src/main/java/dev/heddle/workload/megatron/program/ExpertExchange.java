package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.kernel.exchange.ExchangeKernel;
import dev.heddle.kernel.exchange.ExchangeLoad;
import dev.heddle.kernel.exchange.ExchangeModel;
import dev.heddle.kernel.exchange.ExchangeModels;
import dev.heddle.kernel.exchange.ExchangeSite;
import dev.heddle.kernel.exchange.ExchangeStep;
import dev.heddle.workload.megatron.model.Experts;
import dev.heddle.workload.megatron.parallel.ExpertDispatch;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The exchange of tokens among expert-parallel ranks: dispatch to the ranks of a token's experts, and combine, which
 * brings the results back. Flexible dispatch sends one copy per node between nodes and forwards one copy per rank
 * within them, both at the same time [DeepEP; HybridEP]. Links are simulated; the work of DeepEP's channels lasts at
 * least as long as its measured kernels do.
 */
final class ExpertExchange {
  /** Bytes of scales per element of 8 bits: one of 32 bits for 128 elements [DeepEP, internode.cu]. */
  private static final double SCALE_BYTES = 4.0 / 128;
  /** Bytes of a count of tokens, and of a probability. */
  private static final int COUNT_BYTES = 8;
  private static final int PROBABILITY_BYTES = 4;
  /** Multiprocessors of DeepEP's channels [Megatron-Core, moe_deepep_num_sms]. */
  private static final int DEEPEP_UNITS = 20;

  private final LayerSizes sizes;
  private final Experts experts;
  private final ExpertDispatch dispatch;
  private final int ranks;
  private final int perNode;
  private final Map<ExchangeStep, Kernel> kernels = new EnumMap<>(ExchangeStep.class);

  /**
   * Prepares the exchange of a job.
   *
   * @param sizes of a layer
   * @param experts of a layer
   * @param grid of the ranks
   * @param nodeSize accelerators of a node
   */
  ExpertExchange(LayerSizes sizes, Experts experts, RankGrid grid, int nodeSize) {
    this.sizes = sizes;
    this.experts = experts;
    dispatch = sizes.execution().dispatch().on(nodeSize);
    ranks = grid.size(GroupKind.EXPERT);
    perNode = grid.size(GroupKind.EXPERT_NODE);
    if (ranks > 1 && dispatch == ExpertDispatch.DEEPEP) {
      ExchangeModels models = ExchangeModels.bundled();
      for (ExchangeStep step : new ExchangeStep[] {ExchangeStep.DISPATCH, ExchangeStep.COMBINE}) {
        kernels.put(step, kernel(step, models.get(ExchangeKernel.DEEPEP_NORMAL, step).model()));
      }
    }
  }

  /** The transport of tokens. */
  ExpertDispatch transport() {
    return dispatch;
  }

  /**
   * Adds the collective before a dispatch that tells all ranks what they receive: all_to_all's counts of each expert's
   * tokens, or for HybridEP a byte for each token and expert, from which its kernels work out where rows go
   * [Megatron-Core, token_dispatcher.py: preprocess; DeepEP, hybrid_ep_buffer.py: routing map].
   */
  void announce(StageOps ops) {
    long each = switch (dispatch) {
      case ALL_TO_ALL -> COUNT_BYTES;
      case HYBRIDEP -> sizes.shared();
      default -> 0;
    };
    if (ranks > 1) {
      ops.blocking(Activity.EXPERT, GroupKind.EXPERT, CollectiveOp.ALL_GATHER, each * experts.count() * ranks);
    }
  }

  /**
   * Adds the dispatch of tokens to the ranks of their experts.
   *
   * @param backward whether it is that of the combination's gradients, which have no probabilities
   */
  void dispatch(StageOps ops, boolean backward) {
    alone(ops, new Move(ExchangeStep.DISPATCH, !backward));
  }

  /**
   * Adds the combination of results, which return in 16 bits and are summed.
   *
   * @param backward whether it is that of the dispatch's gradients, with those of the probabilities
   */
  void combine(StageOps ops, boolean backward) {
    alone(ops, new Move(ExchangeStep.COMBINE, backward));
  }

  /** Adds a dispatch beside the computation that {@code computation} adds. */
  void dispatch(StageOps ops, boolean backward, Runnable computation) {
    beside(ops, new Move(ExchangeStep.DISPATCH, !backward), computation);
  }

  /** Adds a combination beside the computation that {@code computation} adds. */
  void combine(StageOps ops, boolean backward, Runnable computation) {
    beside(ops, new Move(ExchangeStep.COMBINE, backward), computation);
  }

  /**
   * One way of rows.
   *
   * @param step to the experts or back
   * @param weighted whether probabilities, or their gradients, go with the rows
   */
  private record Move(ExchangeStep step, boolean weighted) {}

  private void alone(StageOps ops, Move move) {
    Kernel kernel = kernels.getOrDefault(move.step(), Kernel.NONE);
    ops.idle(Activity.EXPERT, kernel.start());
    List<GroupKind> begun = begin(ops, move);
    ops.idle(Activity.EXPERT, kernel.channels());
    begun.forEach(kind -> ops.join(Activity.EXPERT, kind, 0));
  }

  private void beside(StageOps ops, Move move, Runnable computation) {
    Kernel kernel = kernels.getOrDefault(move.step(), Kernel.NONE);
    List<GroupKind> begun = begin(ops, move);
    double before = ops.computedSeconds();
    computation.run();
    ops.timeFactor(1);
    ops.idle(Activity.EXPERT, kernel.start() + kernel.channels() - (ops.computedSeconds() - before));
    begun.forEach(kind -> ops.join(Activity.EXPERT, kind, 0));
  }

  /**
   * The time of an exchange's kernels apart from links, in seconds.
   *
   * @param start before the first token
   * @param channels handling of all tokens, while links carry them
   */
  private record Kernel(double start, double channels) {
    static final Kernel NONE = new Kernel(0, 0);
  }

  private Kernel kernel(ExchangeStep step, ExchangeModel model) {
    int nodes = ranks / perNode;
    ExchangeSite site = new ExchangeSite(nodes, perNode, 0, DEEPEP_UNITS, 0, 0);
    ExchangeLoad load = new ExchangeLoad(Math.round(sizes.shared() * sizes.training().skew()),
        width(step) * sizes.model().expertVector(), experts.partsHit(ranks), experts.partsHit(nodes), experts.count());
    return new Kernel(model.startSeconds(site), model.channelSeconds(load, site));
  }

  private double width(ExchangeStep step) {
    return step == ExchangeStep.DISPATCH && sizes.execution().dispatchBytes() == 1 ? 1 + SCALE_BYTES : HALF;
  }

  // Begins the collectives of an exchange. All_to_all sends probabilities apart from the rows; HybridEP sends with each
  // row those of all experts of the NVLink domain [DeepEP, hybrid_ep: experts_per_rank x ranks of a node, in 32 bits].
  private List<GroupKind> begin(StageOps ops, Move move) {
    double rows = sizes.shared() * sizes.training().skew();
    double row = width(move.step()) * sizes.model().expertVector();
    List<GroupKind> begun = new ArrayList<>();
    if (ranks == 1) {
      return begun;
    }
    if (dispatch == ExpertDispatch.ALL_TO_ALL) {
      begin(ops, begun, GroupKind.EXPERT, rows * row * experts.topK());
      if (move.weighted()) {
        begin(ops, begun, GroupKind.EXPERT, rows * PROBABILITY_BYTES * experts.topK());
      }
      return begun;
    }
    boolean all = dispatch == ExpertDispatch.HYBRIDEP && move.weighted();
    double copy = rows * (row + (all ? (double) PROBABILITY_BYTES * experts.count() * perNode / ranks : 0));
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
    return dispatch == ExpertDispatch.ALL_TO_ALL ? experts.topK() : experts.partsHit(ranks);
  }
}
