package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import com.google.common.collect.Lists;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.workload.megatron.job.LayerShare;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.kernel.KernelTimes;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.Accumulation;
import dev.heddle.workload.megatron.parallel.CrossEntropy;
import dev.heddle.workload.megatron.parallel.DeepSpeed;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.PipelineOrder;
import dev.heddle.workload.megatron.parallel.RankGrid;
import dev.heddle.workload.megatron.parallel.Sharding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/** Plans what each stage of a training job does. */
public final class StagePlanner {
  private static final int FULL = 4;
  /** Reads of gradient, master weight and two moments, writes of the last three and of the 16-bit weight. */
  private static final int ADAM_BYTES = 30;

  private final Training training;
  private final ModelShape model;
  private final Parallelism parallel;
  private final Execution execution;
  private final RankGrid grid;
  private final LayerPasses layers;
  private final LayerSizes sizes;
  private final Products products;
  private final LayerShare share;
  private final Contention contention;
  private final int micros;

  /**
   * Plans a job.
   *
   * @param training the job
   * @param grid of its ranks
   * @param times of the accelerator's kernels
   * @param contention of computation with the collectives beside it
   * @throws InvalidSettingException when batch and ranks do not fit
   */
  StagePlanner(Training training, RankGrid grid, KernelTimes times, Contention contention) {
    this.training = training;
    this.grid = grid;
    this.contention = contention;
    model = training.shape();
    parallel = training.parallel();
    execution = training.execution();
    layers = new LayerPasses(training, times, grid);
    sizes = layers.sizes();
    products = layers.products();
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
    long global = training.batch().sequences(grid.data());
    if (global % atOnce != 0) {
      throw new InvalidSettingException("batch.global", global + " sequences are no multiple of "
          + training.batch().micro() + " of a micro-batch x " + grid.data() + " data-parallel ranks = " + atOnce);
    }
    int micros = Math.toIntExact(global / atOnce);
    if (training.parallel().chunks() > 1 && micros < training.parallel().pipeline()) {
      throw new InvalidSettingException("batch.global", micros + " micro-batches are fewer than the "
          + training.parallel().pipeline() + " stages; interleaving needs at least as many");
    }
    return micros;
  }

  /** Micro-batches of an iteration on each rank. */
  public int micros() {
    return micros;
  }

  /** The operations of the ranks of a stage. */
  StagePlan plan(int stage) {
    boolean split = parallel.order() == PipelineOrder.ZERO_BUBBLE;
    StageOps.Part part = split ? StageOps.Part.INPUTS : StageOps.Part.ALL;
    boolean pairs = execution.expertOverlap() && !split;
    Optional<AlignedGathers> aligned = aligned(stage);
    StagePlan.Passes forward = new StagePlan.Passes(
        perChunk(chunk -> forward(stage, chunk, false, false)), perChunk(chunk -> firstForward(stage, chunk, aligned)),
        perChunk(chunk -> forward(stage, chunk, false, pairs)));
    StagePlan.Passes backward = new StagePlan.Passes(
        perChunk(chunk -> backward(stage, chunk, part, false, false)),
        perChunk(chunk -> backward(stage, chunk, part, !split, false)),
        perChunk(chunk -> backward(stage, chunk, part, false, pairs)));
    List<List<StageOp>> weights = perChunk(
        chunk -> split ? backward(stage, chunk, StageOps.Part.WEIGHTS, false, false) : List.of());
    int[] slots = PipelineSlots.of(parallel.order(), stage, parallel.pipeline(), micros, parallel.chunks());
    Map<Integer, List<StageOp>> launches =
        aligned.map(gathers -> gathers.launches(slots, stage, parallel.pipeline())).orElse(Map.of());
    return new StagePlan(slots, launches, forward, backward, weights, end(stage, split));
  }

  private List<List<StageOp>> perChunk(IntFunction<List<StageOp>> pass) {
    return IntStream.range(0, parallel.chunks()).mapToObj(pass).toList();
  }

  // --- passes ---

