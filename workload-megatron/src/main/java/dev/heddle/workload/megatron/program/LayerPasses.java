package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.ElementFunction;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.kernel.KernelTimes;
import dev.heddle.workload.megatron.model.Experts;
import dev.heddle.workload.megatron.model.LatentAttention;
import dev.heddle.workload.megatron.model.LayerKind;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GraphScope;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.RankGrid;
import dev.heddle.workload.megatron.parallel.RecomputedModule;
import java.util.List;
import java.util.Optional;

/**
 * Operations of one rank for a layer and a micro-batch: the kernels of Megatron's transformer layer, and the
 * collectives of tensor, sequence, context and expert parallelism [Shoeybi et al.; Korthikanti et al. §4].
 */
final class LayerPasses {
  /** Prefix of the matrices of experts that all tokens share. */
  private static final String SHARED = "shared-";

  private final LayerSizes sizes;
  private final ModelShape model;
  private final Execution execution;
  private final KernelTimes times;
  private final double hostSeconds;
  private final Products products;
  private final TensorExchanges exchanges;
  private final AttentionCore attention;
  private final HeadLayouts layouts;
  private final Optional<ExpertPasses> experts;
  private final Optional<StateSpacePasses> stateSpace;
  private final Optional<TensorGathers> gathers;

  LayerPasses(Training training, KernelTimes times, RankGrid grid, int nodeSize, double hostSeconds) {
    this.times = times;
    this.hostSeconds = hostSeconds;
    sizes = LayerSizes.of(training);
    model = training.shape();
    execution = training.execution();
    int sharing = grid.size(GroupKind.DATA);
    gathers = TensorGathers.apply(training, sharing)
        ? Optional.of(new TensorGathers(sizes, sharing)) : Optional.empty();
    products = new Products(sizes, gathers);
    exchanges = new TensorExchanges(sizes);
    attention = new AttentionCore(sizes);
    layouts = new HeadLayouts(sizes);
    experts = model.experts().map(each -> new ExpertPasses(sizes, products, each, grid, nodeSize));
    stateSpace = model.stateSpace().map(each -> new StateSpacePasses(sizes, each));
  }

  /** Begins the operations of a pass. */
  StageOps newOps() {
    return new StageOps(times, execution, execution.graphs().contains(GraphScope.FULL_ITERATION) ? 0 : hostSeconds);
  }

  /** Begins the operations of the optimizer's step. */
  StageOps newStep() {
    return new StageOps(times, execution, hostSeconds).activity(Activity.OPTIMIZER);
  }

  LayerSizes sizes() {
    return sizes;
  }

  Products products() {
    return products;
  }

  /** Gathers of one matrix at a time, where the software has them. */
  Optional<TensorGathers> gathers() {
    return gathers;
  }

  /**
   * The forward pass of a layer.
   *
   * @param layer from 0
   * @param paired whether the backward pass of another micro-batch hides the exchange of tokens; the model hides it
   *     behind the pass's own computation, which has the same parts
   */
  List<StageOp> forward(int layer, boolean paired) {
    StageOps ops = newOps().graphCopies(List.of(graphCopy(residualElements())));
    forward(ops, layer, paired);
    return ops.build();
  }

  // Vectors that are not where a graph reads them: before a pass those of the layer below, before its gradients those
  // of each result, the residual and what goes to the experts.
  private static Kernel graphCopy(double elements) {
    return new Kernel.Memory("graph-copy", 2 * HALF * elements);
  }

  private double residualElements() {
    return (double) sizes.shared() * model.hidden();
  }

  private List<Kernel> graphGradients(int layer) {
    boolean routed = model.mixes(layer) && execution.graphs().contains(GraphScope.MOE_ROUTER);
    return routed
        ? List.of(graphCopy(residualElements()), graphCopy(experts.orElseThrow().graphGradients()))
        : List.of(graphCopy(residualElements()));
  }

  /**
   * The backward pass of a layer, or a part of it, with the recomputed forward operations.
   *
   * @param layer from 0
   * @param place of the layer in its model chunk, from 0
   * @param part of the operations
   * @param paired as for the forward pass
   */
  List<StageOp> backward(int layer, int place, StageOps.Part part, boolean paired) {
    StageOps ops = newOps().restrictTo(part).graphCopies(graphGradients(layer));
    if (execution.recomputesLayer(place)) {
      ops.repeat(() -> recompute(ops, layer));
    }
    if (paired && model.mixes(layer)) {
      backwardBlock(ops, layer, () -> backwardMixer(ops, layer), true);
    } else {
      backwardBlock(ops, layer, () -> {}, false);
      backwardMixer(ops, layer);
    }
    return ops.build();
  }

