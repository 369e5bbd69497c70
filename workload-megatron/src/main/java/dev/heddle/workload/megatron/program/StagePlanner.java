package dev.heddle.workload.megatron.program;

import static dev.heddle.workload.megatron.program.LayerSizes.HALF;

import com.google.common.collect.Lists;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.workload.megatron.job.LayerShare;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.KernelTimes;
import dev.heddle.workload.megatron.kernel.LinearFormat;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.Accumulation;
import dev.heddle.workload.megatron.parallel.CrossEntropy;
import dev.heddle.workload.megatron.parallel.DeepSpeed;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GraphScope;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.PipelineOrder;
import dev.heddle.workload.megatron.parallel.RankGrid;
import dev.heddle.workload.megatron.parallel.Sharding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/** Planner of the operations of each stage of a training job. */
public final class StagePlanner {
  private static final int FULL = 4;
  /**
   * Memory traffic of Adam per parameter besides the states that it reads and writes: reads of the gradient, writes of
   * the 16-bit weight.
   */
  private static final int ADAM_BYTES = 6;
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
  private final Contention contention;
  private final GradientReductions gradients;
  private final ActivationOffload offload;
  private final int micros;

  /**
   * Plans a job.
   *
   * @param training the job
   * @param grid of its ranks
   * @param times of the accelerator's kernels
   * @param contention of computation with concurrent collectives
   * @param nodeSize accelerators of a node
   * @param host the host's part
   * @throws InvalidSettingException when batch and ranks do not fit
   */
  StagePlanner(Training training, RankGrid grid, KernelTimes times, Contention contention, int nodeSize,
      HostWork host) {
    this.training = training;
    this.grid = grid;
    this.contention = contention;
    model = training.shape();
    parallel = training.parallel();
    execution = training.execution();
    layers = new LayerPasses(training, times, grid, nodeSize, host.kernelSeconds());
    sizes = layers.sizes();
    products = layers.products();
    share = new LayerShare(training);
    offload = new ActivationOffload(MemoryUse.offloadedBytes(training), model.layers(), host.copies());
    gradients = new GradientReductions(training, grid, contention);
    micros = micros(training, grid);
  }

