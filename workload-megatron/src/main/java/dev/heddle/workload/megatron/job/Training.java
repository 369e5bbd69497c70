package dev.heddle.workload.megatron.job;

import dev.heddle.registry.SettingsSchema;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import dev.heddle.workload.megatron.kernel.KernelTiming;
import dev.heddle.workload.megatron.kernel.NormKernel;
import dev.heddle.workload.megatron.model.Activation;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.model.Positions;
import dev.heddle.workload.megatron.parallel.Batch;
import dev.heddle.workload.megatron.parallel.ContextExchange;
import dev.heddle.workload.megatron.parallel.DeepSpeed;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GraphScope;
import dev.heddle.workload.megatron.parallel.LowRankAdapters;
import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.ParameterGather;
import dev.heddle.workload.megatron.parallel.RecomputedModule;
import dev.heddle.workload.megatron.parallel.Sharding;
import dev.heddle.workload.megatron.parallel.Variation;
import java.util.Optional;

/**
 * A training job.
 *
 * @param model shape of the model
 * @param sequence tokens of a sequence, where not the model's own
 * @param parallel degrees of parallelism
 * @param batch sequences of an iteration
 * @param execution numerics and overlap of the software
 * @param deepspeed settings of DeepSpeed's ZeRO; without them, sharding is that of Megatron-Core and FSDP
 * @param lora low-rank adapters, which alone are trained; without it, all parameters are
 * @param packed mean tokens of the sequences that are packed into one, which attention does not cross; without it, one
 *     sequence
 * @param kernels efficiency of the accelerator's kernels
 * @param kernelsOf accelerator of the kernels' times, where it is not the cluster's: times are then scaled by the rate
 *     that binds each kernel [SimAI §4.3, SimAI-CP-Model]
 * @param skew load of the busiest expert-parallel rank by the mean
 * @param variation differences between ranks that have the same work
 * @param ranks that take part, from the first; without it, all accelerators
 * @param ranksPerNode of a node that take part, from its first; without it, all accelerators
 * @param checkMemory whether a job that does not fit the accelerators' memory is refused
 */