  private void recompute(StageOps ops, int layer) {
    if (model.kind(layer) != LayerKind.ATTENTION_AND_DENSE || !sizes.training().stopsEarly()) {
      forward(ops, layer, false);
      return;
    }
    forwardAttention(ops, layer);
    norm(ops, "norm2", false);
    innerProduct(ops, "", model.inner());
  }

  private void forward(StageOps ops, int layer, boolean paired) {
    if (paired && model.mixes(layer)) {
      forwardBlock(ops, layer, () -> forwardMixer(ops, layer), true);
    } else {
      forwardMixer(ops, layer);
      forwardBlock(ops, layer, () -> {}, false);
    }
  }

  private void forwardMixer(StageOps ops, int layer) {
    if (model.kind(layer).attends()) {
      ops.module(GraphScope.ATTN, () -> forwardAttention(ops, layer));
    } else if (model.kind(layer).scans()) {
      ops.module(GraphScope.MAMBA, () -> forwardStateSpace(ops));
    }
  }

  private void forwardStateSpace(StageOps ops) {
    StateSpacePasses mixer = stateSpace.orElseThrow();
    norm(ops, "norm", false);
    exchanges.gather(ops, () -> products.runGathered(ops, "in-projection", mixer.columns(), model.hidden()));
    mixer.forward(ops);
    exchanges.scatter(ops, () -> products.run(ops, "out-projection", model.hidden(), mixer.inner()));
    residual(ops);
  }

  private void forwardAttention(StageOps ops, int layer) {
    norm(ops, "norm", false);
    model.latent().ifPresentOrElse(latent -> latentProjections(ops, latent), () -> projections(ops));
    attention.forward(ops, layer);
    exchanges.scatter(ops, () -> products.run(ops, "projection", model.hidden(), sizes.context()));
    residual(ops);
  }

  private void forwardBlock(StageOps ops, int layer, Runnable attention, boolean paired) {
    if (!hasBlock(layer)) {
      return;
    }
    if (model.mixes(layer)) {
      ops.module(GraphScope.MOE_ROUTER, () -> {
        norm(ops, "norm2", false);
        shared(ops);
      });
      experts.orElseThrow().forward(ops, attention, paired);
      residual(ops);
      return;
    }
    ops.module(GraphScope.MLP, () -> {
      norm(ops, "norm2", false);
      dense(ops, "", model.inner());
      residual(ops);
    });
  }

  private void shared(StageOps ops) {
    model.experts().map(Experts::sharedFfn).filter(size -> size > 0).ifPresent(size -> dense(ops, SHARED, size));
  }

  /** Adds the normalisation of the rank's share of the tokens, or its gradients. */
  void norm(StageOps ops, String name, boolean backward) {
    norm(ops, name, sizes.shared(), model.hidden(), backward);
  }

  private void norm(StageOps ops, String name, long rows, int size, boolean backward) {
    if (execution.runsOperators() && !model.normBias()) {
      OperatorKernels.norm(ops, name, (double) rows * size, backward);
    } else {
      ops.run(new Kernel.Norm(name, execution.norm(), rows, size, model.normBias(), backward));
    }
  }

  private void residual(StageOps ops) {
    if (execution.dropout()) {
      ops.move("residual", (3.0 * HALF + 1) * sizes.shared() * model.hidden());
    } else {
      sum(ops);
    }
  }

  private void sum(StageOps ops) {
    ops.run(new Kernel.Elementwise("residual", ElementFunction.SUM, sizes.shared(), model.hidden()));
  }

  private void dense(StageOps ops, String prefix, int size) {
    innerProduct(ops, prefix, size);
    exchanges.scatter(ops, () -> products.run(ops, prefix + "down", model.hidden(), size / sizes.tensor()));
  }

  private void innerProduct(StageOps ops, String prefix, int size) {
    long inner = size / sizes.tensor();
    long up = model.activation().projections() * inner;
    exchanges.gather(ops, () -> products.runGathered(ops, prefix + "up", up, model.hidden()));
    if (fused(prefix)) {
      products.fusedActivation(ops, up, inner);
    } else {
      products.activation(ops, sizes.tokens(), up, inner);
    }
  }

