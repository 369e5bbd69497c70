package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.Precision;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.kernel.LinearFormat;
import dev.heddle.workload.megatron.model.Experts;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.ExpertDispatch;
import dev.heddle.workload.megatron.parallel.ExpertKernels;
import dev.heddle.workload.megatron.parallel.GraphScope;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.RankGrid;
import dev.heddle.workload.megatron.parallel.RecomputedModule;
import java.util.List;

/**
 * Passes of a layer of experts: its router, the exchange of tokens, and the experts' products, which Transformer
 * Engine's grouped linear starts one by one for each local expert [TransformerEngine, general_grouped_gemm].
 */
final class ExpertPasses {
  /**
   * Number of short kernels that Megatron-Core's router starts in a forward pass: scores, top-k with its groups and
   * scatters (8) and the balancing loss (8) [Megatron-Core, router.py]; backward about half of them have a derivative.
   */
  private static final int ROUTER_KERNELS = 16;
  private static final int ROUTER_GRADIENT_KERNELS = 8;
  /**
   * Number of short kernels of the dispatcher in a forward pass: counts of tokens by rank and expert with their sums
   * and offsets (11), or what DeepEP and HybridEP need instead, the experts of each token and the layout (6)
   * [Megatron-Core, token_dispatcher.py].
   */
  private static final int COUNTING_KERNELS = 11;
  private static final int LAYOUT_KERNELS = 6;
  /**
   * Copies of all_to_all's counts to the host, an operator each: rows sent, received and received by tensor-parallel
   * ranks, of each local expert, and of all [Megatron-Core, token_dispatcher.py: _maybe_dtoh_and_synchronize].
   */
  private static final int COUNT_COPIES = 5;
  /**
   * Number of kernels for the row maps of a permutation (3) and of the sorts of received rows and of results, with
   * their offsets (3). The backward pass has the maps of the forward pass [Transformer Engine, permutation.py].
   */
  private static final int PERMUTING_KERNELS = 6;
  /**
   * Operators of the host for the lists of tensors of one expert's matrix, forward and backward: with 64 experts of two
   * matrices 1.2 and 2.1 ms of a GB200's host, of which the two modules take 0.2 ms [Transformer Engine, issue 2897].
   */
  private static final double LIST_OPERATORS = 0.21;
  private static final double LIST_GRADIENT_OPERATORS = 0.4;
  /**
   * The same for the quantised rows of one expert, a tensor of Python whose buffers are made one by one [Transformer
   * Engine, Quantizer::create_tensor in split_quantize], and for the hook of one matrix that counts its gradient
   * [Megatron-Core, distributed_data_parallel.py].
   */
  private static final double QUANTISED_OPERATORS = 1;
  private static final double HOOK_OPERATORS = 1;
  /**
   * Calls of PyTorch without a kernel around the four nodes of a layer whose passes overlap, attention, dispatch,
   * experts and combination: each waits for an event and records one, detaches what it is given, the residual, the
   * probabilities and the counts, and frees what it has sent; backward, each also runs the engine of gradients, by an
   * operator, and keeps them for its stream [Megatron-Core, pipeline_parallel/utils.py: ScheduleNode;
   * fine_grained_callables.py: should_free_input].
   */
  private static final int NODES = 4;
  private static final int NODE_CALLS = 27;
  private static final int NODE_GRADIENT_CALLS = 15;
  private static final int FULL = 4;
  /** Fewest elements of a block with a scale of a byte, for each layout. */
  private static final int SCALED_ELEMENTS = 16;
  /** Number of kernels that add one expert's bias: product and sum; for its gradients two products and their sums. */
  private static final int BIAS_KERNELS = 2;
  private static final int BIAS_GRADIENT_KERNELS = 4;

  private final LayerSizes sizes;
  private final ModelShape model;
  private final Parallelism parallel;
  private final Execution execution;
  private final Products products;
  private final Experts experts;
  private final ExpertExchange exchange;

