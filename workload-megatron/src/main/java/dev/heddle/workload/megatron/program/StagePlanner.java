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
import java.util.Collections;
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
  /** Traffic of zeros, of a copy of each part and of one of the whole, by the bytes of a message's tensor. */
  private static final double MESSAGE_COPIES = 5;
  /** Most operations of an iteration on all stages; an estimate carries out some millions a second. */
  private static final long MOST_OPERATIONS = 400_000_000;

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
  private final OptimizerStep step;
  private final WeightCasts casts;
  private final Contention contention;
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
    reduction = new GradientReduction(training, grid, contention);
    step = new OptimizerStep(training, grid, layers, share, reduction);
    casts = new WeightCasts(sizes, share);
    micros = micros(training, grid);
  }

  /**
   * Micro-batches of an iteration on each rank.
   *
   * @throws InvalidSettingException when the global batch is no multiple of one micro-batch of all data-parallel ranks,
   *     or has too many micro-batches
   */
  public static int micros(Training training, RankGrid grid) {
    long atOnce = (long) training.batch().micro() * grid.data();
    long global = training.batch().sequences(grid.data());
    if (global % atOnce != 0) {
      long next = (global / atOnce + 1) * atOnce;
      throw new InvalidSettingException("batch.global", global + " sequences are no multiple of "
          + training.batch().micro() + " of a micro-batch x " + grid.data() + " data-parallel ranks = " + atOnce
          + (next <= Integer.MAX_VALUE ? "; the next multiple is " + next
              : "; a micro-batch of 1 needs a multiple of " + grid.data()));
    }
    if (global / atOnce > PipelineSlots.MOST_MICROS) {
      throw new InvalidSettingException("batch.global", global + " sequences are " + global / atOnce
          + " micro-batches of each rank; an iteration has at most " + PipelineSlots.MOST_MICROS
          + ": take larger micro-batches or fewer sequences");
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

  /**
   * The operations of the ranks of a stage.
   *
   * @throws InvalidSettingException when all stages together have more operations than are simulated
   */
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
        perChunk(chunk -> backward(stage, chunk, part, !split && !reducesAligned(stage), false)),
        perChunk(chunk -> backward(stage, chunk, part, false, pairs)));
    List<List<StageOp>> weights = perChunk(
        chunk -> split ? backward(stage, chunk, StageOps.Part.WEIGHTS, false, false) : List.of());
    int[] slots = PipelineSlots.of(parallel.order(), stage, parallel.pipeline(), micros, parallel.chunks());
    StagePlan plan =
        new StagePlan(slots, Map.of(), forward, backward, weights, step.plan(stage, split), Map.of(), Set.of(),
            List.of());
    if (aligned.isPresent()) {
      plan = plan.withLaunches(aligned.get().launches(slots, stage, parallel.pipeline()));
    }
    if (reducesAligned(stage)) {
      plan = plan.withLaunches(new AlignedReductions(layers, share, reduction).launches(plan, stage, micros));
    }
    requireFew(parallel.pipeline() * plan.operations(micros));
    return plan.withBegins(micros);
  }

  private void requireFew(long operations) {
    if (operations > MOST_OPERATIONS) {
      throw new InvalidSettingException("batch.global", micros + " micro-batches of " + model.layers() + " layers are "
          + operations + " operations of all stages together; an iteration has at most " + MOST_OPERATIONS
          + ": take larger micro-batches, fewer sequences or fewer layers");
    }
  }

  private List<List<StageOp>> perChunk(IntFunction<List<StageOp>> pass) {
    return IntStream.range(0, parallel.chunks()).mapToObj(pass).toList();
  }

  // --- passes ---

  // Gathers that all stages of a pipeline begin together; a single stage gathers each bucket one ahead of its use.
  private Optional<AlignedGathers> aligned(int stage) {
    if (!gathersAligned()) {
      return Optional.empty();
    }
    List<List<Long>> dense = new ArrayList<>();
    List<Long> experts = new ArrayList<>();
    for (int chunk = 0; chunk < parallel.chunks(); chunk++) {
      int[] range = share.layers(stage, chunk);
      int width = execution.parameterBytes();
      long bytes = HALF * share.trainedEmbeddings(stage, chunk)
          + width * perLayer(range, share::trainedLayer).stream().mapToLong(i -> i).sum();
      dense.add(grid.size(GroupKind.PARAMETERS) == 1 ? List.of() : List.of(bytes));
      experts.add(grid.size(GroupKind.EXPERT_DATA) == 1 ? 0
          : width * (perLayer(range, share::expertLayer).stream().mapToLong(i -> i).sum()
              + share.predictionExperts(stage, chunk)));
    }
    return Optional.of(new AlignedGathers(dense, experts));
  }

  private boolean gathersAligned() {
    return gathersAhead() && execution.gatherAligned() && parallel.pipeline() > 1;
  }

  // Without chunks the first stage, which ends last, reduces within its last pass [Megatron-Core, schedules.py].
  private boolean reducesAligned(int stage) {
    return execution.reduceOverlap() && execution.reduceAligned() && !reduction.everyPass()
        && parallel.order() == PipelineOrder.ONE_F_ONE_B && training.deepspeed().isEmpty()
        && parallel.pipeline() > 1 && (stage > 0 || parallel.chunks() > 1);
  }

  private List<StageOp> firstForward(int stage, int chunk, Optional<AlignedGathers> aligned) {
    if (aligned.isEmpty()) {
      return forward(stage, chunk, true, false);
    }
    StageOps ops = layers.newOps();
    aligned.get().awaitBucket(ops, chunk, 0);
    aligned.get().awaitExperts(ops, chunk);
    return ops.addAll(forward(stage, chunk, true, false)).build();
  }

  private List<StageOp> forward(int stage, int chunk, boolean first, boolean paired) {
    StageOps ops = layers.newOps();
    boolean ahead = first && gathersAhead() && !gathersAligned();
    boolean gathers = everyPass() || ahead;
    boolean castsWeights = first || everyPass();
    int[] range = share.layers(stage, chunk);
    boolean embeds = share.embeds(stage, chunk);
    ParameterGathers gathering = gathering(ops, gathers, stage, chunk);
    ParameterGathers expertGathering = new ParameterGathers(
        ops, GroupKind.EXPERT_DATA, expertsGatheredApart(ahead)
            ? buckets(perLayer(range, share::expertLayer), stage, chunk) : List.of(),
        Optional.empty(), contention, execution.parameterBytes());
    if (embeds) {
      gathering.need(0);
      embeddingForward(ops);
    } else {
      complete(ops, 1);
    }
    for (int layer = range[0]; layer < range[1]; layer++) {
      gathering.need(layer - range[0] + (embeds ? 1 : 0));
      expertGathering.need(layer - range[0]);
      if (castsWeights) {
        casts.add(ops, layer);
      }
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
        boolean quantises = castsWeights && module < model.predictionLayers();
        model.predictedLayers().forEach(layer -> {
          if (quantises) {
            casts.add(ops, layer);
          }
          ops.addAll(layers.forward(layer, paired));
        });
        lossForward(ops);
      }
    }
    return ops.build();
  }

  // Sharded parameters are gathered in every pass, and their gradients are reduced in it.
  private boolean everyPass() {
    return parallel.sharding() == Sharding.PARAMETERS;
  }

  private boolean gathersAhead() {
    return OptimizerStep.gathersAhead(training);
  }

  // Parameters outside the layers are gathered once and kept until the end of the backward pass.
  private ParameterGathers gathering(StageOps ops, boolean gathers, int stage, int chunk) {
    if (!gathers || grid.size(GroupKind.PARAMETERS) == 1) {
      return new ParameterGathers(ops, GroupKind.PARAMETERS, List.of(), training.deepspeed(), contention,
          execution.parameterBytes());
    }
    List<Long> units = new ArrayList<>(perLayer(share.layers(stage, chunk), this::gathered));
    // Embeddings have 16 bits whatever the layers have.
    long embeddings = (everyPass() ? share.embeddings(stage, chunk) : share.trainedEmbeddings(stage, chunk))
        * HALF / execution.parameterBytes();
    if (share.embeds(stage, chunk)) {
      units.add(0, embeddings);
    } else if (share.predicts(stage, chunk)) {
      units.add(embeddings);
    }
    return new ParameterGathers(
        ops, GroupKind.PARAMETERS, buckets(units, stage, chunk), training.deepspeed(), contention,
        execution.parameterBytes());
  }

  // Megatron-Core divides parameters into buckets on the first chunk of the first stage alone; others are one bucket
  // [distributed_data_parallel.py: bucket_size and disable_bucketing], which is gathered before the first layer.
  private List<Long> buckets(List<Long> units, int stage, int chunk) {
    if (everyPass() || stage == 0 && chunk == 0 || units.isEmpty()) {
      return units;
    }
    List<Long> one = new ArrayList<>(Collections.nCopies(units.size(), 0L));
    one.set(0, units.stream().mapToLong(i -> i).sum());
    return one;
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
  private boolean expertsGatheredApart(boolean ahead) {
    return grid.size(GroupKind.EXPERT_DATA) > 1 && (ahead || everyPass() && parallel.expert() > 1);
  }

  private static List<Long> perLayer(int[] range, IntToLongFunction parameters) {
    return IntStream.range(range[0], range[1]).mapToLong(parameters::applyAsLong).boxed().toList();
  }

  private List<StageOp> backward(int stage, int chunk, StageOps.Part part, boolean last, boolean paired) {
    StageOps ops = layers.newOps();
    boolean reduces = grid.size(GroupKind.DATA) > 1 && (reduction.everyPass() || last && execution.reduceOverlap());
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
      // DeepSpeed keeps a share of what it has sent, too, and gathers it for the gradients.
      complete(ops, training.deepspeed().isPresent() ? 2 : 1);
    }
    int[] range = share.layers(stage, chunk);
    List<Long> units = everyPass() && grid.size(GroupKind.PARAMETERS) > 1
        ? Lists.reverse(perLayer(range, this::gathered)) : List.of();
    ParameterGathers gathering =
        new ParameterGathers(
            ops, GroupKind.PARAMETERS, units, training.deepspeed(), contention, execution.parameterBytes());
    ParameterGathers expertGathering = new ParameterGathers(
        ops, GroupKind.EXPERT_DATA,
        expertsGatheredApart(false) ? Lists.reverse(perLayer(range, share::expertLayer)) : List.of(), Optional.empty(),
        contention, execution.parameterBytes());
    long waiting = 0;
    int waitingLayers = 0;
    for (int layer = range[1] - 1; layer >= range[0]; layer--) {
      gathering.need(range[1] - 1 - layer);
      expertGathering.need(range[1] - 1 - layer);
      offload.backward(ops, layer);
      ops.addAll(layers.backward(layer, layer - range[0], part, paired));
      waiting += share.trainedLayer(layer);
      waitingLayers++;
      if (reduces && layers.gathers().isEmpty() && (waiting >= bucket() || layer == range[0])) {
        reduction.beside(ops, GroupKind.DATA, waiting, waitingLayers);
        waiting = 0;
        waitingLayers = 0;
      }
      if (reduces) {
        reduction.beside(ops, GroupKind.EXPERT_DATA, share.expertLayer(layer), 1);
      }
    }
    if (reduces) {
      reduction.beside(ops, GroupKind.EXPERT_DATA, share.predictionExperts(stage, chunk), 1);
    }
    if (share.embeds(stage, chunk) && part != StageOps.Part.WEIGHTS && trainsAll()) {
      embeddingBackward(ops);
    }
    if (reduces) {
      reduction.begin(ops, GroupKind.DATA, share.trainedEmbeddings(stage, chunk));
    }
    return ops.build();
  }

  // Beside adapters all else is frozen.
  private boolean trainsAll() {
    return training.lora().isEmpty();
  }

  // FSDP reduces the gradients of each layer at once.
  private long bucket() {
    return training.deepspeed().map(DeepSpeed::reduceBucketSize)
        .orElse(everyPass() ? 0 : execution.bucketParameters());
  }

  // A message received in shares is gathered by the tensor-parallel ranks. DeepSpeed gathers into a tensor of zeros,
  // to which PyTorch copies each rank's part out of the collective's buffer, and copies the result [pipe/engine.py:
  // _exec_forward_pass, _exec_backward_pass; runtime/utils.py: PartitionedTensor.full].
  private void complete(StageOps ops, int tensors) {
    boolean gathers = parallel.tensor() > 1 && !parallel.sequenceParallel() && execution.scatterMessages();
    for (int each = 0; each < tensors && gathers; each++) {
      if (training.deepspeed().isPresent()) {
        ops.moveByOperators("message", MESSAGE_COPIES * sizes.hiddenBytes(), 2).operators(1, false)
            .launches(parallel.tensor(), false);
      }
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
    double gradients = (double) sizes.words() * model.hidden();
    ops.move("embedding-zeros", HALF * gradients);
    if (execution.accumulation() == Accumulation.PRODUCT) {
      ops.move("embedding-accumulation", (HALF + 2.0 * execution.gradientBytes()) * gradients);
    } else {
      products.accumulate(ops, "embedding", gradients);
    }
  }

  private void lossForward(StageOps ops) {
    layers.norm(ops, "norm", false);
    if (parallel.sequenceParallel()) {
      ops.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_GATHER, sizes.hiddenBytes());
    }
    products.logits(ops, sizes.words());
    loss(ops, false);
    for (int i = 0; i < 3 && parallel.tensor() > 1; i++) {
      ops.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_REDUCE, FULL * sizes.tokens());
    }
  }

  private void loss(StageOps ops, boolean backward) {
    CrossEntropy loss = execution.crossEntropy();
    double logits = (double) sizes.tokens() * sizes.words();
    ops.move("loss", loss.bytes(backward) * logits, loss.kernels(backward));
    for (int time = 0; time < loss.ofPyTorch(backward); time++) {
      ops.run(new Kernel.Loss("loss", sizes.tokens(), sizes.words(), backward, CrossEntropy.bytesOfPyTorch(backward)))
          .operators(CrossEntropy.kernelsOfPyTorch(backward) - 1, false);
    }
  }

  private void lossBackward(StageOps ops) {
    loss(ops, true);
    products.logitsGradients(ops, sizes.words(), trainsAll());
    if (parallel.tensor() > 1) {
      ops.blocking(Activity.TENSOR, GroupKind.TENSOR,
          parallel.sequenceParallel() ? CollectiveOp.REDUCE_SCATTER : CollectiveOp.ALL_REDUCE, sizes.hiddenBytes());
    }
    layers.norm(ops, "norm", true);
  }
}