  // Gathers that all stages of a pipeline begin together; a single stage gathers each bucket one ahead of its use.
  private Optional<AlignedGathers> aligned(int stage) {
    if (!gathersAhead() || !execution.gatherAligned() || parallel.pipeline() == 1) {
      return Optional.empty();
    }
    List<List<Long>> dense = new ArrayList<>();
    List<Long> experts = new ArrayList<>();
    for (int chunk = 0; chunk < parallel.chunks(); chunk++) {
      int[] range = share.layers(stage, chunk);
      long parameters = share.ends(stage, chunk) + perLayer(range, share::denseLayer).stream().mapToLong(i -> i).sum();
      dense.add(grid.size(GroupKind.PARAMETERS) == 1 ? List.of() : List.of(parameters));
      experts.add(grid.size(GroupKind.EXPERT_DATA) == 1 ? 0
          : perLayer(range, share::expertLayer).stream().mapToLong(i -> i).sum()
              + share.predictionExperts(stage, chunk));
    }
    return Optional.of(new AlignedGathers(dense, experts));
  }

  private List<StageOp> firstForward(int stage, int chunk, Optional<AlignedGathers> aligned) {
    if (aligned.isEmpty()) {
      return forward(stage, chunk, true, false);
    }
    StageOps pieces = layers.pieces();
    aligned.get().awaitBucket(pieces, chunk, 0);
    aligned.get().awaitExperts(pieces, chunk);
    return pieces.all(forward(stage, chunk, false, false)).list();
  }

  private List<StageOp> forward(int stage, int chunk, boolean first, boolean paired) {
    StageOps pieces = layers.pieces();
    boolean gathers = everyPass() || first && gathersAhead();
    int[] range = share.layers(stage, chunk);
    boolean embeds = share.embeds(stage, chunk);
    ParameterGathers gathering = gathering(pieces, gathers, stage, chunk);
    ParameterGathers expertGathering = new ParameterGathers(
        pieces, GroupKind.EXPERT_DATA, expertsGatheredApart(first)
            ? perLayer(range, share::expertLayer) : List.of(),
        Optional.empty(), contention);
    if (embeds) {
      gathering.need(0);
      embeddingForward(pieces);
    } else {
      complete(pieces);
    }
    for (int layer = range[0]; layer < range[1]; layer++) {
      gathering.need(layer - range[0] + (embeds ? 1 : 0));
      expertGathering.need(layer - range[0]);
      pieces.all(layers.forward(layer, paired));
    }
    if (share.predicts(stage, chunk)) {
      if (!embeds) {
        gathering.need(range[1] - range[0]);
      }
      lossForward(pieces);
      for (int module = 0; module < model.predictionLayers(); module++) {
        products.run(pieces, "prediction", model.hidden() / parallel.tensor(), 2L * model.hidden());
        pieces.all(layers.forward(model.layers() - 1, paired));
        lossForward(pieces);
      }
    }
    return pieces.list();
  }

  // Parameters are gathered for every pass, and gradients of shared parameters leave with it.
  private boolean everyPass() {
    return parallel.sharding() == Sharding.PARAMETERS;
  }

  // Parameters that the last optimizer's step changed are gathered as the first pass needs them.
  private boolean gathersAhead() {
    return parallel.sharding().optimizer() && !everyPass() && execution.gatherOverlap()
        && training.deepspeed().isEmpty();
  }

  // What lies outside the layers is gathered once and stays until the backward pass is done.
  private ParameterGathers gathering(StageOps pieces, boolean gathers, int stage, int chunk) {
    if (!gathers || grid.size(GroupKind.PARAMETERS) == 1) {
      return new ParameterGathers(pieces, GroupKind.PARAMETERS, List.of(), training.deepspeed(), contention);
    }
    List<Long> units = new ArrayList<>(perLayer(share.layers(stage, chunk), this::gathered));
    if (share.embeds(stage, chunk)) {
      units.add(0, share.ends(stage, chunk));
    } else if (share.predicts(stage, chunk)) {
      units.add(share.ends(stage, chunk));
    }
    return new ParameterGathers(pieces, GroupKind.PARAMETERS, units, training.deepspeed(), contention);
  }

  private long gathered(int layer) {
    return everyPass()
        ? share.denseLayer(layer) + (parallel.expert() == 1 ? share.expertLayer(layer) : 0) - share.wholeLayer()
        : share.denseLayer(layer);
  }

  // Experts that ranks divide are shared by fewer ranks than the rest, in a communicator of their own.
  private boolean expertsGatheredApart(boolean first) {
    return grid.size(GroupKind.EXPERT_DATA) > 1
        && (first && gathersAhead() || everyPass() && parallel.expert() > 1);
  }

  private static List<Long> perLayer(int[] range, IntToLongFunction parameters) {
    return IntStream.range(range[0], range[1]).mapToLong(parameters::applyAsLong).boxed().toList();
  }