  ExpertPasses(LayerSizes sizes, Products products, Experts experts, RankGrid grid, int nodeSize) {
    this.sizes = sizes;
    this.experts = experts;
    model = sizes.model();
    parallel = sizes.parallel();
    execution = sizes.execution();
    this.products = products;
    exchange = new ExpertExchange(sizes, experts, grid, nodeSize);
  }

  /**
   * Adds the forward pass.
   *
   * @param attention adds the layer's attention where it overlaps the combination; else adds nothing
   * @param paired whether the exchange overlaps computation: the dispatch that of the products
   */
  void forward(StageOps ops, Runnable attention, boolean paired) {
    ops.module(GraphScope.MOE_ROUTER, () -> router(ops, ROUTER_KERNELS));
    if (exchange.transport() == ExpertDispatch.ALL_TO_ALL) {
      permuteCounted(ops);
    } else {
      ops.module(GraphScope.MOE_PREPROCESS, () -> routing(ops, LAYOUT_KERNELS));
      if (!paired) {
        exchange.announce(ops);
      }
      latent(ops, false, model.expertVector(), model.hidden());
      ops.reach();
      permute(ops, false);
    }
    // The host needs the number of rows of each expert before it launches what follows the permutation.
    ops.synchronise();
    pass(ops, attention, paired, false);
    unpermute(ops);
    latent(ops, false, model.hidden(), model.expertVector());
  }

  private void permuteCounted(StageOps ops) {
    boolean graphed = permutesInGraph();
    ops.module(GraphScope.MOE_PREPROCESS, () -> {
      routing(ops, COUNTING_KERNELS);
      exchange.announce(ops);
      if (graphed) {
        permute(ops, false);
      }
    });
    latent(ops, false, model.expertVector(), model.hidden());
    ops.operators(COUNT_COPIES, false).reach();
    if (!graphed) {
      permute(ops, false);
    }
    sort(ops);
  }

  // A graph of what precedes all_to_all's dispatch holds the permutation as well, so that counts are copied behind it;
  // else they are copied first [Megatron-Core, token_dispatcher.py: dispatch_preprocess, cuda_dtoh_point].
  private boolean permutesInGraph() {
    return exchange.transport() == ExpertDispatch.ALL_TO_ALL && experts.latent().isEmpty()
        && execution.graphs().contains(GraphScope.MOE_PREPROCESS);
  }

  /** Adds the backward pass: the gradient of the combination is a dispatch, that of the dispatch a combination. */
  void backward(StageOps ops, Runnable attention, boolean paired) {
    latent(ops, true, model.hidden(), model.expertVector());
    unpermute(ops);
    pass(ops, attention, paired, true);
    if (exchange.transport() == ExpertDispatch.ALL_TO_ALL) {
      sort(ops);
    }
    if (permutesInGraph()) {
      ops.module(GraphScope.MOE_PREPROCESS, () -> permute(ops, true));
    } else {
      permute(ops, true);
    }
    latent(ops, true, model.expertVector(), model.hidden());
    ops.module(GraphScope.MOE_ROUTER, () -> router(ops, ROUTER_GRADIENT_KERNELS));
  }

  // The projection of a rank's tokens to the vectors of experts or from them, which tensor-parallel ranks do not share
  // [Megatron-Core, moe_layer.py: fc1_latent_proj, fc2_latent_proj].
  private void latent(StageOps ops, boolean backward, long columns, long inner) {
    if (experts.latent().isEmpty()) {
      return;
    }
    LinearFormat format = execution.precision();
    long rows = sizes.shared();
    products.quantise(ops, rows * (backward ? columns + inner : inner));
    if (backward) {
      ops.run(format.product("latent-inputs", 1, rows, inner, columns, HALF));
      ops.runWeightGradient(format.product("latent-weights", 1, columns, inner, rows, products.weightBytes()));
      products.accumulate(ops, "latent", (double) columns * inner);
    } else {
      ops.run(format.product("latent", 1, rows, columns, inner, HALF));
    }
  }

