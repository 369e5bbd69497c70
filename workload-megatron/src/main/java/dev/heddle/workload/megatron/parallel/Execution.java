package dev.heddle.workload.megatron.parallel;

import com.google.common.collect.ImmutableList;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import dev.heddle.units.SimTime;
import dev.heddle.workload.megatron.kernel.AttentionKernel;
import dev.heddle.workload.megatron.kernel.LinearFormat;
import dev.heddle.workload.megatron.kernel.NormKernel;
import java.util.List;
import java.util.Optional;

/**
 * Execution by the software: numerics, fused kernels, recomputation and overlap.
 *
 * @param precision of the linear layers' products: fp16, bf16 or fp8
 * @param gradientBytes size of a gradient when gradients are accumulated and reduced
 * @param averageInCollective whether the collective averages gradients; else a kernel scales them before it
 * @param gradientCheck whether gradients are searched for infinite values before they are reduced
 * @param parameterBytes size of a parameter when parameters are gathered; 1 where the optimizer quantises them
 * @param weightCasts whether weights are cast to the format of linear layers in each iteration, as they are after an
 *     update
 * @param attention kernel of attention
 * @param quantisedAttention whether attention multiplies 8 bits too
 * @param quantisedOutput whether the product that gives the logits is quantised as linear layers are
 * @param norm kernel of normalisation
 * @param elementwise kernels of normalisation without a mean, of rotations and of gated activations
 * @param operationFuser whether the activation of a layer without experts leaves what its products read quantised
 * @param hadamard whether factors of weights' gradients are rotated before they are cast to NVFP4
 * @param fusedRotation whether one kernel rotates queries and keys where the projection put them, and divides it
 * @param crossEntropy kernels of the loss
 * @param dropout whether there is dropout
 * @param recompute activations that are recomputed
 * @param recomputeModules modules that selective recomputation repeats; none are attention's core
 * @param recomputeLayers layers of each model chunk, its first, that full recomputation covers; without it, all
 * @param offloadLayers first layers whose activations the host's memory keeps between the passes
 * @param optimizer rule of the optimizer's step
 * @param optimizerBytes memory of the optimizer's states for a parameter
 * @param optimizerKernels kernels of the optimizer's update
 * @param accumulation accumulation of weight gradients
 * @param tensorOverlap of tensor-parallel communication
 * @param reduceOverlap whether the reduction of gradients overlaps the backward pass
 * @param reduceAligned whether all stages of a pipeline begin to reduce the gradients of a model chunk at once; else
 *     each within the chunk's last backward pass
 * @param gatherOverlap whether the gathering of parameters overlaps the next forward pass
 * @param gatherAligned whether all stages of a pipeline begin to gather at once; else each as its first micro-batch
 *     comes
 * @param gatherInIteration whether an iteration gathers the parameters that its optimizer divides
 * @param scatterMessages whether each tensor-parallel rank sends a share of a stage's message
 * @param messageOverlap whether stages send while they compute; else a stage waits for its sends
 * @param bucketParameters parameters whose gradients are reduced at once
 * @param hostPerKernel time of the host for a kernel that a module launches: with small kernels the accelerator waits
 *     for it
 * @param graphs modules of a layer that the host starts with one launch a pass
 * @param launchBlocking whether the host waits for every kernel before it starts the next; then nothing overlaps
 * @param dispatch transport of tokens to their experts and back
 * @param dispatchBytes bytes of an element of a token that is sent to experts; 1 adds a scale for 128 elements
 * @param expertKernels kernels of the experts' matrices
 * @param expertStash whether tensors for the gradients of experts are copied from a graph's fixed buffers to pages,
 *     and back
 * @param expertOverlap whether the exchange of tokens overlaps the passes of other micro-batches
 * @param overlapSlowdown relative slowdown of products that overlap tensor-parallel or experts' communication
 * @param collectiveUnits compute units that a collective of parameters or gradients occupies while it overlaps
 *     computation, between nodes; half as many again within a node; 0 where separate engines perform it
 * @param earlyStop whether full recomputation ends with the last tensor that the backward pass needs, so that a block's
 *     last product is not repeated; without it, where parameters are sharded and not by DeepSpeed
 */