  private List<StageOp> backward(int stage, int chunk, StageOps.Part part, boolean last, boolean paired) {
    StageOps pieces = layers.pieces();
    boolean reduces = grid.size(GroupKind.DATA) > 1 && (reducesEveryPass() || last && execution.reduceOverlap());
    if (share.predicts(stage, chunk)) {
      for (int module = 0; module < model.predictionLayers(); module++) {
        lossBackward(pieces.only(part));
        pieces.only(StageOps.Part.ALL).all(layers.backward(model.layers() - 1, part, paired));
        products.inputs(pieces.only(part), "prediction", 2L * model.hidden(), model.hidden() / parallel.tensor());
        products.weights(pieces, "prediction", model.hidden() / parallel.tensor(), 2L * model.hidden());
      }
      lossBackward(pieces.only(part));
      pieces.only(StageOps.Part.ALL);
    } else if (part != StageOps.Part.WEIGHTS) {
      complete(pieces);
    }
    int[] range = share.layers(stage, chunk);
    List<Long> units = everyPass() && grid.size(GroupKind.PARAMETERS) > 1
        ? Lists.reverse(perLayer(range, this::gathered)) : List.of();
    ParameterGathers gathering =
        new ParameterGathers(pieces, GroupKind.PARAMETERS, units, training.deepspeed(), contention);
    ParameterGathers expertGathering = new ParameterGathers(
        pieces, GroupKind.EXPERT_DATA,
        expertsGatheredApart(false) ? Lists.reverse(perLayer(range, share::expertLayer)) : List.of(), Optional.empty(),
        contention);
    long waiting = 0;
    for (int layer = range[1] - 1; layer >= range[0]; layer--) {
      gathering.need(range[1] - 1 - layer);
      expertGathering.need(range[1] - 1 - layer);
      pieces.all(layers.backward(layer, part, paired));
      waiting += share.denseLayer(layer);
      if (reduces && (waiting >= bucket() || layer == range[0])) {
        reduceBeside(pieces, GroupKind.DATA, waiting);
        waiting = 0;
      }
      if (reduces && share.expertLayer(layer) > 0 && grid.size(GroupKind.EXPERT_DATA) > 1) {
        reduceBeside(pieces, GroupKind.EXPERT_DATA, share.expertLayer(layer));
      }
    }
    if (reduces && share.predictionExperts(stage, chunk) > 0 && grid.size(GroupKind.EXPERT_DATA) > 1) {
      reduceBeside(pieces, GroupKind.EXPERT_DATA, share.predictionExperts(stage, chunk));
    }
    if (share.embeds(stage, chunk) && part != StageOps.Part.WEIGHTS) {
      embeddingBackward(pieces);
    }
    if (reduces && share.ends(stage, chunk) > 0) {
      reduce(pieces, share.ends(stage, chunk));
    }
    return pieces.list();
  }

  private boolean reducesEveryPass() {
    return everyPass() || parallel.sharding().gradients() && training.deepspeed().isPresent();
  }

  // FSDP reduces a layer's gradients as soon as they are there.
  private long bucket() {
    return training.deepspeed().map(DeepSpeed::reduceBucketSize)
        .orElse(everyPass() ? 0 : execution.bucketParameters());
  }

  // Of a message that came in shares, every tensor-parallel rank needs the whole.
  private void complete(StageOps pieces) {
    if (parallel.tensor() > 1 && !parallel.sequenceParallel() && execution.scatterMessages()) {
      pieces.blocking(Activity.PIPELINE, GroupKind.TENSOR, CollectiveOp.ALL_GATHER, sizes.hiddenBytes());
    }
  }

  /** Bytes that a rank passes on to another stage. */
  public long messageBytes() {
    boolean shares = parallel.sequenceParallel() || execution.scatterMessages();
    return sizes.hiddenBytes() / (shares ? parallel.tensor() : 1);
  }

  private void reduce(StageOps pieces, long parameters) {
    pieces.begin(GroupKind.DATA, gradientOp(), parameters * execution.gradientBytes());
  }

  private void reduceBeside(StageOps pieces, GroupKind group, long parameters) {
    long bytes = parameters * execution.gradientBytes();
    pieces.begin(group, gradientOp(), bytes);
    int passes = gradientOp() == CollectiveOp.ALL_REDUCE ? 2 : 1;
    contention.lose(pieces, group, passes * bytes);
  }