  private void pass(StageOps ops, Runnable attention, boolean paired, boolean backward) {
    if (paired) {
      ops.launches(backward ? NODE_GRADIENT_CALLS : NODE_CALLS, false).operators(backward ? NODES : 0, false);
      double slow = 1 + execution.overlapSlowdown();
      exchange.dispatch(ops, backward, () -> {
        ops.timeFactor(slow);
        expertProducts(ops, backward);
      });
      exchange.combine(ops, backward, () -> {
        ops.timeFactor(slow);
        attention.run();
      });
      return;
    }
    exchange.dispatch(ops, backward);
    share(ops, CollectiveOp.ALL_GATHER);
    expertProducts(ops, backward);
    share(ops, CollectiveOp.REDUCE_SCATTER);
    exchange.combine(ops, backward);
  }

  // Each of the ranks that share experts' matrices needs all tokens of its experts; their partial results are summed.
  private void share(StageOps ops, CollectiveOp op) {
    if (parallel.tensorOfExperts() > 1) {
      long rows = Math.round(sizes.shared() * experts.topK() * sizes.training().skew());
      ops.blocking(Activity.TENSOR, GroupKind.TENSOR, op,
          HALF * rows * model.expertVector() * parallel.tensorOfExperts());
    }
  }

  private void router(StageOps ops, int kernels) {
    ops.run(new Kernel.Gemm("router", 1, sizes.shared(), experts.count(), model.hidden(), Precision.BF16, 4));
    routing(ops, kernels);
  }

  private void routing(StageOps ops, int kernels) {
    ops.move("routing", 4.0 * kernels * sizes.shared() * experts.count(), kernels);
  }

  // Rows are copied to the order of experts, once before an all_to_all and, where a rank has several experts, once
  // after.
  private void permute(StageOps ops, boolean backward) {
    if (!backward && exchange.transport() != ExpertDispatch.HYBRIDEP) {
      routing(ops, PERMUTING_KERNELS);
    }
    double row = (double) HALF * sizes.shared() * model.expertVector();
    if (exchange.transport() == ExpertDispatch.ALL_TO_ALL) {
      ops.move("permute", 2 * row * experts.topK());
    } else {
      ops.move("permute", row * (exchange.copies() + experts.topK()));
    }
  }

  private void unpermute(StageOps ops) {
    double row = (double) HALF * sizes.shared() * model.expertVector();
    if (exchange.transport() == ExpertDispatch.ALL_TO_ALL) {
      sort(ops);
      ops.move("unpermute", row * (experts.topK() + 1));
    } else {
      ops.move("unpermute", row * (experts.topK() + exchange.copies()));
    }
  }

  private void sort(StageOps ops) {
    if (experts.count() > parallel.expert() && parallel.expert() > 1) {
      ops.move("sort-chunks", 2.0 * HALF * sizes.shared() * model.expertVector() * experts.topK());
    }
  }

  private void expertProducts(StageOps ops, boolean backward) {
    long local = experts.count() / parallel.expert();
    int tensor = parallel.tensorOfExperts();
    long count = Math.max(1, Math.round(sizes.training().skew() * sizes.shared() * tensor * experts.topK() / local));
    long inner = Math.max(1, experts.ffn() / tensor);
    long up = model.activation().projections() * inner;
    Group group = new Group(local, count, inner);
    ops.operators(2 * local * (backward ? LIST_GRADIENT_OPERATORS + HOOK_OPERATORS : LIST_OPERATORS), false);
    if (backward) {
      stash(ops, group, up);
    }
    if (execution.expertKernels() == ExpertKernels.FUSED) {
      fusedProducts(ops, group, up, backward);
    } else {
      separateProducts(ops, group, up, backward);
    }
    if (!backward) {
      stash(ops, group, up);
    }
  }

