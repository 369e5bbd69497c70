package dev.heddle.workload.megatron.parallel;

import com.google.common.collect.ImmutableList;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import java.util.List;
import java.util.Optional;

/**
 * The degrees of parallelism. The remaining factor of the number of ranks is data parallelism.
 *
 * @param tensor ranks that share each layer's matrices
 * @param sequenceParallel whether these ranks also share the activations between the matrices, along the sequence
 * @param pipeline stages that share the layers
 * @param chunks model chunks of a stage, interleaved
 * @param context ranks that share each sequence in attention
 * @param contextExchange exchanges of these ranks
 * @param contextHeads neighbours among them that exchange heads, where others go round a ring; they divide context
 * @param expert ranks that share the experts of a layer
 * @param expertTensor ranks that share each expert's matrices: 1, or as many as {@code tensor}; without it 1 where
 *     experts are divided among ranks, else {@code tensor}
 * @param sharding of optimizer, gradients and parameters over data-parallel ranks
 * @param replicas copies of the shared states: data-parallel ranks form as many groups, each of which shares all
 * @param order order of the pipeline's passes
 * @param layout layers of each virtual stage, as Megatron-Core's pipeline_model_parallel_layout; without it, dealt
 *     evenly, fewer beside multi-token prediction
 * @param placement dimensions in which ranks are numbered, the fastest first; all of them
 */