public record Execution(
    @Setting(value = "format of the factors of linear layers; mxfp8, nvfp4 and mxfp4 need matrix units that apply"
        + " scales of blocks, as Blackwell's (mxfp8, nvfp4) and CDNA 4's (mxfp8, mxfp4) do",
        def = "bf16") LinearFormat precision,
    @Setting(value = "bytes of a gradient in accumulation and reduction", def = "4", min = "2",
        max = "4") int gradientBytes,
    @Setting(value = "whether collectives average gradients; else a kernel scales each bucket before", def = "false",
        source = "Megatron-Core: average_in_collective, off") boolean averageInCollective,
    @Setting(value = "whether each bucket of gradients is searched for infinite values before it is reduced, for which"
        + " the host waits", def = "false", source = "Megatron-Core: check_for_nan_in_grad, off") boolean gradientCheck,
    @Setting(value = "bytes of a parameter that is gathered; 1 where the optimizer quantises parameters to 8 bits",
        def = "2", min = "1", max = "2", source = "Megatron-Core: fp8_param_gather, off") int parameterBytes,
    @Setting(value = "whether weights are cast anew in each iteration; a benchmark without an optimizer keeps them",
        def = "true", source = "Transformer Engine: is_first_microbatch") boolean weightCasts,
    @Setting(value = "kernel of attention; fused is cuDNN's (flash-3) on NVIDIA's accelerators from Hopper on, else"
        + " flash-2", def = "fused",
        source = "Transformer Engine since 1.2, pull request 497") AttentionKernel attention,
    @Setting(value = "whether attention multiplies 8 bits, where linear layers multiply 8 or 4", def = "false",
        source = "Megatron-Bridge: fp8_dot_product_attention, off") boolean quantisedAttention,
    @Setting(value = "whether the product that gives the logits has the format of linear layers, else 16 bits",
        def = "false", source = "Megatron-Core: fp8_output_proj, off") boolean quantisedOutput,
    @Setting(value = "kernel of normalisation", def = "persistent") NormKernel norm,
    @Setting(
        value = "kernels of normalisation without a mean, rotations and gated activations: one each, or one for each"
            + " operator of PyTorch where a model is not compiled",
        def = "fused") ElementwiseKernels elementwise,
    @Setting(value = "whether the kernels of the activation, in layers without experts, leave their results quantised"
        + " for the products", def = "false",
        source = "Megatron-Core: use_transformer_engine_op_fuser, off") boolean operationFuser,
    @Setting(value = "whether the factors of weights' gradients are rotated before a cast to nvfp4, whose largest value"
        + " then needs a pass of its own", def = "true",
        source = "Transformer Engine: NVTE_NVFP4_DISABLE_RHT, off") boolean hadamard,
    @Setting(value = "whether one kernel divides the projection into queries, keys and values and rotates them",
        def = "false", source = "Megatron-Core: fused_single_qkv_rope, off") boolean fusedRotation,
    @Setting(value = "kernels of the loss", def = "megatron") CrossEntropy crossEntropy,
    @Setting(value = "whether there is dropout", def = "false") boolean dropout,
    @Setting(value = "activations that the backward pass recomputes", def = "none") Recompute recompute,
    @Setting(value = "modules that selective recomputation repeats; without it, core-attn",
        source = "Megatron-Core: recompute_modules") List<RecomputedModule> recomputeModules,
    @Setting(value = "layers of each model chunk, its first, that full recomputation covers; without it, all",
        min = "0", max = "100000",
        source = "Megatron-LM: recompute-method block, recompute-num-layers") Optional<Integer> recomputeLayers,
    @Setting(value = "first layers whose activations are copied to the memory of the node's processors, and back for"
        + " the backward pass", def = "0", min = "0", max = "100000",
        source = "Megatron-Core: cpu_offloading_num_layers") int offloadLayers,
    @Setting(value = "rule of the optimizer's step: two moments for each parameter, or one that is made orthogonal for"
        + " the matrices of the layers, each whole on one data-parallel rank", def = "adam",
        source = "Megatron-Core: optimizer adam or dist_muon") OptimizerKind optimizer,
    @Setting(value = "memory of the optimizer's states for a parameter, in bytes: 12 are a parameter and two moments in"
        + " 32 bits, 8 have moments in 16 bits, 6 in 8 bits", def = "12", min = "4", max = "12",
        source = "ZeRO §3.1; Megatron-Core: exp_avg_dtype") int optimizerBytes,
    @Setting(value = "kernels of the optimizer's update", def = "fused") OptimizerKernels optimizerKernels,
    @Setting(value = "accumulation of weight gradients", def = "product") Accumulation accumulation,
    @Setting(value = "tensor-parallel communication that overlaps products",
        def = "backward") TensorOverlap tensorOverlap,
    @Setting(value = "whether gradients are reduced during the backward pass", def = "true") boolean reduceOverlap,
    @Setting(
        value = "whether all stages of a pipeline begin to reduce a model chunk's gradients at once; else each within"
            + " the chunk's last backward pass, as the first stage without chunks does in any case",
        def = "true", source = "Megatron-LM's default, align_grad_reduce") boolean reduceAligned,
    @Setting(value = "whether parameters are gathered during the forward pass", def = "true") boolean gatherOverlap,
    @Setting(
        value = "whether all stages of a pipeline begin to gather at once; else each as its first micro-batch comes",
        def = "true", source = "Megatron-LM's default, align_param_gather") boolean gatherAligned,
    @Setting(
        value = "whether an iteration gathers the parameters that its optimizer divides; not where an evaluation after"
            + " each iteration gathers them in its own time",
        def = "true",
        source = "Megatron-Core, disable_forward_pre_hook") boolean gatherInIteration,
    @Setting(value = "whether each tensor-parallel rank sends a share of a stage's message",
        def = "true") boolean scatterMessages,
    @Setting(value = "whether stages pass on while they compute", def = "false") boolean messageOverlap,
    @Setting(value = "parameters whose gradients are reduced at once", def = "40000000", min = "1",
        source = "Megatron-Core's default bucket size") long bucketParameters,
    @Setting(value = "time of the host for a kernel that a module launches; without it, by the nodes' cpu; 0 where a"
        + " graph holds an iteration with the optimizer's step", max = "1 s",
        source = "Transformer Engine's issue 2053: 95 us on Grace for a pass of a linear layer, 2.7 times PyTorch's,"
            + " which takes 13.5 us on a Xeon Platinum 8480C and 5 to 25 us elsewhere [Huang, From PyTorch op to kernel"
            + " launch], the middle") Optional<SimTime> hostPerKernel,
    @Setting(value = "modules whose kernels a CUDA graph holds, or all but the optimizer's step",
        source = "Megatron-Core: cuda_graph_scope") List<GraphScope> graphs,
    @Setting(value = "whether the host waits for every kernel (CUDA_LAUNCH_BLOCKING=1)",
        def = "false") boolean launchBlocking,
    @Setting(value = "transport of tokens to their experts and back", def = "flex",
        source = "Megatron-Bridge's recipes: flex, by DeepEP or HybridEP as nodes have up to 8 accelerators or"
            + " more") ExpertDispatch dispatch,
    @Setting(value = "bytes of an element that is sent to experts; 1 adds a scale for 128 elements", def = "2",
        min = "1",
        max = "2", source = "Megatron-Core: flex dispatches in BF16; DeepSeek-V3 in FP8") int dispatchBytes,
    @Setting(value = "kernels of the experts' matrices", def = "separate",
        source = "Megatron-Core: use_transformer_engine_op_fuser, off") ExpertKernels expertKernels,
    @Setting(value = "whether experts' activations are copied from buffers of a graph's fixed size to pages of as many"
        + " rows as there are, and back for the gradients", def = "false",
        source = "Megatron-Core: moe_paged_stash, off") boolean expertStash,
    @Setting(value = "whether the exchange of tokens overlaps passes of other micro-batches",
        def = "false", source = "Megatron-Core: overlap_moe_expert_parallel_comm, off") boolean expertOverlap,
    @Setting(value = "relative slowdown of products that overlap communication", def = "0.05", min = "0", max = "1",
        source = "Calculon: 2 % on NVLink to 15 % of compute is taken while communicating") double overlapSlowdown,
    @Setting(value = "compute units that a collective of parameters or gradients occupies beside computation, between"
        + " nodes; half as many again within one", def = "16", min = "0", max = "64",
        source = "NCCL's channels, of one thread block each, on 8 A100 or H100: 16 between nodes, 24"
            + " within") int collectiveUnits,
    @Setting(value = "whether full recomputation ends with the last tensor that the backward pass needs; without it,"
        + " where parameters are sharded without DeepSpeed",
        source = "PyTorch 2.1: torch.utils.checkpoint without reentry, FSDP's default") Optional<Boolean> earlyStop) {
  private static final int PARAMETER_BYTES = 4;

  /** A copy with another precision and recomputation. */
  public Execution with(LinearFormat otherPrecision, Recompute otherRecompute) {
    return new Execution(
        otherPrecision, gradientBytes, averageInCollective, gradientCheck,
        otherPrecision.scaledByTensor() ? parameterBytes : 2, weightCasts, attention,
        quantisedAttention && otherPrecision.quantised(),
        quantisedOutput && otherPrecision.quantised(), norm, elementwise, operationFuser, hadamard, fusedRotation,
        crossEntropy,
        dropout, otherRecompute,
        otherRecompute == Recompute.SELECTIVE ? recomputeModules : List.of(),
        otherRecompute == Recompute.FULL ? recomputeLayers : Optional.empty(),
        otherRecompute == Recompute.NONE ? offloadLayers : 0, optimizer, optimizerBytes, optimizerKernels,
        accumulation,
        tensorOverlap, reduceOverlap, reduceAligned, gatherOverlap, gatherAligned, gatherInIteration,
        scatterMessages, messageOverlap, bucketParameters,
        hostPerKernel, graphs,
        launchBlocking,
        dispatch, dispatchBytes, expertKernels, expertStash, expertOverlap, overlapSlowdown, collectiveUnits,
        earlyStop);
  }

  /** Whether selective recomputation repeats a module. */
  public boolean recomputes(RecomputedModule module) {
    return recompute == Recompute.SELECTIVE
        && (recomputeModules.isEmpty() ? module == RecomputedModule.CORE_ATTN : recomputeModules.contains(module));
  }

  /**
   * Whether full recomputation repeats a layer.
   *
   * @param place of the layer in its model chunk, from 0
   */
  public boolean recomputesLayer(int place) {
    return recompute == Recompute.FULL && place < recomputeLayers.orElse(Integer.MAX_VALUE);
  }

  /** Whether matrices are whole on the ranks that own their states. */
  public boolean ownsWholeMatrices() {
    return optimizer == OptimizerKind.MUON;
  }

  /** Memory of the optimizer's states for a parameter, in bytes: Muon has one moment where Adam has two. */
  public int stateBytes() {
    return ownsWholeMatrices() ? PARAMETER_BYTES + (optimizerBytes - PARAMETER_BYTES) / 2 : optimizerBytes;
  }

  /** Whether elementwise operators run one by one. */
  public boolean runsOperators() {
    return elementwise == ElementwiseKernels.OPERATORS;
  }

  /**
   * Whether the kernel of normalisation writes its results in the format of the product that follows: in 8 bits with a
   * scale of earlier iterations, or with scales of blocks where it is cuDNN's [Transformer Engine,
   * csrc/extensions/normalization.cpp: FULLY_FUSED].
   */
  public boolean normQuantises() {
    return precision == LinearFormat.FP8 || precision == LinearFormat.MXFP8 && norm == NormKernel.CUDNN;
  }

  /**
   * Whether the kernel of normalisation leaves the largest value of its results for the cast, as Transformer Engine's
   * own does unless they are rotated before the cast [the same file: FUSED_NORM_AMAX_FP8 and FUSED_NORM_AMAX_NVFP4].
   */
  public boolean normLeavesLargest() {
    return precision == LinearFormat.FP8_CURRENT
        || precision == LinearFormat.NVFP4 && !hadamard && norm == NormKernel.PERSISTENT;
  }

  /**
   * Whether the kernels of the activation write their results in the format of the product that follows [Transformer
   * Engine, csrc/extensions/activation.cpp: FULLY_FUSED].
   */
  public boolean activationQuantises() {
    return operationFuser && (precision == LinearFormat.FP8 || precision == LinearFormat.MXFP8);
  }

  /**
   * Whether the kernels of the activation leave the largest value of their results for the cast [the same file:
   * FUSED_ACTIVATION_AMAX_FP8 and FUSED_ACTIVATION_AMAX_NVFP4].
   */
  public boolean activationLeavesLargest() {
    return operationFuser
        && (precision == LinearFormat.FP8_CURRENT || precision == LinearFormat.NVFP4 && !hadamard);
  }

  /** Whether attention is fused, so that its scores stay within the kernel. */
  public boolean fusedAttention() {
    return attention != AttentionKernel.UNFUSED;
  }

  /**
   * Whether attention writes its results and gradients in 8 bits, and reads them so, as with scales of earlier
   * iterations [Transformer Engine, FusedAttnFunc: DelayedScaling].
   */
  public boolean writesAttentionInEightBits() {
    return quantisedAttention && precision == LinearFormat.FP8;
  }

  /** Checks the settings. */
  public Execution {
    recomputeModules = ImmutableList.copyOf(recomputeModules);
    graphs = ImmutableList.copyOf(graphs);
    if (graphs.size() > 1 && graphs.contains(GraphScope.FULL_ITERATION)) {
      throw new InvalidSettingException("graphs", "full-iteration holds all modules; leave the others out");
    }
    if (graphs.contains(GraphScope.MOE_PREPROCESS) && !graphs.contains(GraphScope.MOE_ROUTER)) {
      throw new InvalidSettingException("graphs", "moe-preprocess goes on from the router; it needs moe-router");
    }
    if (!recomputeModules.isEmpty() && recompute != Recompute.SELECTIVE) {
      throw new InvalidSettingException("recompute-modules", "take effect with recompute: selective alone");
    }
    if (recomputeLayers.isPresent() && recompute != Recompute.FULL) {
      throw new InvalidSettingException("recompute-layers", "take effect with recompute: full alone");
    }
    if (offloadLayers > 0 && recompute != Recompute.NONE) {
      throw new InvalidSettingException(
          "offload-layers", "keep activations that recompute would not; recompute must be none, as in Megatron-Core");
    }
    if (quantisedAttention && !(precision.quantised() && attention != AttentionKernel.UNFUSED)) {
      throw new InvalidSettingException(
          "quantised-attention",
          "needs fused attention and linear layers in 8 or 4 bits: precision: fp8, mxfp8, nvfp4 or mxfp4");
    }
    if (quantisedOutput && !precision.quantised()) {
      throw new InvalidSettingException("quantised-output", "needs linear layers in 8 or 4 bits");
    }
    if (expertStash && recomputeModules.contains(RecomputedModule.MOE)) {
      throw new InvalidSettingException(
          "expert-stash", "copies what recompute-modules: [moe] does not keep; leave one of them out");
    }
    if (elementwise == ElementwiseKernels.OPERATORS && (operationFuser || fusedRotation)) {
      throw new InvalidSettingException("elementwise", "operators have no fused kernels: leave out "
          + (operationFuser ? "operation-fuser" : "fused-rotation"));
    }
    if (parameterBytes == 1 && !precision.scaledByTensor()) {
      throw new InvalidSettingException("parameter-bytes", "1 needs products in 8 bits with one scale a tensor:"
          + " precision: fp8 or fp8-current");
    }
    if (gradientBytes == 3) {
      throw new InvalidSettingException("gradient-bytes", "must be 2 or 4");
    }
    if (accumulation == Accumulation.CONVERTED && gradientBytes != 4) {
      throw new InvalidSettingException(
          "accumulation", "converted adds gradients up in 32 bits; gradient-bytes must be 4, but is " + gradientBytes);
    }
    if (launchBlocking
        && (tensorOverlap != TensorOverlap.NONE || reduceOverlap || gatherOverlap || messageOverlap)) {
      throw new InvalidSettingException(
          "launch-blocking", "lets nothing overlap; it needs tensor-overlap: none, reduce-overlap: false, "
              + "gather-overlap: false and message-overlap: false");
    }
  }
}