  private CollectiveOp gradientOp() {
    return parallel.sharding().optimizer() ? CollectiveOp.REDUCE_SCATTER : CollectiveOp.ALL_REDUCE;
  }

  // --- embedding and prediction ---

  private void embeddingForward(StageOps pieces) {
    pieces.move("embedding", 4.0 * HALF * sizes.tokens() * model.hidden());
    if (parallel.tensor() > 1) {
      pieces.blocking(Activity.TENSOR, GroupKind.TENSOR,
          parallel.sequenceParallel() ? CollectiveOp.REDUCE_SCATTER : CollectiveOp.ALL_REDUCE, sizes.hiddenBytes());
    }
  }

  // The gradient of the whole matrix is zeroed before those of the tokens are added, and then added up itself.
  private void embeddingBackward(StageOps pieces) {
    pieces.move("embedding", 3.0 * HALF * sizes.shared() * model.hidden());
    double gradients = (double) words() * model.hidden();
    pieces.move("embedding-zeros", HALF * gradients);
    if (execution.accumulation() == Accumulation.PRODUCT) {
      pieces.move("embedding-accumulation", (HALF + 2.0 * execution.gradientBytes()) * gradients);
    } else {
      products.accumulate(pieces, "embedding", gradients);
    }
  }

  private long words() {
    return (model.vocabulary() + parallel.tensor() - 1) / parallel.tensor();
  }

  private void lossForward(StageOps pieces) {
    layers.norm(pieces, "norm", false);
    if (parallel.sequenceParallel()) {
      pieces.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_GATHER, sizes.hiddenBytes());
    }
    pieces.run(new Kernel.Gemm("logits", 1, sizes.tokens(), words(), model.hidden(),
        sizes.unquantised(), HALF));
    loss(pieces, false);
    for (int i = 0; i < 3 && parallel.tensor() > 1; i++) {
      pieces.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_REDUCE, FULL * sizes.tokens());
    }
  }

  private void loss(StageOps pieces, boolean backward) {
    CrossEntropy loss = execution.crossEntropy();
    pieces.move("loss", (double) loss.bytes(backward) * sizes.tokens() * words(), loss.kernels(backward));
  }

  private void lossBackward(StageOps pieces) {
    loss(pieces, true);
    pieces.run(new Kernel.Gemm(
        "logits-inputs", 1, sizes.tokens(), model.hidden(), words(), sizes.unquantised(), HALF));
    pieces.weight(new Kernel.Gemm("logits-weights", 1, words(), model.hidden(), sizes.tokens(), sizes.unquantised(),
        products.weightBytes()));
    products.accumulate(pieces, "logits-weights", (double) words() * model.hidden());
    if (parallel.tensor() > 1) {
      pieces.blocking(Activity.TENSOR, GroupKind.TENSOR,
          parallel.sequenceParallel() ? CollectiveOp.REDUCE_SCATTER : CollectiveOp.ALL_REDUCE, sizes.hiddenBytes());
    }
    layers.norm(pieces, "norm", true);
  }

  // --- the end of an iteration ---

  private List<StageOp> end(int stage, boolean split) {
    StageOps pieces = layers.pieces().count(Activity.OPTIMIZER);
    long dense = share.dense(stage);
    long expert = share.experts(stage);
    boolean reduced = execution.reduceOverlap() && !split || reducesEveryPass();
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
    update(pieces, stage);
    return pieces.list();
  }

  private void update(StageOps pieces, int stage) {
    long dense = share.dense(stage);
    long expert = share.experts(stage);
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
    if (shared && !everyPass() && !gathersAhead()) {
      gather(pieces, GroupKind.PARAMETERS, dense);
      gather(pieces, GroupKind.EXPERT_DATA, expert);
    }
    if (everyPass() && training.deepspeed().isPresent()) {
      gather(pieces, GroupKind.PARAMETERS, share.count(stage) * share.wholeLayer());
    }
  }

  private void gather(StageOps pieces, GroupKind group, long parameters) {
    if (grid.size(group) > 1 && parameters > 0) {
      long atOnce = training.deepspeed().map(DeepSpeed::allgatherBucketSize).orElse(parameters);
      for (long done = 0; done < parameters; done += atOnce) {
        pieces.begin(group, CollectiveOp.ALL_GATHER, HALF * Math.min(atOnce, parameters - done));
      }
      pieces.join(Activity.DATA, group, 0);
    }
  }
}
