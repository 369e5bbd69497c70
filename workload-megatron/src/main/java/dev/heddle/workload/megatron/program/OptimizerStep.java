package dev.heddle.workload.megatron.program;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.job.LayerShare;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.LinearFormat;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.DeepSpeed;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GraphScope;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.OptimizerKernels;
import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.RankGrid;
import dev.heddle.workload.megatron.parallel.Sharding;
import java.util.List;

/**
 * The end of an iteration: the gradients that are not reduced yet, their norm, the optimizer's update, and the gathers
 * of parameters that do not overlap the next forward pass.
 */
final class OptimizerStep {
  private static final int FULL = 4;
  /**
   * Memory traffic of Adam per parameter besides the states that it reads and writes: reads of the gradient, writes of
   * the 16-bit weight.
   */
  private static final int ADAM_BYTES = 6;
  /**
   * The same of an update by operators of PyTorch: the parameter decays (8), both moments decay and take the gradient
   * (8 and 12 each), the root of the second is divided and gets a summand (8 each), and the quotient is added (16)
   * [Composer, DecoupledAdamW.adamw].
   */
  private static final int SEPARATE_BYTES = 88;
  private static final int SEPARATE_OPERATORS = 9;
  /** Tensors of a layer with biases: four matrices and two normalisations. */
  private static final int LAYER_TENSORS = 12;
  /**
   * Views of each tensor's part, before the gradient becomes one of 32 bits by an operator of PyTorch and the parameter
   * by another one of the model's [Megatron-Core, distrib_optimizer.py: _copy_model_grads_to_main_grads,
   * _copy_main_params_to_model_params]. A view launches nothing.
   */
  private static final int VIEWS = 2;
  /** The same before a gathered parameter is quantised [Megatron-Core, param_and_grad_buffer.py: finish_param_sync]. */
  private static final int GATHERED_VIEWS = 3;

  private final Training training;
  private final ModelShape model;
  private final Parallelism parallel;
  private final Execution execution;
  private final RankGrid grid;
  private final LayerPasses layers;
  private final LayerSizes sizes;
  private final Products products;
  private final LayerShare share;
  private final GradientReduction reduction;

  OptimizerStep(Training training, RankGrid grid, LayerPasses layers, LayerShare share, GradientReduction reduction) {
    this.training = training;
    this.grid = grid;
    this.layers = layers;
    this.share = share;
    this.reduction = reduction;
    model = training.shape();
    parallel = training.parallel();
    execution = training.execution();
    sizes = layers.sizes();
    products = layers.products();
  }

  /** Whether parameters that the optimizer updated are gathered during the next forward pass. */
  static boolean gathersAhead(Training training) {
    return training.parallel().sharding().optimizer() && training.parallel().sharding() != Sharding.PARAMETERS
        && training.execution().gatherOverlap() && training.execution().gatherInIteration()
        && training.deepspeed().isEmpty()
        && !training.execution().ownsWholeMatrices();
  }

  /** Whether the step quantises the parameters that were gathered, which the first forward pass does else. */
  static boolean quantisesParameters(Execution execution) {
    return execution.precision() == LinearFormat.MXFP8 && !execution.graphs().contains(GraphScope.FULL_ITERATION);
  }

  private boolean everyPass() {
    return parallel.sharding() == Sharding.PARAMETERS;
  }

