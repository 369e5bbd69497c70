package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import dev.heddle.spi.Precision;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.kernel.LinearFormat;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.ContextExchange;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.RecomputedModule;
import java.util.Optional;

/** Scores, softmax and their product with values, fused or not, with the exchanges of context-parallel ranks. */
final class AttentionCore {
  /**
   * Tokens of a tile of queries and of keys, of which a kernel works out whole ones: with 4,096 tokens and heads of 64
   * elements a window of 512 takes 0.30 of the time without one and a window of 1,024 0.48 to 0.50, on three kernels
   * [cudnn-frontend, pull request 505]; tiles of 128 have 0.28 and 0.48 of the pairs, the windows 0.23 and 0.44.
   */
  private static final int TILE = 128;
  /** Alignment of the addresses that matrix units load from, in elements of 16 bits. */
  private static final int ALIGNED_ELEMENTS = 8;

  private final LayerSizes sizes;
  private final ModelShape model;
  private final Parallelism parallel;
  private final Execution execution;
  private final HeadExchange heads;
  private final Optional<KeyExchange> keys;

  AttentionCore(LayerSizes sizes) {
    this.sizes = sizes;
    heads = new HeadExchange(sizes);
    model = sizes.model();
    parallel = sizes.parallel();
    keys = parallel.keyRanks() == 1 ? Optional.empty()
        : Optional.of(parallel.contextExchange() == ContextExchange.ALL_GATHER ? new ContextGather(sizes)
            : new ContextRing(sizes));
    execution = sizes.execution();
  }

  /** Adds the forward pass, with the exchanges of context-parallel ranks. */
  void forward(StageOps ops, int layer) {
    pass(ops, layer, false);
  }

  /** Adds the backward pass, with its recomputation. */
  void backward(StageOps ops, int layer) {
    if (execution.recomputes(RecomputedModule.CORE_ATTN)) {
      ops.repeat(() -> pass(ops, layer, false));
    }
    pass(ops, layer, true);
  }

  private void pass(StageOps ops, int layer, boolean backward) {
    heads.begin(ops, backward);
    keys.ifPresent(exchange -> exchange.begin(ops, backward));
    if (execution.fusedAttention()) {
      fused(ops, layer, backward);
    } else {
      unfused(ops, backward);
    }
    keys.ifPresent(exchange -> exchange.end(ops, backward));
    heads.end(ops, backward);
  }

  private void fused(StageOps ops, int layer, boolean backward) {
    // Sequences packed into one are as many short ones. A window is modelled by fewer keys, with which causal
    // attention has the same number of pairs. Gradients in 8 bits work out all pairs of a causal mask: with a window
    // of 128 they take 0.64, 2.1, 7.4, 27.6 and 107 ms for 2,048 to 32,768 tokens, where those in 16 bits double
    // [cudnn-frontend, sdpa_benchmark_training, GB200, cuDNN 9.23].
    int packed = sizes.training().packedSequences();
    long sequences = (long) sizes.training().batch().micro() * packed;
    ModelShape one = packed == 1 ? model : model.withSequence(model.sequence() / packed);
    long queries = Math.max(1, one.sequence() / parallel.keyRanks());
    double pairs = execution.quantisedAttention() && backward ? 1 : one.computedPairs(layer, TILE);
    long window = pairs < 1 ? one.window().orElseThrow().tokens() : 0;
    long seen = Math.max(1, Math.round(one.sequence() * pairs));
    Kernel.Attention wide = new Kernel.Attention("attention", execution.attention(), sequences,
        sizes.heads() / parallel.headRanks(), Math.max(1, sizes.keyHeads() / parallel.headRanks()), queries, seen,
        window, sizes.keySize(), sizes.valueSize(), true, backward);
    if (execution.quantisedAttention()) {
      quantised(ops, wide);
    } else {
      ops.run(wide);
    }
  }

  private void unfused(StageOps ops, boolean backward) {
    long perRank = sizes.heads() / parallel.headRanks();
    long queries = model.sequence() / parallel.keyRanks();
    double scores = (double) sizes.training().batch().micro() * perRank * queries * model.sequence();
    if (backward) {
      batched(ops, "context-values", perRank, model.sequence(), model.perHead(), queries);
      batched(ops, "context-scores", perRank, queries, model.sequence(), model.perHead());
      dropout(ops, scores);
      ops.move("softmax", 2.0 * HALF * scores);
      batched(ops, "scores-queries", perRank, queries, model.perHead(), model.sequence());
      batched(ops, "scores-keys", perRank, model.sequence(), model.perHead(), queries);
      return;
    }
    batched(ops, "scores", perRank, queries, model.sequence(), model.perHead());
    // The kernel reads nothing of the masked upper half, but writes zeros there.
    ops.move("softmax", 1.5 * HALF * scores);
    dropout(ops, scores);
    batched(ops, "context", perRank, queries, model.perHead(), model.sequence());
  }

  // Queries, keys and values are cast before the forward pass, the gradients of its result before the backward pass:
  // with scales of blocks to both layouts, with one scale a tensor by rows alone [Transformer Engine,
  // get_attention_quantizers]. With scales of earlier iterations results and gradients have 8 bits, too, and become 16.
  private void quantised(StageOps ops, Kernel.Attention wide) {
    LinearFormat format = execution.precision();
    double perQuery = (double) wide.sequences() * wide.queries() * wide.heads();
    double perKey = (double) wide.sequences() * wide.queries() * wide.keyHeads();
    double factors = perQuery * wide.keySize() + perKey * (wide.keySize() + wide.valueSize());
    double results = perQuery * wide.valueSize();
    double read = wide.backward() ? results : factors;
    if (format == LinearFormat.FP8_CURRENT) {
      ops.run(new Kernel.Cast("attention-scale", HALF * read));
    }
    ops.run(new Kernel.Cast(
        "attention-cast", format.ofAttention().quantisedBytes(format.scaledByBlocks() ? 2 : 1) * read));
    ops.run(new Kernel.QuantisedAttention(wide, format.ofAttention()));
    if (execution.writesAttentionInEightBits()) {
      ops.run(new Kernel.Cast("attention-result", format.quantisedBytes(1) * (wide.backward() ? factors : results)));
    }
  }

  private void dropout(StageOps ops, double scores) {
    if (execution.dropout()) {
      ops.move("dropout", (2.0 * HALF + 1) * scores);
    }
  }

  private void batched(StageOps ops, String name, long heads, long m, long n, long k) {
    boolean aligned = model.perHead() % ALIGNED_ELEMENTS == 0;
    Kernel.Gemm product = new Kernel.Gemm(
        name, sizes.training().batch().micro() * heads, m, n, k, aligned ? sizes.unquantised() : Precision.FP16, HALF);
    ops.run(aligned ? product : new Kernel.HeadProduct(product));
  }
}
