package dev.heddle.workload.megatron.program;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Precision;
import dev.heddle.workload.megatron.job.LayerShare;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.kernel.KernelTimes;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.Accumulation;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.PipelineOrder;
import dev.heddle.workload.megatron.parallel.RankGrid;
import dev.heddle.workload.megatron.parallel.Sharding;
import java.util.ArrayList;
import java.util.List;

/** Plans what each stage of a training job does. */
public final class StagePlanner {
  private static final int HALF = 2;
  private static final int FULL = 4;
  /** Reads of gradient, master weight and two moments, writes of the last three and of the 16-bit weight. */
  private static final int ADAM_BYTES = 30;

  private final Training training;
  private final ModelShape model;
  private final Parallelism parallel;
  private final Execution execution;
  private final RankGrid grid;
  private final LayerPasses layers;
  private final LayerShare share;
  private final int micros;

  /**
   * Plans a job.
   *
   * @param training the job
   * @param grid of its ranks
   * @param times of the accelerator's kernels
   * @throws InvalidSettingException when batch and ranks do not fit
   */
  public StagePlanner(Training training, RankGrid grid, KernelTimes times) {
    this.training = training;
    this.grid = grid;
    model = training.shape();
    parallel = training.parallel();
    execution = training.execution();
    layers = new LayerPasses(training, times);
    share = new LayerShare(training);
    micros = micros(training, grid);
  }

  /**
   * Micro-batches of an iteration on each rank.
   *
   * @throws InvalidSettingException when the global batch is no multiple of what all ranks compute at once
   */
  public static int micros(Training training, RankGrid grid) {
    int atOnce = training.batch().micro() * grid.data();
    int global = training.batch().global();
    if (global % atOnce != 0) {
      throw new InvalidSettingException("batch.global", global + " sequences are no multiple of "
          + training.batch().micro() + " of a micro-batch x " + grid.data() + " data-parallel ranks = " + atOnce);
    }
    int micros = global / atOnce;
    if (training.parallel().chunks() > 1 && micros % training.parallel().pipeline() != 0) {
      throw new InvalidSettingException("batch.global", micros + " micro-batches are no multiple of the "
          + training.parallel().pipeline() + " stages, as interleaving needs");
    }
    return micros;
  }

  /** Micro-batches of an iteration on each rank. */
  public int micros() {
    return micros;
  }

  /** What the ranks of a stage do. */
  StagePlan plan(int stage) {
    List<List<Piece>> forward = new ArrayList<>();
    List<List<Piece>> first = new ArrayList<>();
    List<List<Piece>> backward = new ArrayList<>();
    List<List<Piece>> last = new ArrayList<>();
    List<List<Piece>> weights = new ArrayList<>();
    boolean split = parallel.order() == PipelineOrder.ZERO_BUBBLE;
    Pieces.Part part = split ? Pieces.Part.INPUTS : Pieces.Part.ALL;
    for (int chunk = 0; chunk < parallel.chunks(); chunk++) {
      forward.add(forward(stage, chunk, false));
      first.add(forward(stage, chunk, true));
      backward.add(backward(stage, chunk, part, false));
      last.add(backward(stage, chunk, part, !split));
      weights.add(split ? backward(stage, chunk, Pieces.Part.WEIGHTS, false) : List.of());
    }
    int[] slots = PipelineSlots.of(parallel.order(), stage, parallel.pipeline(), micros, parallel.chunks());
    return new StagePlan(slots, forward, first, backward, last, weights, end(stage, split));
  }

  // --- passes ---

  private List<Piece> forward(int stage, int chunk, boolean first) {
    Pieces pieces = layers.pieces();
    boolean whenever = parallel.sharding() == Sharding.PARAMETERS;
    boolean gathers = grid.size(GroupKind.PARAMETERS) > 1
        && (whenever || first && parallel.sharding().optimizer() && execution.gatherOverlap());
    int[] range = share.layers(stage, chunk);
    Gathering gathering = new Gathering(pieces, gathers, bucketed(range, whenever));
    if (share.embeds(stage, chunk)) {
      embed(pieces);
    } else {
      complete(pieces);
    }
    for (int layer = range[0]; layer < range[1]; layer++) {
      gathering.need(layer);
      pieces.all(layers.forward(layer));
    }
    if (share.predicts(stage, chunk)) {
      predict(pieces);
    }
    return pieces.list();
  }

