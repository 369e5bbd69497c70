package dev.heddle.workload.megatron.program;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.Precision;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.kernel.KernelTimes;
import dev.heddle.workload.megatron.model.Experts;
import dev.heddle.workload.megatron.model.LatentAttention;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.Recompute;
import dev.heddle.workload.megatron.parallel.TensorOverlap;
import java.util.List;

/**
 * What one rank does for a layer and a micro-batch: the kernels of Megatron's transformer layer, and between them the
 * collectives of tensor, sequence, context and expert parallelism [Shoeybi et al.; Korthikanti et al. §4].
 */
final class LayerPasses {
  private static final int HALF = 2;
  /** Elements of 16 bits from one address that matrix units can load from to the next. */
  private static final int ALIGNED_ELEMENTS = 8;

  private final Training training;
  private final ModelShape model;
  private final Parallelism parallel;
  private final Execution execution;
  private final KernelTimes times;
  /** Tokens of a micro-batch on this rank, between column- and row-parallel products. */
  private final long tokens;
  /** Tokens of a micro-batch on this rank where sequence parallelism shares them. */
  private final long shared;
  private final int tensor;
  /** Columns of the projection to queries, keys and values. */
  private final long projected;
  /** Columns of attention's result. */
  private final long context;

  LayerPasses(Training training, KernelTimes times) {
    this.training = training;
    this.times = times;
    model = training.shape();
    parallel = training.parallel();
    execution = training.execution();
    tensor = parallel.tensor();
    tokens = (long) training.batch().micro() * model.sequence() / parallel.context();
    shared = parallel.sequenceParallel() ? tokens / tensor : tokens;
    LatentAttention latent = model.latent().orElse(null);
    long keyHeads = Math.max(1, model.keyHeads() / tensor);
    projected = latent == null
        ? (long) model.heads() / tensor * model.perHead() + 2 * keyHeads * model.perHead()
        : (long) model.heads() / tensor * (latent.keySize() + latent.plainSize() + latent.valueSize());
    context = (long) model.heads() / tensor * (latent == null ? model.perHead() : latent.valueSize());
  }

  Pieces pieces() {
    return new Pieces(times, execution);
  }

  long tokens() {
    return tokens;
  }

  long shared() {
    return shared;
  }

  /** Bytes of all tokens' hidden vectors. */
  long hiddenBytes() {
    return HALF * tokens * model.hidden();
  }

  /** The forward pass of a layer. */
  List<Piece> forward(int layer) {
    Pieces pieces = pieces();
    forward(pieces, layer);
    return pieces.list();
  }

  /** The backward pass of a layer, with what it works out again, or a part of it. */
  List<Piece> backward(int layer, Pieces.Part part) {
    Pieces pieces = pieces().only(part);
    if (execution.recompute() == Recompute.FULL) {
      pieces.count(Activity.RECOMPUTE);
      forward(pieces, layer);
      pieces.count(Activity.COMPUTE);
    }
    backwardBlock(pieces, layer);
    backwardAttention(pieces);
    return pieces.list();
  }

  private void forward(Pieces pieces, int layer) {
    norm(pieces, "norm", false);
    gather(pieces, () -> projections(pieces));
    attention(pieces);
    scatter(pieces, () -> product(pieces, "projection", model.hidden(), context));
    residual(pieces);
    norm(pieces, "norm2", false);
    if (model.mixes(layer)) {
      forwardExperts(pieces);
    } else {
      long inner = model.inner() / tensor;
      long up = model.activation().projections() * inner;
      gather(pieces, () -> product(pieces, "up", up, model.hidden()));
      activation(pieces, tokens, up, inner);
      scatter(pieces, () -> product(pieces, "down", model.hidden(), inner));
    }
    residual(pieces);
  }

  // --- forward parts ---

  /** Normalises the tokens that this rank shares, or works out the gradients of that. */
  void norm(Pieces pieces, String name, boolean backward) {
    pieces.run(new Kernel.Norm(name, execution.norm(), shared, model.hidden(), backward));
  }