  /**
   * The operations that follow the last pass.
   *
   * @param split whether gradients of weights have passes of their own, after which all gradients are reduced
   */
  List<StageOp> plan(int stage, boolean split) {
    StageOps ops = layers.newStep();
    long dense = share.trained(stage);
    long expert = share.experts(stage);
    boolean reduced = execution.reduceOverlap() && !split || reduction.everyPass();
    if (!reduced) {
      reduction.begin(ops, GroupKind.DATA, dense);
      reduction.begin(ops, GroupKind.EXPERT_DATA, expert);
    }
    reduction.join(ops, GroupKind.DATA);
    if (expert > 0) {
      reduction.join(ops, GroupKind.EXPERT_DATA);
    }
    if (share.sharesEmbedding(stage) && training.lora().isEmpty()) {
      ops.blocking(Activity.DATA, GroupKind.EMBEDDING, CollectiveOp.ALL_REDUCE,
          sizes.words() * model.hidden() * execution.gradientBytes());
    }
    if (parallel.sequenceParallel() && training.lora().isEmpty()) {
      // Gradients of scales and biases of normalisation cover a part of the tokens on each rank.
      ops.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_REDUCE,
          (long) share.count(stage) * 4 * model.hidden() * execution.gradientBytes());
    }
    update(ops, stage);
    return ops.build();
  }

  private void update(StageOps ops, int stage) {
    long dense = share.trained(stage);
    long expert = share.experts(stage);
    boolean shared = parallel.sharding().optimizer();
    double own = (double) dense / (shared ? grid.size(GroupKind.DATA) : 1)
        + (double) expert / (shared ? grid.size(GroupKind.EXPERT_DATA) : 1);
    double kept = parallel.sharding().gradients() ? own : dense + expert;
    double tensors = tensors(stage, shared);
    ops.operators(tensors, false).launches(VIEWS * tensors, false);
    ops.move("norm", execution.gradientBytes() * own);
    if (parallel.tensor() * parallel.pipeline() > 1) {
      ops.blocking(Activity.OPTIMIZER, GroupKind.MODEL, CollectiveOp.ALL_REDUCE, FULL);
    }
    // The host reads the norm before it scales the gradients [Megatron-Core, clip_grads.py].
    ops.reach().synchronise();
    ops.move("clip", 2.0 * execution.gradientBytes() * own);
    adam(ops, stage, muon(ops, stage, own));
    ops.operators(tensors, false).launches(VIEWS * tensors, false);
    quantiseGathered(ops, stage, dense + expert);
    ops.move("zero", execution.gradientBytes() * kept);
    if (shared && !everyPass() && execution.gatherInIteration() && !gathersAhead(training)) {
      gather(ops, GroupKind.PARAMETERS, dense);
      gather(ops, GroupKind.EXPERT_DATA, expert);
    }
    layers.gathers().ifPresent(gathers -> ops.host(Activity.OPTIMIZER, share.count(stage) * gathers.copiesOfSmall()));
    if (everyPass() && training.deepspeed().isPresent()) {
      gather(ops, GroupKind.PARAMETERS, share.count(stage) * share.unshardedLayer());
    }
  }

  // Adds Muon's step for matrices, where the job has it, and returns the parameters that are left to Adam.
  private double muon(StageOps ops, int stage, double own) {
    if (!execution.ownsWholeMatrices()) {
      return own;
    }
    MuonStep muon = new MuonStep(training, grid);
    muon.add(ops, stage);
    return own * Math.max(0, 1 - (double) muon.elements(stage) / (share.trained(stage) + share.experts(stage)));
  }

  // Each rank has a piece of a layer's tensors, laid end to end, one more tensor than its share where they are divided.
  private void adam(StageOps ops, int stage, double own) {
    if (execution.optimizerKernels() == OptimizerKernels.FUSED) {
      ops.move("adam", (ADAM_BYTES + 2.0 * execution.optimizerBytes()) * own);
      return;
    }
    double pieces = share.count(stage) * (1 + (LAYER_TENSORS - 1.0) / grid.size(GroupKind.DATA));
    ops.moveByOperators("adam", SEPARATE_BYTES * own, SEPARATE_OPERATORS);
    ops.operators(SEPARATE_OPERATORS * (pieces - 1), false);
  }

  // Parameters with a scale for each block are gathered in 16 bits, into the buffer of gradients, and quantised tensor
  // by tensor, where no graph of the iteration has it in it [Megatron-Core: reuse_grad_buf_for_mxfp8_param_ag;
  // Megatron-Bridge, issue 1793].
  private void quantiseGathered(StageOps ops, int stage, long parameters) {
    if (quantisesParameters(execution)) {
      double tensors = tensors(stage, false);
      ops.modules(tensors).launches(GATHERED_VIEWS * tensors, false);
      if (tensors > 0) {
        products.quantise(ops, parameters);
      }
    }
  }

  // Tensors of which a rank's optimizer has a part, or of a rank, where it keeps one of each: those of attention, of
  // normalisation and of the dense block or the router, and both matrices of each expert and their biases.
  private double tensors(int stage, boolean shared) {
    if (everyPass() || training.deepspeed().isPresent() || !training.lora().isEmpty()) {
      return 0;
    }
    // Latent attention has two matrices each, with a norm between, for queries and for keys and values.
    int latent = model.latent().isPresent() ? 1 : 0;
    int norms = (2 + 2 * latent) * (model.normBias() ? 2 : 1) + (model.headNorm() ? 2 : 0);
    double dense = (double) share.count(stage) * (norms + (4 + 3 * latent) * (model.bias() ? 2 : 1));
    double expert = model.experts().isPresent() && share.experts(stage) > 0
        ? (model.bias() ? 4.0 : 2.0) * share.count(stage) * model.experts().get().count() / parallel.expert() : 0;
    return dense / (shared ? grid.size(GroupKind.DATA) : 1) + expert / (shared ? grid.size(GroupKind.EXPERT_DATA) : 1);
  }

  private void gather(StageOps ops, GroupKind group, long parameters) {
    if (grid.size(group) > 1 && parameters > 0) {
      long atOnce = training.deepspeed().map(DeepSpeed::allgatherBucketSize).orElse(parameters);
      for (long done = 0; done < parameters; done += atOnce) {
        ops.begin(group, CollectiveOp.ALL_GATHER, execution.parameterBytes() * Math.min(atOnce, parameters - done));
      }
      ops.join(Activity.DATA, group, 0);
    }
  }
}