  private List<Piece> backward(int stage, int chunk, Pieces.Part part, boolean last) {
    Pieces pieces = layers.pieces();
    boolean whenever = parallel.sharding() == Sharding.PARAMETERS;
    boolean reduces = grid.size(GroupKind.DATA) > 1
        && (parallel.sharding().gradients() && whenever || last && execution.reduceOverlap());
    if (share.predicts(stage, chunk)) {
      unpredict(pieces.only(part));
      pieces.only(Pieces.Part.ALL);
    } else if (part != Pieces.Part.WEIGHTS) {
      complete(pieces);
    }
    int[] range = share.layers(stage, chunk);
    long[] reversed = reversed(bucketed(range, whenever));
    Gathering gathering = new Gathering(pieces, whenever && grid.size(GroupKind.PARAMETERS) > 1, reversed);
    long waiting = 0;
    for (int layer = range[1] - 1; layer >= range[0]; layer--) {
      gathering.need(range[0] + range[1] - 1 - layer);
      pieces.all(layers.backward(layer, part));
      waiting += share.denseLayer(layer);
      if (reduces && (whenever || waiting >= execution.bucketParameters() || layer == range[0])) {
        reduce(pieces, waiting);
        waiting = 0;
      }
      if (reduces && share.expertLayer(layer) > 0 && grid.size(GroupKind.EXPERT_DATA) > 1) {
        pieces.begin(
            GroupKind.EXPERT_DATA, gradientOp(), share.expertLayer(layer) * execution.gradientBytes());
      }
    }
    if (share.embeds(stage, chunk) && part != Pieces.Part.WEIGHTS) {
      unembed(pieces);
    }
    if (reduces && share.ends(stage, chunk) > 0) {
      reduce(pieces, share.ends(stage, chunk));
    }
    return pieces.list();
  }

  // Of a message that came in shares, every tensor-parallel rank needs the whole.
  private void complete(Pieces pieces) {
    if (parallel.tensor() > 1 && !parallel.sequenceParallel() && execution.scatterMessages()) {
      pieces.blocking(Activity.PIPELINE, GroupKind.TENSOR, CollectiveOp.ALL_GATHER, layers.hiddenBytes());
    }
  }

  /** Bytes that a rank passes on to another stage. */
  public long messageBytes() {
    boolean shares = parallel.sequenceParallel() || execution.scatterMessages();
    return layers.hiddenBytes() / (shares ? parallel.tensor() : 1);
  }

  private void reduce(Pieces pieces, long parameters) {
    pieces.begin(GroupKind.DATA, gradientOp(), parameters * execution.gradientBytes());
  }

  private CollectiveOp gradientOp() {
    return parallel.sharding().optimizer() ? CollectiveOp.REDUCE_SCATTER : CollectiveOp.ALL_REDUCE;
  }

  private long[] bucketed(int[] range, boolean whenever) {
    long[] bytes = new long[range[1] - range[0]];
    for (int layer = range[0]; layer < range[1]; layer++) {
      bytes[layer - range[0]] = HALF * (share.denseLayer(layer) + (whenever ? share.expertLayer(layer) : 0));
    }
    return bytes;
  }

  private static long[] reversed(long[] values) {
    long[] reversed = new long[values.length];
    for (int i = 0; i < values.length; i++) {
      reversed[i] = values[values.length - 1 - i];
    }
    return reversed;
  }

  /** Gathers the parameters of each layer while the layer before it runs. */
  private static final class Gathering {
    private final Pieces pieces;
    private final boolean gathers;
    private final long[] bytes;
    private int begun;
    private int first = -1;

    Gathering(Pieces pieces, boolean gathers, long[] bytes) {
      this.pieces = pieces;
      this.gathers = gathers;
      this.bytes = bytes;
    }

    void need(int layer) {
      if (!gathers) {
        return;
      }
      if (first < 0) {
        first = layer;
      }
      int index = layer - first;
      while (begun < Math.min(bytes.length, index + 2)) {
        pieces.begin(GroupKind.PARAMETERS, CollectiveOp.ALL_GATHER, bytes[begun]);
        begun++;
      }
      pieces.join(Activity.DATA, GroupKind.PARAMETERS, begun - 1 - index);
    }
  }

  // --- embedding and prediction ---

  private void embed(Pieces pieces) {
    pieces.move("embedding", 4.0 * HALF * layers.tokens() * model.hidden());
    if (parallel.tensor() > 1) {
      pieces.blocking(Activity.TENSOR, GroupKind.TENSOR,
          parallel.sequenceParallel() ? CollectiveOp.REDUCE_SCATTER : CollectiveOp.ALL_REDUCE, layers.hiddenBytes());
    }
  }

  // The gradient of the whole matrix is zeroed before those of the tokens are added, and then added up itself.
  private void unembed(Pieces pieces) {
    pieces.move("embedding", 3.0 * HALF * layers.shared() * model.hidden());
    double gradients = (double) words() * model.hidden();
    pieces.move("embedding-zeros", HALF * gradients);
    if (execution.accumulation() == Accumulation.PRODUCT) {
      pieces.move("embedding-accumulation", (HALF + 2.0 * execution.gradientBytes()) * gradients);
    } else {
      layers.accumulate(pieces, "embedding", gradients);
    }
  }

