package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.Precision;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.model.Experts;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.ExpertDispatch;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.RankGrid;

/**
 * A layer of experts: its router, the exchange of tokens, and the experts' products, which Transformer Engine's grouped
 * linear starts one by one for each local expert [TransformerEngine, general_grouped_gemm].
 */
final class ExpertPasses {
  /**
   * Kernels of about a launch each that Megatron-Core's router and dispatcher start forward: scores, top-k with its
   * groups and scatters (8), the balancing loss (8), counts of tokens by rank and expert with their sums, copies to the
   * host and offsets (16), row maps of permutation and sort (6) [Megatron-Core, router.py, token_dispatcher.py,
   * fused_permute]; backward about half of them have a derivative.
   */
  private static final int ROUTING_KERNELS = 38;
  private static final int ROUTING_GRADIENT_KERNELS = 18;
  /** Largest value, scale and cast of each expert's matrix [Transformer Engine, split_quantize of current scaling]. */
  private static final int QUANTISING_KERNELS = 3;

  private final LayerSizes sizes;
  private final ModelShape model;
  private final Parallelism parallel;
  private final Execution execution;
  private final Products products;
  private final Experts experts;
  private final ExpertExchange exchange;

  ExpertPasses(LayerSizes sizes, Products products, Experts experts, RankGrid grid) {
    this.sizes = sizes;
    this.experts = experts;
    model = sizes.model();
    parallel = sizes.parallel();
    execution = sizes.execution();
    this.products = products;
    exchange = new ExpertExchange(sizes, experts, grid);
  }

  /**
   * The forward pass.
   *
   * @param attention the layer's attention where it runs beside the combination; nothing where it does not
   * @param paired whether the exchange runs beside computation: the dispatch beside the products
   */
  void forward(StageOps pieces, Runnable attention, boolean paired) {
    router(pieces, ROUTING_KERNELS);
    permute(pieces);
    pass(pieces, attention, paired, () -> expertProducts(pieces, false));
    unpermute(pieces);
  }

  /** The backward pass, likewise: the gradient of the combination is a dispatch, that of the dispatch a combination. */
  void backward(StageOps pieces, Runnable attention, boolean paired) {
    unpermute(pieces);
    pass(pieces, attention, paired, () -> expertProducts(pieces, true));
    permute(pieces);
    router(pieces, ROUTING_GRADIENT_KERNELS);
  }

  private void pass(StageOps pieces, Runnable attention, boolean paired, Runnable work) {
    if (paired) {
      double slow = 1 + execution.overlapSlowdown();
      exchange.dispatch(pieces, () -> {
        pieces.slow(slow);
        work.run();
      });
      exchange.combine(pieces, () -> {
        pieces.slow(slow);
        attention.run();
      });
      return;
    }
    exchange.dispatch(pieces, () -> {});
    share(pieces, CollectiveOp.ALL_GATHER);
    work.run();
    share(pieces, CollectiveOp.REDUCE_SCATTER);
    exchange.combine(pieces, () -> {});
  }

  // Ranks that share experts' matrices each need all tokens of their experts, and add up their parts of the results.
  private void share(StageOps pieces, CollectiveOp op) {
    if (parallel.tensorOfExperts() > 1) {
      long rows = Math.round(sizes.shared() * experts.topK() * sizes.training().skew());
      pieces.blocking(Activity.TENSOR, GroupKind.TENSOR, op, HALF * rows * model.hidden() * parallel.tensorOfExperts());
    }
  }

  private void router(StageOps pieces, int kernels) {
    pieces.run(new Kernel.Gemm("router", 1, sizes.shared(), experts.count(), model.hidden(), Precision.BF16, 4));
    pieces.move("routing", 4.0 * kernels * sizes.shared() * experts.count(), kernels);
  }

  // Rows are copied to the order of experts, once before an all_to_all and, where a rank has several experts, once
  // after.
  private void permute(StageOps pieces) {
    double row = (double) HALF * sizes.shared() * model.hidden();
    if (execution.dispatch() == ExpertDispatch.ALL_TO_ALL) {
      pieces.move("permute", 2 * row * experts.topK());
      sort(pieces, row);
    } else {
      pieces.move("permute", row * (exchange.copies() + experts.topK()));
    }
  }

  private void unpermute(StageOps pieces) {
    double row = (double) HALF * sizes.shared() * model.hidden();
    if (execution.dispatch() == ExpertDispatch.ALL_TO_ALL) {
      sort(pieces, row);
      pieces.move("unpermute", row * (experts.topK() + 1));
    } else {
      pieces.move("unpermute", row * (experts.topK() + exchange.copies()));
    }
  }

  private void sort(StageOps pieces, double row) {
    if (experts.count() > parallel.expert() && parallel.expert() > 1) {
      pieces.move("sort-chunks", 2 * row * experts.topK());
    }
  }

  private void expertProducts(StageOps pieces, boolean backward) {
    long local = experts.count() / parallel.expert();
    int tensor = parallel.tensorOfExperts();
    long count = Math.max(1, Math.round(sizes.training().skew() * sizes.shared() * tensor * experts.topK() / local));
    long inner = Math.max(1, experts.ffn() / tensor);
    long up = model.activation().projections() * inner;
    products.quantise(pieces, local * count * (model.hidden() + inner) * (backward ? 2 : 1));
    if (execution.precision() == Precision.FP8) {
      pieces.launches(Math.toIntExact(local) * QUANTISING_KERNELS * (backward ? 4 : 2) - 1, false);
    }
    if (backward) {
      expert(pieces, "expert-down-inputs", local, count, inner, model.hidden());
      expertWeights(pieces, "expert-down-weights", local, model.hidden(), inner, count);
      pieces.move("expert-activation", (double) HALF * local * count * (2 * up + inner));
      expert(pieces, "expert-up-inputs", local, count, model.hidden(), up);
      expertWeights(pieces, "expert-up-weights", local, up, model.hidden(), count);
    } else {
      expert(pieces, "expert-up", local, count, up, model.hidden());
      products.activation(pieces, local * count, up, inner);
      expert(pieces, "expert-down", local, count, model.hidden(), inner);
    }
  }

  private void expert(StageOps pieces, String name, long local, long m, long n, long k) {
    pieces.run(new Kernel.Gemm(name, local, m, n, k, execution.precision(), HALF));
    pieces.launches(Math.toIntExact(local) - 1, false);
  }

  private void expertWeights(StageOps pieces, String name, long local, long m, long n, long k) {
    pieces.weight(new Kernel.Gemm(name, local, m, n, k, execution.precision(), products.weightBytes()));
    pieces.launches(Math.toIntExact(local) - 1, true);
    products.accumulate(pieces, name, (double) local * m * n);
  }
}
