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
 * @param expert ranks that share the experts of a layer
 * @param expertTensor ranks that share each expert's matrices: 1, or as many as {@code tensor}; without it 1 where
 *     experts are divided among ranks, else {@code tensor}
 * @param sharding of optimizer, gradients and parameters over data-parallel ranks
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
    @Setting(value = "ranks that share the experts of a layer", def = "1", min = "1",
        max = "" + Parallelism.MOST_RANKS) int expert,
    @Setting(
        value = "ranks that share each expert's matrices: 1 or tensor; without it 1 where expert is above 1, else"
            + " tensor",
        min = "1", max = "" + Parallelism.MOST_RANKS,
        source = "Megatron-Bridge's recipes: expert_tensor_parallel_size 1") Optional<Integer> expertTensor,
    @Setting(value = "states that are divided among data-parallel ranks", def = "none") Sharding sharding,
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
    within("expert", expert, MOST_RANKS);
    placement = ImmutableList.copyOf(placement);
    if (placement.size() != MEGATRON.size() || !placement.containsAll(MEGATRON)) {
      throw new InvalidSettingException("placement", "must name tensor, context, data and pipeline once each");
    }
    if (sequenceParallel && tensor == 1) {
      throw new InvalidSettingException("sequence-parallel", "needs tensor of at least 2; it shares among those ranks");
    }
    if (expertTensor.isPresent() && expertTensor.get() != 1 && expertTensor.get() != tensor) {
      throw new InvalidSettingException(
          "expert-tensor", "must be 1 or tensor = " + tensor + ", but is " + expertTensor.get());
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

  private static void within(String component, int degree, int most) {
    if (degree < 1 || degree > most) {
      throw new InvalidSettingException(component, "must be from 1 to " + most + ", but is " + degree);
    }
  }

  /** One rank. */
  public static Parallelism none() {
    return new Parallelism(1, false, 1, 1, 1, 1, Optional.empty(), Sharding.NONE, PipelineOrder.ONE_F_ONE_B,
        Optional.empty(), MEGATRON);
  }

  /** Ranks that share each expert's matrices. */
  public int tensorOfExperts() {
    return expertTensor.orElse(expert > 1 ? 1 : tensor);
  }

  /** Ranks that hold one copy of the model. */
  public int modelRanks() {
    return tensor * context * pipeline;
  }
}