  // Experts that all tokens share are no module of its operations [Megatron-Core, gpt_layer_specs.py].
  private boolean fused(String prefix) {
    return execution.operationFuser() && prefix.isEmpty();
  }

  private void projections(StageOps ops) {
    exchanges.gather(ops, () -> {
      products.runGathered(ops, "qkv", sizes.projected(), model.hidden());
      headNorm(ops, false);
      layouts.forward(ops);
    });
  }

  // Every tensor-parallel rank has both matrices that compress, and multiplies its own share of the tokens with each;
  // the modules that expand gather the latent vectors, and the part of keys that is rotated is gathered by itself
  // [Megatron-Core, multi_latent_attention.py: get_query_key_value_tensors].
  private void latentProjections(StageOps ops, LatentAttention latent) {
    products.runShare(ops, "query-latent", latent.queryRank(), model.hidden());
    products.runShare(ops, "key-latent", latent.keyRank() + latent.ropeSize(), model.hidden());
    exchanges.gather(ops, HALF * sizes.tokens() * latent.ropeSize(), () -> latentHeads(ops, latent));
  }

  private void headNorm(StageOps ops, boolean backward) {
    if (model.headNorm()) {
      for (long heads : new long[] {sizes.heads(), sizes.keyHeads()}) {
        norm(ops, "head-norm", sizes.tokens() * heads, model.perHead(), backward);
      }
    }
  }

  // Both latent vectors are normalised by the modules that expand them, and so again where these are recomputed
  // [Megatron-Core, gpt_layer_specs.py: TELayerNormColumnParallelLinear].
  private void latentHeads(StageOps ops, LatentAttention latent) {
    latentNorms(ops, latent, false);
    exchanges.gather(ops, sizes.gatheredBytes(latent.queryRank()),
        () -> products.runGathered(ops, "queries", sizes.heads() * latent.keySize(), latent.queryRank()));
    exchanges.gather(ops, sizes.gatheredBytes(latent.keyRank()),
        () -> products.runGathered(ops, "keys", expandedKeys(latent), latent.keyRank()));
    ops.move("positions", 2.0 * HALF * sizes.tokens() * sizes.projected());
  }

  private long expandedKeys(LatentAttention latent) {
    return sizes.heads() * (latent.plainSize() + latent.valueSize());
  }

  private void latentNorms(StageOps ops, LatentAttention latent, boolean backward) {
    norm(ops, "latent-norm", sizes.shared(), latent.queryRank(), backward);
    norm(ops, "latent-norm", sizes.shared(), latent.keyRank(), backward);
  }

  private boolean hasBlock(int layer) {
    return model.kind(layer).dense() || model.kind(layer).mixes();
  }

  private void backwardBlock(StageOps ops, int layer, Runnable attention, boolean paired) {
    if (!hasBlock(layer)) {
      return;
    }
    if (model.mixes(layer)) {
      backwardResidual(ops);
      repeatBlock(ops, layer);
      experts.orElseThrow().backward(ops, attention, paired);
      ops.module(GraphScope.MOE_ROUTER, () -> {
        model.experts().map(Experts::sharedFfn).filter(size -> size > 0)
            .ifPresent(size -> backwardDense(ops, SHARED, size));
        backwardNorm(ops);
      });
      return;
    }
    ops.module(GraphScope.MLP, () -> {
      backwardResidual(ops);
      repeatBlock(ops, layer);
      backwardDense(ops, "", model.inner());
      backwardNorm(ops);
    });
  }

  // The normalisation's result is needed by the repeated block and by the gradients of the weights.
  private void repeatBlock(StageOps ops, int layer) {
    if (execution.recomputes(RecomputedModule.LAYERNORM)) {
      ops.repeat(() -> norm(ops, "norm2", false));
    }
    if (!model.mixes(layer)) {
      if (execution.recomputes(RecomputedModule.MLP)) {
        ops.repeat(() -> dense(ops, "", model.inner()));
      }
    } else if (execution.recomputes(RecomputedModule.MOE)) {
      ops.repeat(() -> {
        experts.orElseThrow().forward(ops, () -> {}, false);
        shared(ops);
      });
    } else if (execution.recomputes(RecomputedModule.SHARED_EXPERTS)) {
      ops.repeat(() -> shared(ops));
    }
  }

