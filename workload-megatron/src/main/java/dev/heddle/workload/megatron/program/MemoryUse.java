package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.parallel.RecomputedModule.CORE_ATTN;
import static dev.heddle.workload.megatron.parallel.RecomputedModule.LAYERNORM;
import static dev.heddle.workload.megatron.parallel.RecomputedModule.MLA_UP_PROJ;
import static dev.heddle.workload.megatron.parallel.RecomputedModule.MLP;
import static dev.heddle.workload.megatron.parallel.RecomputedModule.MOE;
import static dev.heddle.workload.megatron.parallel.RecomputedModule.MOE_ACT;
import static dev.heddle.workload.megatron.parallel.RecomputedModule.SHARED_EXPERTS;

import dev.heddle.units.DataSize;
import dev.heddle.workload.megatron.job.LayerShare;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.model.Experts;
import dev.heddle.workload.megatron.model.LatentAttention;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.PipelineOrder;
import dev.heddle.workload.megatron.parallel.RankGrid;
import dev.heddle.workload.megatron.parallel.Recompute;
import dev.heddle.workload.megatron.parallel.RecomputedModule;
import dev.heddle.workload.megatron.parallel.Sharding;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * The peak memory of a rank of a stage [Korthikanti et al. §4, Rajbhandari et al. ZeRO §3], without fragmentation and
 * the buffers of libraries.
 *
 * @param parameters bytes of 16-bit parameters
 * @param gradients bytes of gradients
 * @param optimizer bytes of the optimizer's parameters and moments
 * @param gathered bytes of other ranks' parameters, gathered for the current layers
 * @param activations bytes of the activations of all micro-batches in flight
 */
public record MemoryUse(long parameters, long gradients, long optimizer, long gathered, long activations) {
  private static final int HALF = 2;
  /** Layers that are on the device though the host keeps them: one on its way, one that is computed. */
  private static final int OFFLOAD_BUFFERS = 2;

  /** The sum of all parts. */
  public long bytes() {
    return parameters + gradients + optimizer + gathered + activations;
  }

  @Override
  public String toString() {
    return gibibytes(bytes()) + " GiB: parameters " + gibibytes(parameters) + ", gradients " + gibibytes(gradients)
        + ", optimizer " + gibibytes(optimizer)
        + (gathered > 0 ? ", gathered " + gibibytes(gathered) : "") + ", activations " + gibibytes(activations);
  }

  private static String gibibytes(long bytes) {
    return String.format(Locale.ROOT, "%.1f", bytes / (double) DataSize.parse("1 GiB").bytes());
  }

  /**
   * The use of a stage's ranks.
   *
   * @param training the job
   * @param grid of its ranks
   * @param micros micro-batches of an iteration on each rank
   * @param stage from 0
   */
  public static MemoryUse of(Training training, RankGrid grid, int micros, int stage) {
    LayerShare share = new LayerShare(training);
    Sharding sharding = training.parallel().sharding();
    long experts = share.experts(stage);
    long ownExperts = experts / grid.size(GroupKind.EXPERT_DATA);
    long trained = share.trained(stage);
    long ownTrained = trained / grid.size(GroupKind.DATA) + ownExperts;
    long dense = share.dense(stage) + (training.lora().isPresent() ? trained : 0);
    return new MemoryUse(
        HALF * (sharding == Sharding.PARAMETERS ? dense / grid.size(GroupKind.DATA) + ownExperts : dense + experts),
        training.execution().gradientBytes() * (sharding.gradients() ? ownTrained : trained + experts),
        training.execution().stateBytes() * (sharding.optimizer() ? ownTrained : trained + experts),
        HALF * gathered(training, grid, share),
        activations(training, share, micros, stage));
  }

  /** Bytes of activations of each layer that the host's memory keeps, for a micro-batch; empty for none. */
  static double[] offloadedBytes(Training training) {
    Layer layer = new Layer(training);
    return IntStream.range(0, training.execution().offloadLayers()).mapToDouble(each -> layer.bytes(each, each))
        .toArray();
  }

  // FSDP keeps the parameters outside the layers, one layer and the next; DeepSpeed keeps up to its limit of live
  // parameters.
  private static long gathered(Training training, RankGrid grid, LayerShare share) {
    if (training.parallel().sharding() != Sharding.PARAMETERS || grid.size(GroupKind.PARAMETERS) == 1) {
      return 0;
    }
    int last = training.shape().layers() - 1;
    long layer = share.denseLayer(last) + share.expertLayer(last);
    long ahead = training.deepspeed().map(settings -> Math.max(
        0, Math.min(settings.prefetchBucketSize(), settings.maxLiveParameters() - layer))).orElse(layer);
    return share.embeddings(0, 0) + layer + ahead;
  }

