package dev.heddle.workload.megatron.program;

import dev.heddle.workload.megatron.job.LayerShare;
import dev.heddle.workload.megatron.parallel.GroupKind;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Gradient reductions that all pipeline stages begin at the same time, as with Megatron-LM's {@code align_grad_reduce}.
 * A stage begins that of a model chunk when it has ended as many backward passes after the chunk's last one as stages
 * lie before it, and where fewer follow, after all passes [Megatron-Core, schedules.py: backward_step_helper,
 * grad_sync_virtual_microbatch_id]. Kernels that scale the gradients then run on all stages at once.
 */
final class AlignedReductions {
  private static final double PS_PER_SECOND = 1e12;

  private final LayerPasses layers;
  private final LayerShare share;
  private final GradientReduction reduction;

  /**
   * Prepares the reductions of a job.
   *
   * @param layers builder of operations
   * @param share parameters of each stage and chunk
   * @param reduction of gradients
   */
  AlignedReductions(LayerPasses layers, LayerShare share, GradientReduction reduction) {
    this.layers = layers;
    this.share = share;
    this.reduction = reduction;
  }

  /**
   * The reductions by the place of the slot before which they begin, or by the number of slots, after all of them.
   *
   * @param plan of the stage, with its passes
   * @param stage from 0
   * @param micros micro-batches
   */
  Map<Integer, List<StageOp>> launches(StagePlan plan, int stage, int micros) {
    int[] places = places(plan.slots(), stage, micros, plan.backward().plain().size());
    Map<Integer, StageOps> launches = new TreeMap<>();
    for (int chunk = 0; chunk < places.length; chunk++) {
      StageOps ops = launches.computeIfAbsent(places[chunk], place -> layers.newOps());
      double beside = secondsBeside(plan, places, chunk, micros);
      // Buckets divide the first chunk of the first stage alone, as those of gathers.
      int layers = stage == 0 && chunk == 0 ? share.layers(stage, chunk)[1] : 0;
      long whole = layers > 0 ? share.trainedEmbeddings(stage, chunk) : 0;
      reduction.beginChunk(ops, GroupKind.DATA, share.trained(stage, chunk) - whole, layers, beside);
      reduction.beginChunk(ops, GroupKind.EXPERT_DATA, share.experts(stage, chunk), layers, beside);
      reduction.beginChunk(ops, GroupKind.DATA, whole, 0, beside);
    }
    Map<Integer, List<StageOp>> built = new TreeMap<>();
    launches.forEach((place, ops) -> built.put(place, ops.build()));
    return built;
  }

  // The place after the backward pass that follows a chunk's last one by the number of the stage.
  private static int[] places(int[] slots, int stage, int micros, int chunks) {
    int[] backward = IntStream.range(0, slots.length)
        .filter(place -> PipelineSlots.kind(slots[place]) == PipelineSlots.BACKWARD).toArray();
    int[] places = new int[chunks];
    for (int pass = 0; pass < backward.length; pass++) {
      int slot = slots[backward[pass]];
      if (PipelineSlots.micro(slot) == micros - 1) {
        places[PipelineSlots.chunk(slot)] =
            pass + stage < backward.length ? backward[pass + stage] + 1 : slots.length;
      }
    }
    return places;
  }

  // Computation of the passes between a reduction's begin and the next one's.
  private static double secondsBeside(StagePlan plan, int[] places, int chunk, int micros) {
    int end = IntStream.of(places).filter(place -> place > places[chunk]).min().orElse(plan.slots().length);
    return IntStream.range(places[chunk], end).boxed().flatMap(place -> plan.ops(place, micros).stream())
        .mapToLong(op -> op instanceof StageOp.Compute each ? each.ps() : 0).sum() / PS_PER_SECOND;
  }
}