  // Tensors for the gradients are copied from buffers of fixed size to pages of as many rows as there are, and back
  // before the backward pass: the inputs of both products, the result of the first and the probabilities
  // [Megatron-Core, paged_stash.py; Transformer Engine, grouped_mlp.py]. The copies run on a stream of their own, with
  // a grid that fills the accelerator, and are counted one after the other with the kernels beside them.
  private void stash(StageOps ops, Group group, long up) {
    if (execution.expertStash()) {
      LinearFormat format = execution.precision();
      double element = format.quantised() ? format.number().activationBytes() : HALF;
      long kept = execution.recomputes(RecomputedModule.MOE_ACT) ? 0 : group.inner();
      double row = element * (model.expertVector() + kept) + HALF * up + FULL;
      ops.move("expert-stash", 2 * row * group.local() * group.count());
    }
  }

  private void separateProducts(StageOps ops, Group group, long up, boolean backward) {
    long local = group.local();
    long count = group.count();
    long inner = group.inner();
    pad(ops, local * count);
    quantise(ops, Math.toIntExact(local), count * (model.expertVector() + inner) * (backward ? 2 : 1));
    if (backward) {
      bias(ops, Math.toIntExact(local), local * count, true);
      if (execution.recomputes(RecomputedModule.MOE_ACT)) {
        ops.repeat(() -> products.activation(ops, local * count, up, inner));
      }
      expert(ops, group, "expert-down-inputs", inner, model.expertVector());
      expertWeights(ops, group, "expert-down-weights", model.expertVector(), inner);
      products.activationGradients(ops, local * count, up, inner);
      // Each row's probability has a gradient of its own, the sum of what the activation gives times its gradient, for
      // which a second kernel reads both [Megatron-Core, fused_bias_swiglu.py: weighted_swiglu_back].
      ops.operate(new Kernel.Memory("probability-gradients", (double) HALF * local * count * (up + inner)), 1);
      expert(ops, group, "expert-up-inputs", model.expertVector(), up);
      expertWeights(ops, group, "expert-up-weights", up, model.expertVector());
    } else {
      expert(ops, group, "expert-up", up, model.expertVector());
      products.activation(ops, local * count, up, inner);
      expert(ops, group, "expert-down", model.expertVector(), inner);
      bias(ops, Math.toIntExact(local), local * count, false);
    }
  }

  // Tokens and the gradients of results are cast before the first product of a pass; the others read the results of
  // products, which are cast as they are written.
  private void fusedProducts(StageOps ops, Group group, long up, boolean backward) {
    long rows = group.local() * group.count();
    long hidden = model.expertVector();
    pad(ops, rows);
    if (execution.precision().scaledByTensor()) {
      ops.run(new Kernel.Cast("expert-scale", (double) HALF * rows * hidden));
    }
    products.quantise(ops, rows * hidden);
    if (backward) {
      // The last matrix's bias and the probabilities have gradients by a kernel that reads those of the results once
      // [Transformer Engine, compute_grouped_dbias_dscales].
      if (model.bias()) {
        ops.move("expert-bias-sums", (double) HALF * rows * hidden);
      }
      fused(ops, group, "expert-down-inputs", new long[] {group.count(), group.inner(), hidden});
      fused(ops, group, "expert-up-inputs", new long[] {group.count(), hidden, up});
      fusedWeights(ops, group, "expert-down-weights", new long[] {hidden, group.inner(), group.count()});
      fusedWeights(ops, group, "expert-up-weights", new long[] {up, hidden, group.count()});
    } else {
      fused(ops, group, "expert-up", new long[] {group.count(), up, hidden});
      fused(ops, group, "expert-down", new long[] {group.count(), hidden, group.inner()});
    }
  }

  private void fused(StageOps ops, Group group, String name, long[] shape) {
    ops.run(execution.precision().product(name, group.local(), shape[0], shape[1], shape[2], HALF));
  }