  private void backwardDense(StageOps ops, String prefix, int size) {
    long inner = size / sizes.tensor();
    long up = model.activation().projections() * inner;
    backwardRow(ops, prefix + "down", inner);
    if (fused(prefix)) {
      products.fusedActivationGradients(ops, up, inner);
    } else {
      products.activationGradients(ops, sizes.tokens(), up, inner);
    }
    bias(ops, up);
    backwardColumn(ops, prefix + "up", up);
  }

  private void backwardMixer(StageOps ops, int layer) {
    if (model.kind(layer).attends()) {
      ops.module(GraphScope.ATTN, () -> backwardAttention(ops, layer));
    } else if (model.kind(layer).scans()) {
      ops.module(GraphScope.MAMBA, () -> backwardStateSpace(ops));
    }
  }

  private void backwardStateSpace(StageOps ops) {
    StateSpacePasses mixer = stateSpace.orElseThrow();
    backwardResidual(ops);
    backwardRow(ops, "out-projection", mixer.inner());
    if (execution.recomputes(RecomputedModule.LAYERNORM)) {
      ops.repeat(() -> norm(ops, "norm", false));
    }
    mixer.backward(ops);
    backwardColumn(ops, "in-projection", mixer.columns());
    backwardNorm(ops);
  }

  private void backwardAttention(StageOps ops, int layer) {
    backwardResidual(ops);
    backwardRow(ops, "projection", sizes.context());
    if (execution.recomputes(RecomputedModule.LAYERNORM)) {
      ops.repeat(() -> norm(ops, "norm", false));
    }
    if (execution.recomputes(RecomputedModule.MLA_UP_PROJ)) {
      ops.repeat(() -> latentHeads(ops, model.latent().orElseThrow()));
    }
    attention.backward(ops, layer);
    layouts.backward(ops);
    headNorm(ops, true);
    bias(ops, sizes.projected());
    LatentAttention latent = model.latent().orElse(null);
    if (latent == null) {
      backwardColumn(ops, "qkv", sizes.projected());
    } else {
      backwardLatent(ops, latent);
    }
    backwardNorm(ops);
  }

  private void backwardLatent(StageOps ops, LatentAttention latent) {
    long down = latent.keyRank() + latent.ropeSize();
    backwardExpansion(ops, "queries", sizes.heads() * latent.keySize(), latent.queryRank(), latent.queryRank());
    backwardExpansion(ops, "keys", expandedKeys(latent), latent.keyRank(), down);
    latentNorms(ops, latent, true);
    products.shareInputs(ops, "query-latent", model.hidden(), latent.queryRank());
    products.shareInputs(ops, "key-latent", model.hidden(), down);
    sum(ops);
    products.shareWeights(ops, "query-latent", latent.queryRank(), model.hidden());
    products.shareWeights(ops, "key-latent", down, model.hidden());
  }

  // Gradients of the latent vectors are summed over the ranks, with those of the keys' rotated part.
  private void backwardExpansion(StageOps ops, String name, long columns, int rank, long summed) {
    exchanges.backwardColumn(ops,
        new TensorExchanges.Bytes(sizes.gatheredBytes(rank), HALF * sizes.tokens() * summed),
        () -> products.inputs(ops, name, rank, columns),
        () -> products.weightsOfGathered(ops, name, columns, rank, rank));
  }

  // The gradient of the residual path is added to that of the block.
  private void backwardNorm(StageOps ops) {
    norm(ops, "norm", true);
    sum(ops);
  }

  private void backwardResidual(StageOps ops) {
    if (execution.dropout()) {
      ops.move("dropout", (2.0 * HALF + 1) * sizes.shared() * model.hidden());
    }
    if (model.bias()) {
      ops.move("bias", (double) HALF * sizes.shared() * model.hidden());
    }
  }

  private void bias(StageOps ops, long columns) {
    if (model.bias() && sizes.training().lora().isEmpty()) {
      ops.move("bias", (double) HALF * sizes.tokens() * columns);
    }
  }

  private void backwardRow(StageOps ops, String name, long inner) {
    exchanges.backwardRow(ops, () -> products.inputsOfGathered(ops, name, inner, model.hidden()),
        () -> products.weightsOfGathered(ops, name, model.hidden(), inner, model.hidden()));
  }

  private void backwardColumn(StageOps ops, String name, long columns) {
    exchanges.backwardColumn(ops, () -> products.inputs(ops, name, model.hidden(), columns),
        () -> products.weightsOfGathered(ops, name, columns, model.hidden(), model.hidden()));
  }
}