public record Training(
    @Setting("the model; a preset such as gpt3-175b") ModelShape model,
    @Setting("tokens of a sequence, where not the model's own") Optional<Integer> sequence,
    @Setting("degrees of parallelism") Parallelism parallel,
    @Setting("sequences of an iteration") Batch batch,
    @Setting("numerics and overlap of the software") Execution execution,
    @Setting("settings of DeepSpeed's ZeRO; without them Megatron-Core's and FSDP's") Optional<DeepSpeed> deepspeed,
    @Setting("low-rank adapters, which alone are trained; without, all parameters are") Optional<LowRankAdapters> lora,
    @Setting(value = "mean tokens of the sequences that are packed into one, which attention does not cross",
        min = "1", max = "100000000") Optional<Integer> packed,
    @Setting("efficiency of the accelerator's kernels; a preset such as kernels-ampere") KernelTiming kernels,
    @Setting("accelerator of the kernels' times, where another; such as a100-sxm-80") Optional<Accelerator> kernelsOf,
    @Setting(value = "load of the busiest expert-parallel rank by the mean", def = "1", min = "1",
        max = "1000") double skew,
    @Setting(value = "differences between ranks that have the same work", def = "{}") Variation variation,
    @Setting("accelerators that take part, from the first; without it, all") Optional<Integer> ranks,
    @Setting(value = "accelerators of each node that take part, from its first: 64 of a rack's 72; without it, all",
        min = "1", max = "65536") Optional<Integer> ranksPerNode,
    @Setting(value = "whether a job that does not fit the accelerators' memory is refused",
        def = "true") boolean checkMemory) {
  /** Checks that model and parallelism fit, by the rules of Megatron-LM. */
  public Training {
    check(model, parallel);
    checkContext(model, parallel);
    int tokens = sequence.orElse(model.sequence());
    if (tokens < 1) {
      throw new InvalidSettingException("sequence", tokens + " tokens");
    }
    int shares =
        parallel.context() * (parallel.context() > 1 ? 2 : 1) * (parallel.sequenceParallel() ? parallel.tensor() : 1);
    if (tokens % shares != 0) {
      throw new InvalidSettingException("sequence", tokens + " tokens are not divided by " + shares
          + ", the shares of context and sequence parallelism");
    }
    if (ranksPerNode.isPresent() && ranksPerNode.get() < 1) {
      throw new InvalidSettingException("ranks-per-node", "must be at least 1, but is " + ranksPerNode.get());
    }
    if (skew > 1 && model.experts().isEmpty()) {
      throw new InvalidSettingException("skew", "is the load of expert-parallel ranks, and " + model.name()
          + " has no experts; it must be 1, but is " + skew);
    }
    deepspeed.ifPresent(settings -> checkDeepSpeed(model, parallel));
    if (lora.isPresent() && (model.experts().isPresent() || model.latent().isPresent())) {
      throw new InvalidSettingException("lora",
          "there are no adapters for " + (model.experts().isPresent() ? "experts" : "latent attention") + ", which "
              + model.name() + " has");
    }
    if (lora.isPresent() && deepspeed.isPresent()) {
      throw new InvalidSettingException("lora", "is sharded as by Megatron-Core and FSDP, not by DeepSpeed");
    }
    if (execution.ownsWholeMatrices() && (deepspeed.isPresent() || lora.isPresent() || parallel.replicas() > 1
        || parallel.sharding().gradients())) {
      throw new InvalidSettingException("execution.optimizer", "muon has each matrix whole on one data-parallel rank:"
          + " %s must be none or optimizer, without %s, %s and %s", "parallel.sharding",
          "parallel.replicas", "deepspeed", "lora");
    }
    if (model.latent().isPresent() && !execution.fusedAttention()) {
      throw new InvalidSettingException("execution.attention", "latent attention is fused");
    }
    if (model.pattern().isPresent() && (lora.isPresent() || deepspeed.isPresent())) {
      throw new InvalidSettingException(lora.isPresent() ? "lora" : "deepspeed",
          "is modelled for layers of attention and a dense block, not for the hybrid pattern of " + model.name());
    }
    int offloaded = execution.offloadLayers();
    if (offloaded > 0 && (parallel.pipeline() > 1 || offloaded >= model.layers())) {
      throw new InvalidSettingException("execution.offload-layers",
          parallel.pipeline() > 1 ? "are copied without a pipeline alone, as in Megatron-Core; pipeline is "
              + parallel.pipeline() : offloaded + " must be fewer than the " + model.layers() + " layers");
    }
    check(model, execution, gathersByTensor(parallel, deepspeed, execution));
    checkFused(model, execution);
    int block = execution.precision().block();
    if (execution.precision().quantised() && model.hidden() % block != 0) {
      throw new InvalidSettingException("execution.precision", execution.precision().number().id()
          + " needs sizes that are multiples of " + block);
    }
  }

  private static void checkDeepSpeed(ModelShape model, Parallelism parallel) {
    if (parallel.sharding() == Sharding.NONE) {
      throw new InvalidSettingException("deepspeed", "shares what parallel.sharding says; it is none");
    }
    if (parallel.sharding().gradients() && parallel.pipeline() > 1) {
      throw new InvalidSettingException("deepspeed",
          "DeepSpeed shares gradients and parameters only without a pipeline");
    }
    if (parallel.replicas() > 1) {
      throw new InvalidSettingException("parallel.replicas", "are Megatron-Core's and FSDP's; DeepSpeed has one copy");
    }
    if (model.experts().isPresent()) {
      throw new InvalidSettingException("deepspeed", "experts are shared as Megatron-Core does");
    }
  }

  private static void check(ModelShape model, Execution execution, boolean byTensor) {
    for (RecomputedModule module : execution.recomputeModules()) {
      if (!module.in(model)) {
        throw new InvalidSettingException("execution.recompute-modules",
            model.name() + " has no " + SettingsSchema.key(module) + ", which recompute-modules names");
      }
    }
    for (GraphScope scope : execution.graphs()) {
      if (!scope.in(model)) {
        throw new InvalidSettingException("execution.graphs",
            model.name() + " has no " + SettingsSchema.key(scope) + ", which graphs names");
      }
    }
    if (byTensor && (execution.recomputes(RecomputedModule.MLP) || execution.recomputeLayers().isPresent())) {
      throw new InvalidSettingException("execution.recompute",
          "where DeepSpeed gathers tensor by tensor, all layers are recomputed or none (deepspeed.gather)");
    }
  }

  // Queries or keys with norms, or without rotation, are refused by Megatron-Core [attention.py,
  // "fused_single_qkv_rope requested but not available/supported for the config"], which has the clamp in layers of
  // experts alone [transformer_config.py]. That YaRN, latent attention and fused operations that clamp have no such
  // kernel is inferred from the kernels that there are.
  private static void checkFused(ModelShape model, Execution execution) {
    if (execution.fusedRotation()) {
      unrotated(model, execution).ifPresent(reason -> {
        throw new InvalidSettingException(
            "execution.fused-rotation", "is one kernel for projections that are rotated as they are; " + reason);
      });
    }
    if (execution.operationFuser() && model.activation() == Activation.CLAMPED_SWIGLU) {
      throw new InvalidSettingException("execution.operation-fuser",
          "has no operation that clamps its gate, as the activation of " + model.name() + " does");
    }
  }

  private static Optional<String> unrotated(ModelShape model, Execution execution) {
    if (model.latent().isPresent()) {
      return Optional.of(model.name() + " has latent attention");
    }
    if (model.headNorm()) {
      return Optional.of(model.name() + " normalises heads before they are rotated");
    }
    if (model.positions() != Positions.ROTARY) {
      return Optional.of("the positions of " + model.name() + " are " + SettingsSchema.key(model.positions())
          + ", not rotary");
    }
    if (!execution.fusedAttention() || execution.norm() == NormKernel.FUSED) {
      return Optional.of("it is Transformer Engine's, which has fused attention and norm: persistent or cudnn");
    }
    return Optional.empty();
  }

  private static void check(ModelShape model, Parallelism parallel) {
    divides("parallel.tensor", parallel.tensor(), "attention heads", model.heads());
    if (parallel.tensor() > model.keyHeads() && parallel.tensor() % model.keyHeads() != 0) {
      throw new InvalidSettingException(
          "parallel.tensor", parallel.tensor() + " is no multiple of the " + model.keyHeads() + " heads of keys");
    }
    divides("parallel.tensor", parallel.tensor(), "of the inner size", model.inner());
    model.stateSpace().ifPresent(mixer -> {
      divides("parallel.tensor", parallel.tensor(), "groups of state-space heads", mixer.groups());
      divides("parallel.context", parallel.tensor() * parallel.context(), "state-space heads", mixer.heads());
    });
    if (model.layers() + 2 < parallel.pipeline() * parallel.chunks()) {
      throw new InvalidSettingException("parallel.pipeline", model.layers() + " layers, the embedding and the loss are"
          + " fewer than " + parallel.pipeline() + " stages x " + parallel.chunks() + " chunks");
    }
    parallel.layout().ifPresent(
        layout -> PipelineLayout.layers(layout, model.layers(), parallel.pipeline() * parallel.chunks()));
    if (parallel.expert() > 1) {
      int experts = model.experts().orElseThrow(() -> new InvalidSettingException(
          "parallel.expert", model.name() + " has no experts; expert must be 1")).count();
      divides("parallel.expert", parallel.expert(), "experts", experts);
    }
    if (model.experts().isPresent() && parallel.tensor() > 1 && !parallel.sequenceParallel()) {
      throw new InvalidSettingException(
          "parallel.sequence-parallel", "experts with tensor parallelism need sequence parallelism, as in Megatron-LM");
    }
  }

  // Transformer Engine's conditions [context_parallel.py, attn_forward_func_with_cp].
  private static void checkContext(ModelShape model, Parallelism parallel) {
    int heads = parallel.headRanks();
    if (heads > 1 && (model.heads() / parallel.tensor() % heads != 0
        || Math.max(1, model.keyHeads() / parallel.tensor()) % heads != 0)) {
      throw new InvalidSettingException("parallel.context-exchange", "heads are divided among " + heads
          + " ranks, but of " + model.name() + "'s a tensor-parallel rank has " + model.heads() / parallel.tensor()
          + " heads of queries and " + Math.max(1, model.keyHeads() / parallel.tensor()) + " of keys");
    }
    boolean ring = parallel.contextExchange() == ContextExchange.P2P
        || parallel.contextExchange() == ContextExchange.A2A_P2P;
    if (model.latent().isPresent() && !ring) {
      throw new InvalidSettingException("parallel.context-exchange",
          "latent attention, which " + model.name() + " has, is exchanged by p2p or a2a-p2p");
    }
    if (model.window().isPresent() && ring && parallel.context() > 1) {
      // [Transformer Engine, context_parallel.py: sliding windows need cp_comm_type a2a or all_gather]
      throw new InvalidSettingException("parallel.context-exchange",
          "the windows of " + model.name() + "'s attention are not divided among the steps of a ring; take a2a or"
              + " all-gather");
    }
    if (model.stateSpace().isPresent() && parallel.contextExchange() == ContextExchange.A2A_P2P) {
      throw new InvalidSettingException("parallel.context-exchange",
          "the state-space layers of " + model.name() + " exchange heads among all ranks of context; take p2p or a2a");
    }
  }

  private static void divides(String component, int degree, String what, int size) {
    if (size % degree != 0) {
      throw new InvalidSettingException(component, degree + " does not divide the " + size + " " + what);
    }
  }

  /** Whether ranks share the parameters by PyTorch's FSDP, not by DeepSpeed. */
  public boolean shardedByPyTorch() {
    return parallel.sharding() == Sharding.PARAMETERS && deepspeed.isEmpty();
  }

  /**
   * Whether DeepSpeed gathers and reduces tensor by tensor. Where it is not said, jobs without a fused kernel of
   * attention do: their software is older than FlashAttention of May 2022, that is of the time of DeepSpeed 0.5 and
   * before.
   */
  public boolean gathersByTensor() {
    return gathersByTensor(parallel, deepspeed, execution);
  }

  private static boolean gathersByTensor(
      Parallelism parallel, Optional<DeepSpeed> deepspeed, Execution execution) {
    return parallel.sharding() == Sharding.PARAMETERS && deepspeed.isPresent()
        && deepspeed.get().gather().map(each -> each == ParameterGather.BY_TENSOR).orElse(!execution.fusedAttention());
  }

  /** Whether full recomputation ends with the last tensor that the backward pass needs. */
  public boolean stopsEarly() {
    return execution.earlyStop().orElse(shardedByPyTorch());
  }

  /** The number of sequences that are packed into one, at least one. */
  public int packedSequences() {
    return packed.map(tokens -> Math.max(1, Math.round((float) shape().sequence() / tokens))).orElse(1);
  }

  /** The model with the sequence length of the job. */
  public ModelShape shape() {
    return sequence.map(model::withSequence).orElse(model);
  }
}