  private long words() {
    return (model.vocabulary() + parallel.tensor() - 1) / parallel.tensor();
  }

  private void predict(Pieces pieces) {
    pieces.move("norm", 2.0 * HALF * layers.shared() * model.hidden());
    if (parallel.sequenceParallel()) {
      pieces.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_GATHER, layers.hiddenBytes());
    }
    pieces.run(new Kernel.Gemm("logits", 1, layers.tokens(), words(), model.hidden(),
        unquantised(), HALF));
    // Converted to 32 bits, their maximum, their exponentials, the sum of those, the quotient.
    double logits = (double) layers.tokens() * words();
    pieces.move("loss", (HALF + 5.0 * FULL) * logits, 4);
    for (int i = 0; i < 3 && parallel.tensor() > 1; i++) {
      pieces.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_REDUCE, FULL * layers.tokens());
    }
  }

  private Precision unquantised() {
    return execution.precision() == Precision.FP8 ? Precision.BF16 : execution.precision();
  }

  private void unpredict(Pieces pieces) {
    double logits = (double) layers.tokens() * words();
    pieces.move("loss", (2.0 * FULL + HALF) * logits, 2);
    pieces.run(new Kernel.Gemm("logits-inputs", 1, layers.tokens(), model.hidden(), words(), unquantised(), HALF));
    pieces.weight(new Kernel.Gemm(
        "logits-weights", 1, words(), model.hidden(), layers.tokens(), unquantised(), layers.weightBytes()));
    layers.accumulate(pieces, "logits-weights", (double) words() * model.hidden());
    if (parallel.tensor() > 1) {
      pieces.blocking(Activity.TENSOR, GroupKind.TENSOR,
          parallel.sequenceParallel() ? CollectiveOp.REDUCE_SCATTER : CollectiveOp.ALL_REDUCE, layers.hiddenBytes());
    }
    pieces.move("norm", 4.0 * HALF * layers.shared() * model.hidden());
  }

  // --- the end of an iteration ---

  private List<Piece> end(int stage, boolean split) {
    Pieces pieces = layers.pieces().count(Activity.OPTIMIZER);
    long dense = share.dense(stage);
    long expert = share.experts(stage);
    boolean reduced = execution.reduceOverlap() && !split || parallel.sharding() == Sharding.PARAMETERS;
    if (grid.size(GroupKind.DATA) > 1) {
      if (!reduced) {
        reduce(pieces, dense);
      }
      pieces.join(Activity.DATA, GroupKind.DATA, 0);
    }
    if (grid.size(GroupKind.EXPERT_DATA) > 1 && expert > 0) {
      if (!reduced) {
        pieces.begin(GroupKind.EXPERT_DATA, gradientOp(), expert * execution.gradientBytes());
      }
      pieces.join(Activity.DATA, GroupKind.EXPERT_DATA, 0);
    }
    if (share.sharesEmbedding(stage)) {
      pieces.blocking(Activity.DATA, GroupKind.EMBEDDING, CollectiveOp.ALL_REDUCE,
          words() * model.hidden() * execution.gradientBytes());
    }
    if (parallel.sequenceParallel()) {
      // Scales and biases of normalisation saw only a part of the tokens each.
      pieces.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_REDUCE,
          (long) share.count(stage) * 4 * model.hidden() * execution.gradientBytes());
    }
    update(pieces, dense, expert);
    return pieces.list();
  }

  private void update(Pieces pieces, long dense, long expert) {
    boolean shared = parallel.sharding().optimizer();
    double own = (double) dense / (shared ? grid.size(GroupKind.DATA) : 1)
        + (double) expert / (shared ? grid.size(GroupKind.EXPERT_DATA) : 1);
    double kept = parallel.sharding().gradients() ? own : dense + expert;
    pieces.move("norm", execution.gradientBytes() * own);
    if (parallel.tensor() * parallel.pipeline() > 1) {
      pieces.blocking(Activity.OPTIMIZER, GroupKind.MODEL, CollectiveOp.ALL_REDUCE, FULL);
    }
    pieces.move("clip", 2.0 * execution.gradientBytes() * own);
    pieces.move("adam", ADAM_BYTES * own);
    pieces.move("zero", execution.gradientBytes() * kept);
    if (shared && parallel.sharding() != Sharding.PARAMETERS && !execution.gatherOverlap()) {
      gather(pieces, GroupKind.PARAMETERS, dense);
      gather(pieces, GroupKind.EXPERT_DATA, expert);
    }
  }

  private void gather(Pieces pieces, GroupKind group, long parameters) {
    if (grid.size(group) > 1 && parameters > 0) {
      pieces.begin(group, CollectiveOp.ALL_GATHER, HALF * parameters);
      pieces.join(Activity.DATA, group, 0);
    }
  }
}
