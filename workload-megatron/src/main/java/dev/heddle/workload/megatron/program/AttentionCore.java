package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.Precision;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.model.LatentAttention;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.Recompute;

/** Scores, softmax and their product with values, fused or not, and what context-parallel ranks exchange for them. */
final class AttentionCore {
  /** Elements of 16 bits from one address that matrix units can load from to the next. */
  private static final int ALIGNED_ELEMENTS = 8;

  private final LayerSizes sizes;
  private final ModelShape model;
  private final Parallelism parallel;
  private final Execution execution;

  AttentionCore(LayerSizes sizes) {
    this.sizes = sizes;
    model = sizes.model();
    parallel = sizes.parallel();
    execution = sizes.execution();
  }

  /** Forward, with the keys and values of the other ranks. */
  void forward(StageOps pieces, int layer) {
    if (parallel.context() > 1) {
      pieces.begin(GroupKind.CONTEXT, CollectiveOp.ALL_GATHER, sizes.keyBytes());
    }
    core(pieces, layer, false);
    if (parallel.context() > 1) {
      pieces.join(Activity.CONTEXT, GroupKind.CONTEXT, 0);
    }
  }

  /** Backward, with what is worked out again of it. */
  void backward(StageOps pieces, int layer) {
    if (execution.recompute() == Recompute.SELECTIVE) {
      pieces.count(Activity.RECOMPUTE);
      core(pieces, layer, false);
      pieces.count(Activity.COMPUTE);
    }
    if (parallel.context() > 1) {
      pieces.begin(GroupKind.CONTEXT, CollectiveOp.ALL_GATHER, sizes.keyBytes());
      pieces.begin(GroupKind.CONTEXT, CollectiveOp.REDUCE_SCATTER, sizes.keyBytes());
    }
    core(pieces, layer, true);
    if (parallel.context() > 1) {
      pieces.join(Activity.CONTEXT, GroupKind.CONTEXT, 0);
    }
  }

  private void core(StageOps pieces, int layer, boolean backward) {
    long sequences = sizes.training().batch().micro();
    long heads = sizes.heads();
    long queries = model.sequence() / parallel.context();
    if (execution.fusedAttention()) {
      // A window is counted as the fewer keys with which causal attention has as many pairs.
      long seen = Math.max(1, Math.round(model.sequence() * model.seenPairs(layer)));
      int keySize = model.latent().map(LatentAttention::keySize).orElse(model.perHead());
      int valueSize = model.latent().map(LatentAttention::valueSize).orElse(model.perHead());
      pieces.run(new Kernel.Attention("attention", execution.attention(), sequences, heads,
          Math.max(1, model.keyHeads() / sizes.tensor()), queries, seen, keySize, valueSize, true, backward));
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

  private void dropout(StageOps pieces, double scores) {
    if (execution.dropout()) {
      pieces.move("dropout", (2.0 * HALF + 1) * scores);
    }
  }

  private void batched(StageOps pieces, String name, long heads, long m, long n, long k) {
    boolean aligned = model.perHead() % ALIGNED_ELEMENTS == 0;
    Kernel.Gemm product = new Kernel.Gemm(
        name, sizes.training().batch().micro() * heads, m, n, k, aligned ? sizes.unquantised() : Precision.FP16, HALF);
    pieces.run(aligned ? product : new Kernel.HeadProduct(product));
  }
}