  private void residual(Pieces pieces) {
    pieces.move("residual", (3.0 * HALF + (execution.dropout() ? 1 : 0)) * shared * model.hidden());
  }

  private void activation(Pieces pieces, long count, long up, long inner) {
    pieces.move("activation", (double) HALF * count * (up + inner));
  }

  private void projections(Pieces pieces) {
    LatentAttention latent = model.latent().orElse(null);
    if (latent == null) {
      product(pieces, "qkv", projected, model.hidden());
      // Queries and keys are copied into the layout of the scores, or rotated.
      pieces.move("positions", 2.0 * HALF * tokens * projected * 2 / 3);
      return;
    }
    product(pieces, "latent", latent.queryRank() + latent.keyRank() + latent.ropeSize(), model.hidden());
    long heads = model.heads() / tensor;
    product(pieces, "queries", heads * latent.keySize(), latent.queryRank());
    product(pieces, "keys", heads * (latent.plainSize() + latent.valueSize()), latent.keyRank());
    pieces.move("positions", 2.0 * HALF * tokens * projected);
  }

  private void attention(Pieces pieces) {
    if (parallel.context() > 1) {
      pieces.begin(GroupKind.CONTEXT, CollectiveOp.ALL_GATHER, keyBytes());
    }
    core(pieces, false);
    if (parallel.context() > 1) {
      pieces.join(Activity.CONTEXT, GroupKind.CONTEXT, 0);
    }
  }

  // Keys and values of the whole sequence.
  private long keyBytes() {
    return HALF * tokens * (projected - context) * parallel.context();
  }

  private void core(Pieces pieces, boolean backward) {
    long sequences = training.batch().micro();
    long heads = model.heads() / tensor;
    long queries = model.sequence() / parallel.context();
    if (execution.fusedAttention()) {
      int keySize = model.latent().map(LatentAttention::keySize).orElse(model.perHead());
      int valueSize = model.latent().map(LatentAttention::valueSize).orElse(model.perHead());
      pieces.run(new Kernel.Attention("attention", execution.attention(), sequences, heads, Math.max(1, model.keyHeads() / tensor), queries,
          model.sequence(), keySize, valueSize, true, backward));
      return;
    }
    double scores = (double) sequences * heads * queries * model.sequence();
    if (backward) {
      batched(pieces, "context-values", heads, model.sequence(), model.perHead(), queries);
      batched(pieces, "context-scores", heads, queries, model.sequence(), model.perHead());
      dropout(pieces, scores);
      pieces.move("softmax", 2.0 * HALF * scores);
      batched(pieces, "scores-queries", heads, queries, model.perHead(), model.sequence());
      batched(pieces, "scores-keys", heads, model.sequence(), model.perHead(), queries);
      return;
    }
    batched(pieces, "scores", heads, queries, model.sequence(), model.perHead());
    // Of the masked upper half the kernel reads nothing, but writes zeros.
    pieces.move("softmax", 1.5 * HALF * scores);
    dropout(pieces, scores);
    batched(pieces, "context", heads, queries, model.perHead(), model.sequence());
  }

  private void dropout(Pieces pieces, double scores) {
    if (execution.dropout()) {
      pieces.move("dropout", (2.0 * HALF + 1) * scores);
    }
  }

  private void batched(Pieces pieces, String name, long heads, long m, long n, long k) {
    boolean aligned = model.perHead() % ALIGNED_ELEMENTS == 0;
    Kernel.Gemm product = new Kernel.Gemm(
        name, training.batch().micro() * heads, m, n, k, aligned ? unquantised() : Precision.FP16, HALF);
    pieces.run(aligned ? product : new Kernel.HeadProduct(product));
  }

  private Precision unquantised() {
    return execution.precision() == Precision.FP8 ? Precision.BF16 : execution.precision();
  }

