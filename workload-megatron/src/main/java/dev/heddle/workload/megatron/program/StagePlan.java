package dev.heddle.workload.megatron.program;

import java.util.List;
import java.util.Map;

/**
 * The operations of all ranks of a pipeline stage in an iteration. Immutable, shared by the ranks.
 *
 * @param slots order of the passes, as {@link PipelineSlots} packs them
 * @param launches parameter gathers that begin before a slot's message is received, by the slot's place in the order
 * @param forward pieces of a forward pass, per chunk
 * @param firstForward the same for the first micro-batch
 * @param backward pieces of a backward pass, per chunk
 * @param lastBackward the same for the last micro-batch
 * @param weights pieces of the gradients of weights, per chunk, where they have slots of their own
 * @param end pieces that follow the last pass
 */
record StagePlan(
    int[] slots,
    Map<Integer, List<StageOp>> launches,
    List<List<StageOp>> forward,
    List<List<StageOp>> firstForward,
    List<List<StageOp>> backward,
    List<List<StageOp>> lastBackward,
    List<List<StageOp>> weights,
    List<StageOp> end) {
  /** The gathers that begin before the slot at a place. */
  List<StageOp> launches(int place) {
    return launches.getOrDefault(place, List.of());
  }

  /** The pieces of a slot. */
  List<StageOp> pieces(int slot, int micros) {
    int chunk = PipelineSlots.chunk(slot);
    int micro = PipelineSlots.micro(slot);
    return switch (PipelineSlots.kind(slot)) {
      case PipelineSlots.FORWARD -> (micro == 0 ? firstForward : forward).get(chunk);
      case PipelineSlots.BACKWARD -> (micro == micros - 1 ? lastBackward : backward).get(chunk);
      default -> weights.get(chunk);
    };
  }
}
