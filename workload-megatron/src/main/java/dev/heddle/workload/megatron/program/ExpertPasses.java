package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.Precision;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.model.Experts;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.Parallelism;

/** A layer of experts: tokens go to the ranks of theirs and back. */
final class ExpertPasses {
  private final LayerSizes sizes;
  private final ModelShape model;
  private final Parallelism parallel;
  private final Execution execution;
  private final Products products;

  ExpertPasses(LayerSizes sizes, Products products) {
    this.sizes = sizes;
    model = sizes.model();
    parallel = sizes.parallel();
    execution = sizes.execution();
    this.products = products;
  }

  void forward(StageOps pieces) {
    Experts experts = model.experts().orElseThrow();
    router(pieces, experts);
    exchange(pieces, experts);
    expertProducts(pieces, experts, false);
    exchange(pieces, experts);
    combine(pieces, experts);
  }

  void backward(StageOps pieces) {
    Experts experts = model.experts().orElseThrow();
    combine(pieces, experts);
    exchange(pieces, experts);
    expertProducts(pieces, experts, true);
    exchange(pieces, experts);
    router(pieces, experts);
  }

  private void combine(StageOps pieces, Experts experts) {
    pieces.move("combine", (double) HALF * sizes.shared() * model.hidden() * (experts.topK() + 1));
  }

  private void router(StageOps pieces, Experts experts) {
    pieces.run(new Kernel.Gemm("router", 1, sizes.shared(), experts.count(), model.hidden(), Precision.BF16, 4));
    pieces.move("permute", 2.0 * HALF * sizes.shared() * model.hidden() * experts.topK(), 2);
  }

  // Each token goes to its experts' ranks and back; tensor-parallel ranks then share all tokens of their experts.
  private void exchange(StageOps pieces, Experts experts) {
    long bytes = Math.round(HALF * sizes.shared() * model.hidden() * experts.topK() * sizes.training().skew());
    if (parallel.expert() > 1) {
      pieces.blocking(Activity.EXPERT, GroupKind.EXPERT, CollectiveOp.ALL_TO_ALL, bytes);
    }
    if (sizes.tensor() > 1) {
      pieces.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_GATHER, bytes * sizes.tensor());
    }
  }

  private void expertProducts(StageOps pieces, Experts experts, boolean backward) {
    long local = experts.count() / parallel.expert();
    long count = Math.max(
        1, Math.round(sizes.training().skew() * sizes.shared() * sizes.tensor() * experts.topK() / local));
    long inner = Math.max(1, experts.ffn() / sizes.tensor());
    long up = model.activation().projections() * inner;
    products.quantise(pieces, local * count * (model.hidden() + inner) * (backward ? 2 : 1));
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
  }

  private void expertWeights(StageOps pieces, String name, long local, long m, long n, long k) {
    pieces.weight(new Kernel.Gemm(name, local, m, n, k, execution.precision(), products.weightBytes()));
    products.accumulate(pieces, name, (double) local * m * n);
  }
}