  /**
   * Micro-batches of an iteration on each rank.
   *
   * @throws InvalidSettingException when the global batch is no multiple of one micro-batch of all data-parallel ranks
   */
  public static int micros(Training training, RankGrid grid) {
    int atOnce = training.batch().micro() * grid.data();
    long global = training.batch().sequences(grid.data());
    if (global % atOnce != 0) {
      throw new InvalidSettingException("batch.global", global + " sequences are no multiple of "
          + training.batch().micro() + " of a micro-batch x " + grid.data() + " data-parallel ranks = " + atOnce
          + "; the next multiple is " + (global / atOnce + 1) * atOnce);
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
    return new StagePlan(slots, launches, forward, backward, weights, end(stage, split), Map.of(), Set.of(),
        List.of())
        .withBegins(micros);
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
      long parameters =
          share.trainedEmbeddings(stage, chunk) + perLayer(range, share::trainedLayer).stream().mapToLong(i -> i).sum();
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
    StageOps ops = layers.newOps();
    aligned.get().awaitBucket(ops, chunk, 0);
    aligned.get().awaitExperts(ops, chunk);
    return ops.addAll(forward(stage, chunk, false, false)).build();
  }

  private List<StageOp> forward(int stage, int chunk, boolean first, boolean paired) {
    StageOps ops = layers.newOps();
    boolean gathers = everyPass() || first && gathersAhead();
    int[] range = share.layers(stage, chunk);
    boolean embeds = share.embeds(stage, chunk);
    ParameterGathers gathering = gathering(ops, gathers, stage, chunk);
    ParameterGathers expertGathering = new ParameterGathers(
        ops, GroupKind.EXPERT_DATA, expertsGatheredApart(first)
            ? perLayer(range, share::expertLayer) : List.of(),
        Optional.empty(), contention);
    if (embeds) {
      gathering.need(0);
      embeddingForward(ops);
    } else {
      complete(ops);
    }
    for (int layer = range[0]; layer < range[1]; layer++) {
      gathering.need(layer - range[0] + (embeds ? 1 : 0));
      expertGathering.need(layer - range[0]);
      ops.addAll(layers.forward(layer, paired));
      offload.forward(ops, layer);
    }
    if (share.predicts(stage, chunk)) {
      if (!embeds) {
        gathering.need(range[1] - range[0]);
      }
      lossForward(ops);
      for (int module = 0; module < model.predictions(); module++) {
        products.run(ops, "prediction", model.hidden() / parallel.tensor(), 2L * model.hidden());
        model.predictedLayers().forEach(layer -> ops.addAll(layers.forward(layer, paired)));
        lossForward(ops);
      }
    }
    return ops.build();
  }

  // Sharded parameters are gathered in every pass, and their gradients are reduced in it.
  private boolean everyPass() {
    return parallel.sharding() == Sharding.PARAMETERS;
  }

  // Parameters updated by the optimizer are gathered during the first forward pass.
  private boolean gathersAhead() {
    return parallel.sharding().optimizer() && !everyPass() && execution.gatherOverlap()
        && training.deepspeed().isEmpty() && !execution.ownsWholeMatrices();
  }

  // Parameters outside the layers are gathered once and kept until the end of the backward pass.
  private ParameterGathers gathering(StageOps ops, boolean gathers, int stage, int chunk) {
    if (!gathers || grid.size(GroupKind.PARAMETERS) == 1) {
      return new ParameterGathers(ops, GroupKind.PARAMETERS, List.of(), training.deepspeed(), contention);
    }
    List<Long> units = new ArrayList<>(perLayer(share.layers(stage, chunk), this::gathered));
    long embeddings = everyPass() ? share.embeddings(stage, chunk) : share.trainedEmbeddings(stage, chunk);
    if (share.embeds(stage, chunk)) {
      units.add(0, embeddings);
    } else if (share.predicts(stage, chunk)) {
      units.add(embeddings);
    }
    return new ParameterGathers(ops, GroupKind.PARAMETERS, units, training.deepspeed(), contention);
  }

  private long gathered(int layer) {
    if (layers.gathers().isPresent()) {
      return 0;
    }
    return everyPass()
        ? share.denseLayer(layer) + (parallel.expert() == 1 ? share.expertLayer(layer) : 0) - share.unshardedLayer()
        : share.trainedLayer(layer);
  }

  // Experts divided among ranks are sharded over fewer ranks than other parameters, in a communicator of their own.
  private boolean expertsGatheredApart(boolean first) {
    return grid.size(GroupKind.EXPERT_DATA) > 1
        && (first && gathersAhead() || everyPass() && parallel.expert() > 1);
  }

  private static List<Long> perLayer(int[] range, IntToLongFunction parameters) {
    return IntStream.range(range[0], range[1]).mapToLong(parameters::applyAsLong).boxed().toList();
  }

  private List<StageOp> backward(int stage, int chunk, StageOps.Part part, boolean last, boolean paired) {
    StageOps ops = layers.newOps();
    boolean reduces = grid.size(GroupKind.DATA) > 1 && (reducesEveryPass() || last && execution.reduceOverlap());
    if (share.predicts(stage, chunk)) {
      for (int module = 0; module < model.predictions(); module++) {
        lossBackward(ops.restrictTo(part));
        ops.restrictTo(StageOps.Part.ALL);
        Lists.reverse(model.predictedLayers())
            .forEach(layer -> ops.addAll(layers.backward(layer, 0, part, paired)));
        products.inputs(ops.restrictTo(part), "prediction", 2L * model.hidden(), model.hidden() / parallel.tensor());
        products.weights(ops, "prediction", model.hidden() / parallel.tensor(), 2L * model.hidden());
      }
      lossBackward(ops.restrictTo(part));
      ops.restrictTo(StageOps.Part.ALL);
    } else if (part != StageOps.Part.WEIGHTS) {
      complete(ops);
    }
    int[] range = share.layers(stage, chunk);
    List<Long> units = everyPass() && grid.size(GroupKind.PARAMETERS) > 1
        ? Lists.reverse(perLayer(range, this::gathered)) : List.of();
    ParameterGathers gathering =
        new ParameterGathers(ops, GroupKind.PARAMETERS, units, training.deepspeed(), contention);
    ParameterGathers expertGathering = new ParameterGathers(
        ops, GroupKind.EXPERT_DATA,
        expertsGatheredApart(false) ? Lists.reverse(perLayer(range, share::expertLayer)) : List.of(), Optional.empty(),
        contention);
    long waiting = 0;
    for (int layer = range[1] - 1; layer >= range[0]; layer--) {
      gathering.need(range[1] - 1 - layer);
      expertGathering.need(range[1] - 1 - layer);
      offload.backward(ops, layer);
      ops.addAll(layers.backward(layer, layer - range[0], part, paired));
      waiting += share.trainedLayer(layer);
      if (reduces && layers.gathers().isEmpty() && (waiting >= bucket() || layer == range[0])) {
        gradients.beginBeside(ops, GroupKind.DATA, waiting);
        waiting = 0;
      }
      if (reduces) {
        gradients.beginBeside(ops, GroupKind.EXPERT_DATA, share.expertLayer(layer));
      }
    }
    if (reduces) {
      gradients.beginBeside(ops, GroupKind.EXPERT_DATA, share.predictionExperts(stage, chunk));
    }
    if (share.embeds(stage, chunk) && part != StageOps.Part.WEIGHTS && trainsAll()) {
      embeddingBackward(ops);
    }
    if (reduces) {
      gradients.begin(ops, GroupKind.DATA, share.trainedEmbeddings(stage, chunk));
    }
    return ops.build();
  }

  // Beside adapters all else is frozen.
  private boolean trainsAll() {
    return training.lora().isEmpty();
  }

  private boolean reducesEveryPass() {
    return everyPass() || parallel.sharding().gradients() && training.deepspeed().isPresent();
  }

  // FSDP reduces the gradients of each layer at once.
  private long bucket() {
    return training.deepspeed().map(DeepSpeed::reduceBucketSize)
        .orElse(everyPass() ? 0 : execution.bucketParameters());
  }

  // A message received in shares is gathered by the tensor-parallel ranks.
  private void complete(StageOps ops) {
    if (parallel.tensor() > 1 && !parallel.sequenceParallel() && execution.scatterMessages()) {
      ops.blocking(Activity.PIPELINE, GroupKind.TENSOR, CollectiveOp.ALL_GATHER, sizes.hiddenBytes());
    }
  }

  /** Bytes of a rank's message to another stage. */
  public long messageBytes() {
    boolean shares = parallel.sequenceParallel() || execution.scatterMessages();
    return sizes.hiddenBytes() / (shares ? parallel.tensor() : 1);
  }

  // --- embedding and prediction ---

  private void embeddingForward(StageOps ops) {
    ops.move("embedding", 4.0 * HALF * sizes.tokens() * model.hidden());
    if (parallel.tensor() > 1) {
      ops.blocking(Activity.TENSOR, GroupKind.TENSOR,
          parallel.sequenceParallel() ? CollectiveOp.REDUCE_SCATTER : CollectiveOp.ALL_REDUCE, sizes.hiddenBytes());
    }
  }

  // The gradient of the whole matrix is zeroed, those of the tokens are added to it, and it is accumulated.
  private void embeddingBackward(StageOps ops) {
    ops.move("embedding", 3.0 * HALF * sizes.shared() * model.hidden());
    double gradients = (double) words() * model.hidden();
    ops.move("embedding-zeros", HALF * gradients);
    if (execution.accumulation() == Accumulation.PRODUCT) {
      ops.move("embedding-accumulation", (HALF + 2.0 * execution.gradientBytes()) * gradients);
    } else {
      products.accumulate(ops, "embedding", gradients);
    }
  }

  private long words() {
    return (model.vocabulary() + parallel.tensor() - 1) / parallel.tensor();
  }

  private void lossForward(StageOps ops) {
    layers.norm(ops, "norm", false);
    if (parallel.sequenceParallel()) {
      ops.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_GATHER, sizes.hiddenBytes());
    }
    products.logits(ops, words());
    loss(ops, false);
    for (int i = 0; i < 3 && parallel.tensor() > 1; i++) {
      ops.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_REDUCE, FULL * sizes.tokens());
    }
  }

  private void loss(StageOps ops, boolean backward) {
    CrossEntropy loss = execution.crossEntropy();
    ops.move("loss", (double) loss.bytes(backward) * sizes.tokens() * words(), loss.kernels(backward));
  }

  private void lossBackward(StageOps ops) {
    loss(ops, true);
    products.logitsGradients(ops, words(), trainsAll());
    if (parallel.tensor() > 1) {
      ops.blocking(Activity.TENSOR, GroupKind.TENSOR,
          parallel.sequenceParallel() ? CollectiveOp.REDUCE_SCATTER : CollectiveOp.ALL_REDUCE, sizes.hiddenBytes());
    }
    layers.norm(ops, "norm", true);
  }

  // --- the end of an iteration ---

  private List<StageOp> end(int stage, boolean split) {
    StageOps ops = layers.newStep();
    long dense = share.trained(stage);
    long expert = share.experts(stage);
    boolean reduced = execution.reduceOverlap() && !split || reducesEveryPass();
    if (!reduced) {
      gradients.begin(ops, GroupKind.DATA, dense);
      gradients.begin(ops, GroupKind.EXPERT_DATA, expert);
    }
    gradients.join(ops, GroupKind.DATA);
    if (expert > 0) {
      gradients.join(ops, GroupKind.EXPERT_DATA);
    }
    if (share.sharesEmbedding(stage) && trainsAll()) {
      ops.blocking(Activity.DATA, GroupKind.EMBEDDING, CollectiveOp.ALL_REDUCE,
          words() * model.hidden() * execution.gradientBytes());
    }
    if (parallel.sequenceParallel() && trainsAll()) {
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
    step(ops, stage, own);
    ops.operators(tensors, false).launches(VIEWS * tensors, false);
    quantiseGathered(ops, stage, dense + expert);
    ops.move("zero", execution.gradientBytes() * kept);
    if (shared && !everyPass() && !gathersAhead()) {
      gather(ops, GroupKind.PARAMETERS, dense);
      gather(ops, GroupKind.EXPERT_DATA, expert);
    }
    layers.gathers().ifPresent(gathers -> ops.host(Activity.OPTIMIZER, share.count(stage) * gathers.copiesOfSmall()));
    if (everyPass() && training.deepspeed().isPresent()) {
      gather(ops, GroupKind.PARAMETERS, share.count(stage) * share.unshardedLayer());
    }
  }

  private void step(StageOps ops, int stage, double own) {
    double byAdam = own;
    if (execution.ownsWholeMatrices()) {
      MuonStep muon = new MuonStep(training, grid);
      muon.add(ops, stage);
      byAdam = own * Math.max(0, 1 - (double) muon.elements(stage) / (share.trained(stage) + share.experts(stage)));
    }
    ops.move("adam", (ADAM_BYTES + 2.0 * execution.optimizerBytes()) * byAdam);
  }

  // Parameters with a scale for each block are gathered in 16 bits, into the buffer of gradients, and quantised tensor
  // by tensor, where no graph of the iteration has it in it [Megatron-Core: reuse_grad_buf_for_mxfp8_param_ag;
  // Megatron-Bridge, issue 1793].
  private void quantiseGathered(StageOps ops, int stage, long parameters) {
    if (execution.precision() == LinearFormat.MXFP8 && !execution.graphs().contains(GraphScope.FULL_ITERATION)) {
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
    if (everyPass() || training.deepspeed().isPresent() || !trainsAll()) {
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
        ops.begin(group, CollectiveOp.ALL_GATHER, HALF * Math.min(atOnce, parameters - done));
      }
      ops.join(Activity.DATA, group, 0);
    }
  }
}