  private void product(Pieces pieces, String name, long n, long k) {
    quantise(pieces, tokens * k);
    pieces.run(new Kernel.Gemm(name, 1, tokens, n, k, execution.precision(), HALF));
  }

  // A matrix is read, and written in 8 bits as it is and transposed.
  private void quantise(Pieces pieces, long elements) {
    if (execution.precision() == Precision.FP8) {
      pieces.move("quantise", (double) (HALF + 2) * elements);
    }
  }

  // A column-parallel product needs all tokens.
  private void gather(Pieces pieces, Runnable product) {
    if (!parallel.sequenceParallel()) {
      product.run();
    } else if (execution.tensorOverlap() == TensorOverlap.PRODUCTS) {
      beside(pieces, CollectiveOp.ALL_GATHER, product);
    } else {
      pieces.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_GATHER, hiddenBytes());
      product.run();
    }
  }

  // A row-parallel product's result is added up over the ranks.
  private void scatter(Pieces pieces, Runnable product) {
    if (tensor == 1) {
      product.run();
    } else if (parallel.sequenceParallel() && execution.tensorOverlap() == TensorOverlap.PRODUCTS) {
      beside(pieces, CollectiveOp.REDUCE_SCATTER, product);
    } else {
      product.run();
      pieces.blocking(
          Activity.TENSOR, GroupKind.TENSOR,
          parallel.sequenceParallel() ? CollectiveOp.REDUCE_SCATTER : CollectiveOp.ALL_REDUCE, hiddenBytes());
    }
  }

  private void beside(Pieces pieces, CollectiveOp op, Runnable product) {
    pieces.begin(GroupKind.TENSOR_BESIDE, op, hiddenBytes()).slow(1 + execution.overlapSlowdown());
    product.run();
    pieces.slow(1).join(Activity.TENSOR, GroupKind.TENSOR_BESIDE, 0);
  }

  // --- experts ---

  private void forwardExperts(Pieces pieces) {
    Experts experts = model.experts().orElseThrow();
    router(pieces, experts);
    exchange(pieces, experts);
    expertProducts(pieces, experts, false);
    exchange(pieces, experts);
    pieces.move("combine", (double) HALF * shared * model.hidden() * (experts.topK() + 1));
    if (experts.sharedFfn() > 0) {
      long inner = experts.sharedFfn() / tensor;
      long up = model.activation().projections() * inner;
      gather(pieces, () -> product(pieces, "shared-up", up, model.hidden()));
      activation(pieces, tokens, up, inner);
      scatter(pieces, () -> product(pieces, "shared-down", model.hidden(), inner));
    }
  }

  private void router(Pieces pieces, Experts experts) {
    pieces.run(new Kernel.Gemm("router", 1, shared, experts.count(), model.hidden(), Precision.BF16, 4));
    pieces.move("permute", 2.0 * HALF * shared * model.hidden() * experts.topK(), 2);
  }

  // Each token goes to its experts' ranks and back; tensor-parallel ranks then share all tokens of their experts.
  private void exchange(Pieces pieces, Experts experts) {
    long bytes = Math.round(HALF * shared * model.hidden() * experts.topK() * training.skew());
    if (parallel.expert() > 1) {
      pieces.blocking(Activity.EXPERT, GroupKind.EXPERT, CollectiveOp.ALL_TO_ALL, bytes);
    }
    if (tensor > 1) {
      pieces.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_GATHER, bytes * tensor);
    }
  }

  private void expertProducts(Pieces pieces, Experts experts, boolean backward) {
    long local = experts.count() / parallel.expert();
    long count = Math.max(1, Math.round(training.skew() * shared * tensor * experts.topK() / local));
    long inner = Math.max(1, experts.ffn() / tensor);
    long up = model.activation().projections() * inner;
    quantise(pieces, local * count * (model.hidden() + inner) * (backward ? 2 : 1));
    if (backward) {
      expert(pieces, "expert-down-inputs", local, count, inner, model.hidden());
      expertWeights(pieces, "expert-down-weights", local, model.hidden(), inner, count);
      pieces.move("expert-activation", (double) HALF * local * count * (2 * up + inner));
      expert(pieces, "expert-up-inputs", local, count, model.hidden(), up);
      expertWeights(pieces, "expert-up-weights", local, up, model.hidden(), count);
    } else {
      expert(pieces, "expert-up", local, count, up, model.hidden());
      activation(pieces, local * count, up, inner);
      expert(pieces, "expert-down", local, count, model.hidden(), inner);
    }
  }

  private void expert(Pieces pieces, String name, long local, long m, long n, long k) {
    pieces.run(new Kernel.Gemm(name, local, m, n, k, execution.precision(), HALF));
  }

  private void expertWeights(Pieces pieces, String name, long local, long m, long n, long k) {
    pieces.weight(new Kernel.Gemm(name, local, m, n, k, execution.precision(), weightBytes()));
    accumulate(pieces, name, (double) local * m * n);
  }

  // --- backward parts ---

  private void backwardBlock(Pieces pieces, int layer) {
    backwardResidual(pieces);
    if (model.mixes(layer)) {
      Experts experts = model.experts().orElseThrow();
      if (experts.sharedFfn() > 0) {
        backwardDense(pieces, experts.sharedFfn());
      }
      pieces.move("combine", (double) HALF * shared * model.hidden() * (experts.topK() + 1));
      exchange(pieces, experts);
      expertProducts(pieces, experts, true);
      exchange(pieces, experts);
      router(pieces, experts);
    } else {
      backwardDense(pieces, model.inner());
    }
    backwardNorm(pieces);
  }

  private void backwardDense(Pieces pieces, int size) {
    long inner = size / tensor;
    long up = model.activation().projections() * inner;
    backwardRow(pieces, "down", inner);
    pieces.move("activation", (double) HALF * tokens * (2 * up + inner));
    bias(pieces, up);
    backwardColumn(pieces, () -> inputs(pieces, "up", up), () -> weights(pieces, "up", up, model.hidden()));
  }

  private void backwardAttention(Pieces pieces) {
    backwardResidual(pieces);
    backwardRow(pieces, "projection", context);
    if (execution.recompute() == Recompute.SELECTIVE) {
      pieces.count(Activity.RECOMPUTE);
      core(pieces, false);
      pieces.count(Activity.COMPUTE);
    }
    if (parallel.context() > 1) {
      pieces.begin(GroupKind.CONTEXT, CollectiveOp.ALL_GATHER, keyBytes());
      pieces.begin(GroupKind.CONTEXT, CollectiveOp.REDUCE_SCATTER, keyBytes());
    }
    core(pieces, true);
    if (parallel.context() > 1) {
      pieces.join(Activity.CONTEXT, GroupKind.CONTEXT, 0);
    }
    pieces.move("positions", 2.0 * HALF * tokens * projected * 2 / 3);
    bias(pieces, projected);
    LatentAttention latent = model.latent().orElse(null);
    if (latent == null) {
      backwardColumn(pieces, () -> inputs(pieces, "qkv", projected),
          () -> weights(pieces, "qkv", projected, model.hidden()));
    } else {
      backwardColumn(pieces, () -> latent(pieces, latent, true), () -> latent(pieces, latent, false));
    }
    backwardNorm(pieces);
  }

  private void latent(Pieces pieces, LatentAttention latent, boolean inputs) {
    long heads = model.heads() / tensor;
    long[][] sizes = {
      {heads * latent.keySize(), latent.queryRank()},
      {heads * (latent.plainSize() + latent.valueSize()), latent.keyRank()},
      {latent.queryRank() + latent.keyRank() + latent.ropeSize(), model.hidden()}
    };
    for (long[] size : sizes) {
      if (inputs) {
        pieces.run(new Kernel.Gemm("latent-inputs", 1, tokens, size[1], size[0], execution.precision(), HALF));
      } else {
        weights(pieces, "latent", size[0], size[1]);
      }
    }
  }

  // The gradient that passed by the block is added to that which passed through it.
  private void backwardNorm(Pieces pieces) {
    norm(pieces, "norm", true);
    pieces.move("residual", 3.0 * HALF * shared * model.hidden());
  }

  private void backwardResidual(Pieces pieces) {
    if (execution.dropout()) {
      pieces.move("dropout", (2.0 * HALF + 1) * shared * model.hidden());
    }
    if (model.bias()) {
      pieces.move("bias", (double) HALF * shared * model.hidden());
    }
  }

  private void bias(Pieces pieces, long columns) {
    if (model.bias()) {
      pieces.move("bias", (double) HALF * tokens * columns);
    }
  }

  // The gradient of a row-parallel product's result is whole on every rank, or gathered.
  private void backwardRow(Pieces pieces, String name, long inner) {
    if (parallel.sequenceParallel()) {
      pieces.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_GATHER, hiddenBytes());
    }
    quantise(pieces, tokens * model.hidden());
    pieces.run(new Kernel.Gemm(name + "-inputs", 1, tokens, inner, model.hidden(), execution.precision(), HALF));
    weights(pieces, name, model.hidden(), inner);
  }

  // A column-parallel product needs its input again, gathered, and adds the gradient of its input up.
  private void backwardColumn(Pieces pieces, Runnable inputs, Runnable weights) {
    boolean beside = execution.tensorOverlap() != TensorOverlap.NONE;
    GroupKind group = beside ? GroupKind.TENSOR_BESIDE : GroupKind.TENSOR;
    if (tensor == 1) {
      inputs.run();
      weights.run();
      return;
    }
    CollectiveOp add = parallel.sequenceParallel() ? CollectiveOp.REDUCE_SCATTER : CollectiveOp.ALL_REDUCE;
    if (!beside) {
      if (parallel.sequenceParallel()) {
        pieces.blocking(Activity.TENSOR, group, CollectiveOp.ALL_GATHER, hiddenBytes());
      }
      inputs.run();
      pieces.blocking(Activity.TENSOR, group, add, hiddenBytes());
      weights.run();
      return;
    }
    pieces.slow(1 + execution.overlapSlowdown());
    if (parallel.sequenceParallel()) {
      pieces.begin(group, CollectiveOp.ALL_GATHER, hiddenBytes());
      inputs.run();
      pieces.join(Activity.TENSOR, group, 0);
    } else {
      inputs.run();
    }
    pieces.begin(group, add, hiddenBytes());
    weights.run();
    pieces.slow(1).join(Activity.TENSOR, group, 0);
  }

  private void inputs(Pieces pieces, String name, long columns) {
    quantise(pieces, tokens * columns);
    pieces.run(new Kernel.Gemm(name + "-inputs", 1, tokens, model.hidden(), columns, execution.precision(), HALF));
  }

  private void weights(Pieces pieces, String name, long rows, long columns) {
    pieces.weight(
        new Kernel.Gemm(name + "-weights", 1, rows, columns, tokens, execution.precision(), weightBytes()));
    accumulate(pieces, name, (double) rows * columns);
  }

  /** Adds gradients up where the product that made them does not. */
  void accumulate(Pieces pieces, String name, double gradients) {
    int kernels = execution.accumulation().kernels();
    double bytes = gradients * execution.accumulation().addedBytes(execution.gradientBytes());
    for (int kernel = 0; kernel < kernels; kernel++) {
      pieces.weight(new Kernel.Memory(name + "-accumulation", bytes / kernels));
    }
  }

  /** Bytes that a product moves for each gradient of a weight that it makes. */
  int weightBytes() {
    return execution.accumulation().productBytes(execution.gradientBytes());
  }
}
