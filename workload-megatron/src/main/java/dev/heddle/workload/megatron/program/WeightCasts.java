package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import dev.heddle.workload.megatron.job.LayerShare;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.kernel.LinearFormat;
import dev.heddle.workload.megatron.model.Experts;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.Execution;

/**
 * Casts of the weights of linear layers to 8 or 4 bits, in the layouts that the products of an iteration read. They are
 * made in the forward pass of the first micro-batch and kept for the others [Transformer Engine, get_weight_workspace:
 * update_workspace = is_first_microbatch]; where parameters are shared and gathered anew, in each. Where the optimizer
 * quantised the parameters, only the other layout is left to make.
 */
final class WeightCasts {
  /** Matrices of a layer's attention and dense block. */
  private static final int MATRICES = 4;
  /** Further matrices of latent attention. */
  private static final int LATENT_MATRICES = 3;
  /** Matrices of an expert. */
  private static final int EXPERT_MATRICES = 2;

  private final LayerSizes sizes;
  private final LayerShare share;
  private final ModelShape model;
  private final Execution execution;
  private final double elementBytes;

  WeightCasts(LayerSizes sizes, LayerShare share) {
    this.sizes = sizes;
    this.share = share;
    model = sizes.model();
    execution = sizes.execution();
    elementBytes = elementBytes();
  }

  private double elementBytes() {
    LinearFormat format = execution.precision();
    boolean quantised = OptimizerStep.quantisesParameters(execution) && sizes.training().lora().isEmpty()
        && !sizes.training().shardedByPyTorch();
    if (!format.quantised() || quantised || !execution.weightCasts()) {
      return 0;
    }
    boolean both = sizes.readsBothLayouts();
    if (execution.parameterBytes() == 1) {
      return both ? 2 * format.number().activationBytes() : 0;
    }
    return format.quantisedBytes(both ? 2 : 1) + (format == LinearFormat.FP8_CURRENT ? HALF : 0);
  }

  /** Adds the casts of a layer's weights. */
  void add(StageOps ops, int layer) {
    cast(ops, share.denseLayer(layer), MATRICES + (model.latent().isPresent() ? LATENT_MATRICES : 0));
    if (share.expertLayer(layer) > 0) {
      int local = model.experts().map(Experts::count).orElse(0) / sizes.parallel().expert();
      cast(ops, share.expertLayer(layer), EXPERT_MATRICES * local);
    }
  }

  private void cast(StageOps ops, long weights, int matrices) {
    if (elementBytes > 0) {
      ops.operate(new Kernel.Cast("weights", elementBytes * weights / matrices), matrices);
    }
  }
}