  private void fusedWeights(StageOps ops, Group group, String name, long[] shape) {
    ops.runWeightGradient(execution.precision().product(
        name, group.local(), shape[0], shape[1], shape[2], products.weightBytes()));
    products.accumulate(ops, name, (double) group.local() * shape[0] * shape[1]);
  }

  // Each expert's rows of both matrices are cast by kernels of their own. With one scale a tensor, their largest value
  // is read before and becomes the scale; with scales of blocks, these are laid out behind [Transformer Engine,
  // split_quantize].
  private void quantise(StageOps ops, int local, long perExpert) {
    LinearFormat format = execution.precision();
    if (!format.quantised()) {
      return;
    }
    int tensors = 2 * local;
    double elements = perExpert / 2.0;
    Kernel cast = new Kernel.Cast("quantise", products.quantisedBytes(elements));
    List<Kernel> kernels = format.scaledByBlocks()
        ? List.of(cast, new Kernel.Memory("scales", 2 * elements / SCALED_ELEMENTS))
        : List.of(new Kernel.Cast("expert-scale", HALF * elements), new Kernel.Memory("scales", FULL), cast);
    ops.run(kernels, tensors);
    ops.launches(tensors * kernels.size() - 1, false);
    ops.operators(tensors * QUANTISED_OPERATORS, false);
  }

  // Matrix units that multiply 8 bits need a multiple of 16 or 32 rows of an expert: rows are copied to padded places
  // before the products and back behind them [Megatron-Core, TEGroupedMLP: quantization_padding]. HybridEP delivers
  // them padded.
  private void pad(StageOps ops, long rows) {
    if (execution.precision().quantised() && exchange.transport() != ExpertDispatch.HYBRIDEP) {
      ops.move("expert-padding", 2.0 * 2 * HALF * rows * model.expertVector(), 2);
    }
  }

  // The bias of an expert's last matrix times the token's probability is added outside the product, expert by expert,
  // in the format of probabilities: the product of both, the sum, the concatenation of experts and the cast back; for
  // the gradients the cast, two products that are summed up, of bias and of probabilities, the other cast and the
  // concatenation [Megatron-Core, TEGroupedMLP: _apply_bias]. DeepEP and HybridEP take probabilities of 32 bits only.
  private void bias(StageOps ops, int local, long rows, boolean backward) {
    if (!model.bias()) {
      return;
    }
    int width = exchange.transport() == ExpertDispatch.ALL_TO_ALL ? HALF : FULL;
    int cast = width == HALF ? 0 : HALF + width;
    int element = backward ? 2 * cast + 6 * width + 2 * HALF : HALF + 5 * width + cast;
    ops.move("expert-bias", (double) element * rows * model.expertVector());
    ops.operators((backward ? BIAS_GRADIENT_KERNELS : BIAS_KERNELS) * local, false);
  }

  /** Elements of the gradients that a graph of the router, and of what precedes the dispatch, copies. */
  double graphGradients() {
    return (double) sizes.shared() * model.hidden() * (permutesInGraph() ? experts.topK() : 1);
  }

  /**
   * The experts of a rank.
   *
   * @param local experts
   * @param count tokens of each
   * @param inner columns of an expert's activation
   */
  private record Group(long local, long count, long inner) {}

  private void expert(StageOps ops, Group group, String name, long n, long k) {
    ops.run(execution.precision().product(name, group.local(), group.count(), n, k, HALF));
    ops.launches(Math.toIntExact(group.local()) - 1, false);
  }

  private void expertWeights(StageOps ops, Group group, String name, long m, long n) {
    ops.runWeightGradient(
        execution.precision().product(name, group.local(), m, n, group.count(), products.weightBytes()));
    ops.launches(Math.toIntExact(group.local()) - 1, true);
    products.accumulate(ops, name, (double) group.local() * m * n);
  }
}