  // Forward passes in flight at the same time, by chunk, which depend on the order of the pipeline.
  private static long activations(Training training, LayerShare share, int micros, int stage) {
    Parallelism parallel = training.parallel();
    int[] slots = PipelineSlots.of(parallel.order(), stage, parallel.pipeline(), micros, parallel.chunks());
    Layer layer = new Layer(training);
    double[] offloaded = offloadedBytes(training);
    int last = parallel.order() == PipelineOrder.ZERO_BUBBLE
        ? PipelineSlots.WEIGHTS : PipelineSlots.BACKWARD;
    double kept = OFFLOAD_BUFFERS * Arrays.stream(offloaded).max().orElse(0);
    double most = 0;
    double[] ofChunk = IntStream.range(0, parallel.chunks())
        .mapToDouble(chunk -> ofPass(layer, share, stage, chunk, offloaded.length)).toArray();
    double again = layer.again();
    for (int slot : slots) {
      double bytes = ofChunk[PipelineSlots.chunk(slot)];
      if (PipelineSlots.kind(slot) == PipelineSlots.FORWARD) {
        kept += bytes;
        most = Math.max(most, kept + again);
      } else if (PipelineSlots.kind(slot) == last) {
        kept -= bytes;
      }
    }
    return Math.round(most);
  }

  // Activations that a chunk's forward pass leaves on the device.
  private static double ofPass(Layer layer, LayerShare share, int stage, int chunk, int offloaded) {
    int[] range = share.layers(stage, chunk);
    double bytes = 0;
    for (int i = range[0] + offloaded; i < range[1]; i++) {
      bytes += layer.bytes(i, i - range[0]);
    }
    return share.predicts(stage, chunk) ? bytes + layer.logits() : bytes;
  }

  /** Activations of a layer's forward pass for one micro-batch, by the terms of Korthikanti et al. §4.1. */
  private static final class Layer {
    private final LayerSizes sizes;
    private final ModelShape model;
    private final Execution execution;
    private final double tokens;
    private final double shared;
    private final int tensor;
    private final double scores;

    Layer(Training training) {
      sizes = LayerSizes.of(training);
      model = training.shape();
      execution = training.execution();
      Parallelism parallel = training.parallel();
      tensor = parallel.tensor();
      tokens = (double) training.batch().micro() * model.sequence() / parallel.context();
      shared = parallel.sequenceParallel() ? tokens / tensor : tokens;
      scores = tokens * model.sequence() * model.heads() / tensor;
    }

    double bytes(int layer, int place) {
      if (execution.recomputesLayer(place)) {
        return HALF * shared * model.hidden();
      }
      return outside(layer, recomputes(LAYERNORM))
          + mixer(layer, recomputes(CORE_ATTN), recomputes(MLA_UP_PROJ)) + block(layer, true);
    }

    // The recomputation of one layer needs the memory of its activations in addition; that of attention's scores alone
    // is left out, as in Korthikanti et al.
    double again() {
      if (model.pattern().isPresent()) {
        return IntStream.range(0, model.layers()).mapToDouble(this::again).max().orElse(0);
      }
      return again(model.layers() - 1);
    }

    private double again(int layer) {
      double whole = outside(layer, false) + mixer(layer, recomputes(CORE_ATTN), false) + block(layer, false);
      return execution.recomputesLayer(0) ? whole
          : execution.recompute() == Recompute.SELECTIVE ? whole - bytes(layer, 0) : 0;
    }

    private boolean recomputes(RecomputedModule module) {
      return execution.recomputes(module);
    }

    // For each block the input of the normalisation, its result, which is the input of the column-parallel product, and
    // the mask of dropout.
    private double outside(int layer, boolean normsAgain) {
      int mask = execution.dropout() ? 1 : 0;
      return model.kind(layer).blocks() * ((normsAgain ? 1.0 : 2.0) * HALF + mask) * shared * model.hidden();
    }

    private double mixer(int layer, boolean coreAgain, boolean headsAgain) {
      if (model.kind(layer).scans()) {
        return new StateSpacePasses(sizes, model.stateSpace().orElseThrow()).keptBytes();
      }
      return model.kind(layer).attends() ? attention(coreAgain, headsAgain) : 0;
    }

    private double attention(boolean coreAgain, boolean headsAgain) {
      double kept = sizes.context() + (headsAgain ? 0 : sizes.projected());
      if (model.latent().isPresent()) {
        LatentAttention latent = model.latent().get();
        kept += latent.queryRank() + latent.keyRank() + latent.ropeSize();
      }
      boolean keepsScores = !execution.fusedAttention() && !coreAgain;
      return HALF * tokens * kept + (keepsScores ? (HALF + (execution.dropout() ? 1 + HALF : 0)) * scores : 0);
    }

    private double block(int layer, boolean again) {
      int matrices = model.activation().projections() + 1;
      if (!model.mixes(layer)) {
        return !model.kind(layer).dense() || again && recomputes(MLP) ? 0
            : HALF * tokens * model.inner() * matrices / tensor;
      }
      if (again && recomputes(MOE)) {
        return 0;
      }
      Experts experts = model.experts().orElseThrow();
      double routed = HALF * shared * model.expertVector() * experts.topK();
      double inner = experts.topK() * (double) experts.ffn() * (again && recomputes(MOE_ACT) ? matrices - 1 : matrices)
          + (again && recomputes(SHARED_EXPERTS) ? 0 : experts.sharedFfn() * (double) matrices);
      return routed + HALF * tokens * inner / tensor;
    }

    // Kept in 32 bits for the loss.
    double logits() {
      return 2.0 * HALF * tokens * model.vocabulary() / tensor;
    }
  }
}