public record Parallelism(
    @Setting(value = "ranks that share each layer's matrices", def = "1", min = "1",
        max = "" + Parallelism.MOST_RANKS) int tensor,
    @Setting(value = "whether they share the activations between the matrices, along the sequence",
        def = "false") boolean sequenceParallel,
    @Setting(value = "stages that share the layers", def = "1", min = "1",
        max = "" + Parallelism.MOST_RANKS) int pipeline,
    @Setting(value = "model chunks of a stage, interleaved", def = "1", min = "1",
        max = "" + Parallelism.MOST_CHUNKS) int chunks,
    @Setting(value = "ranks that share each sequence", def = "1", min = "1",
        max = "" + Parallelism.MOST_RANKS) int context,
    @Setting(value = "exchange of these ranks: keys and values round a ring, gathered, heads for parts of the sequence,"
        + " or heads between neighbours and a ring of those at the same place", def = "p2p",
        source = "Megatron-Core: cp_comm_type") ContextExchange contextExchange,
    @Setting(value = "neighbours of context that exchange heads under a2a-p2p", min = "2",
        max = "" + Parallelism.MOST_RANKS,
        source = "Megatron-Core: the first of hierarchical_context_parallel_sizes") Optional<Integer> contextHeads,
    @Setting(value = "ranks that share the experts of a layer", def = "1", min = "1",
        max = "" + Parallelism.MOST_RANKS) int expert,
    @Setting(
        value = "ranks that share each expert's matrices: 1 or tensor; without it 1 where expert is above 1, else"
            + " tensor",
        min = "1", max = "" + Parallelism.MOST_RANKS,
        source = "Megatron-Bridge's recipes: expert_tensor_parallel_size 1") Optional<Integer> expertTensor,
    @Setting(value = "states that are divided among data-parallel ranks", def = "none") Sharding sharding,
    @Setting(value = "copies of these states: data-parallel ranks form as many groups of neighbours, each of which"
        + " shares all; gradients are then added up between the groups", def = "1", min = "1",
        max = "" + Parallelism.MOST_RANKS,
        source = "PyTorch: HYBRID_SHARD; Megatron-Core: num_distributed_optimizer_instances") int replicas,
    @Setting(value = "order of the pipeline's passes", def = "one-f-one-b") PipelineOrder order,
    @Setting("layers of each virtual stage, as Megatron-Core's pipeline_model_parallel_layout, such as"
        + " Et*4|(t*4|)*14tmL") Optional<String> layout,
    @Setting(value = "dimensions in which ranks are numbered, the fastest first",
        def = "[tensor, context, data, pipeline]",
        source = "Megatron-LM's default order, tp-cp-ep-dp-pp") List<Dimension> placement) {
  private static final List<Dimension> MEGATRON = List.of(Dimension.values());
  static final int MOST_RANKS = 65536;
  static final int MOST_CHUNKS = 1024;

  /** Checks the ranges, and the combinations that Megatron-LM refuses. */
  public Parallelism {
    within("tensor", tensor, MOST_RANKS);
    within("pipeline", pipeline, MOST_RANKS);
    within("chunks", chunks, MOST_CHUNKS);
    within("context", context, MOST_RANKS);
    within("replicas", replicas, MOST_RANKS);
    within("expert", expert, MOST_RANKS);
    placement = ImmutableList.copyOf(placement);
    if (placement.size() != MEGATRON.size() || !placement.containsAll(MEGATRON)) {
      throw new InvalidSettingException("placement", "must name tensor, context, data and pipeline once each");
    }
    if (sequenceParallel && tensor == 1) {
      throw new InvalidSettingException("sequence-parallel", "needs %s of at least 2; it shares among those ranks",
          "tensor");
    }
    checkContext(context, contextExchange, contextHeads);
    if (replicas > 1 && sharding == Sharding.NONE) {
      throw new InvalidSettingException(
          "replicas", "counts copies of shared states; %s must be optimizer, gradients or parameters, not none",
          "sharding");
    }
    if (expertTensor.isPresent() && expertTensor.get() != 1 && expertTensor.get() != tensor) {
      throw new InvalidSettingException(
          "expert-tensor", "must be 1 or that of %s, " + tensor + ", but is " + expertTensor.get(), "tensor");
    }
    if (chunks > 1 && pipeline == 1) {
      throw new InvalidSettingException("chunks", chunks + " chunks of a stage need a pipeline of at least 2 stages");
    }
    if (chunks > 1 && order != PipelineOrder.ONE_F_ONE_B) {
      throw new InvalidSettingException("chunks", "interleaving is an order of one-f-one-b alone");
    }
    if (sharding == Sharding.PARAMETERS && pipeline > 1) {
      throw new InvalidSettingException(
          "sharding", "parameters are gathered for every micro-batch; with a pipeline use optimizer");
    }
  }

  private static void checkContext(int context, ContextExchange exchange, Optional<Integer> heads) {
    if (exchange != ContextExchange.P2P && context == 1) {
      throw new InvalidSettingException(
          "context-exchange", "is between the ranks of %s, which is 1", "context");
    }
    if (heads.isPresent() != (exchange == ContextExchange.A2A_P2P)) {
      throw new InvalidSettingException(
          "context-heads", heads.isPresent() ? "takes effect with %s a2a-p2p alone" : "is needed by %s a2a-p2p",
          "context-exchange");
    }
    if (heads.isPresent() && (heads.get() < 2 || heads.get() >= context || context % heads.get() != 0)) {
      throw new InvalidSettingException("context-heads",
          "must divide that of %s, " + context + ", from 2 to half of it, but is " + heads.get(), "context");
    }
  }

  private static void within(String component, int degree, int most) {
    if (degree < 1 || degree > most) {
      throw new InvalidSettingException(component, "must be from 1 to " + most + ", but is " + degree);
    }
  }

  /** One rank. */
  public static Parallelism none() {
    return new Parallelism(1, false, 1, 1, 1, ContextExchange.P2P, Optional.empty(), 1, Optional.empty(), Sharding.NONE,
        1, PipelineOrder.ONE_F_ONE_B, Optional.empty(), MEGATRON);
  }

  /** Ranks that share each expert's matrices. */
  public int tensorOfExperts() {
    return expertTensor.orElse(expert > 1 ? 1 : tensor);
  }

  /** Context-parallel ranks that exchange heads: each has all tokens of these ranks for its share of the heads. */
  public int headRanks() {
    return contextExchange == ContextExchange.A2A ? context : contextHeads.orElse(1);
  }

  /** Context-parallel ranks that exchange keys and values. */
  public int keyRanks() {
    return context / headRanks();
  }

  /** Ranks that hold one copy of the model. */
  public long modelRanks() {
    return (long) tensor * context * pipeline;
  }
}
