package dev.heddle.workload.megatron.program;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.parallel.GroupKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Parameter gathers that all pipeline stages begin at the same time, as with Megatron-LM's {@code align_param_gather}:
 * those of the first two model chunks at the start of the iteration, those of chunk {@code c + 1} at the forward pass
 * with which the first stage begins chunk {@code c}. No stage waits for its first message to begin them.
 */
final class AlignedGathers {
  private final List<List<Long>> dense;
  private final List<Long> experts;

  /**
   * Prepares the gathers of a stage.
   *
   * @param dense bytes of each bucket of each chunk, in the order of their use
   * @param experts bytes of each chunk's experts, one bucket each; 0 for none
   */
  AlignedGathers(List<List<Long>> dense, List<Long> experts) {
    this.dense = List.copyOf(dense);
    this.experts = List.copyOf(experts);
  }

  /**
   * The gathers by the place of the slot before which they begin.
   *
   * @param slots order of the stage's passes
   * @param stage from 0
   * @param stages of the pipeline
   */
  Map<Integer, List<StageOp>> launches(int[] slots, int stage, int stages) {
    Map<Integer, List<StageOp>> launches = new LinkedHashMap<>();
    for (int chunk = 0; chunk < dense.size(); chunk++) {
      int forward = Math.max(0, (chunk - 1) * stages - stage);
      List<StageOp> at = launches.computeIfAbsent(chunk < 2 ? 0 : place(slots, forward), place -> new ArrayList<>());
      for (long bytes : dense.get(chunk)) {
        at.add(new StageOp.Begin(GroupKind.PARAMETERS, CollectiveOp.ALL_GATHER, bytes));
      }
      if (experts.get(chunk) > 0) {
        at.add(new StageOp.Begin(GroupKind.EXPERT_DATA, CollectiveOp.ALL_GATHER, experts.get(chunk)));
      }
    }
    return launches;
  }

  // The place of a forward pass, counted from 0 over all chunks.
  private static int place(int[] slots, int forward) {
    int seen = -1;
    for (int place = 0; place < slots.length; place++) {
      seen += PipelineSlots.kind(slots[place]) == PipelineSlots.FORWARD ? 1 : 0;
      if (seen == forward) {
        return place;
      }
    }
    return 0;
  }

  /** Waits for a bucket of a chunk. */
  void awaitBucket(StageOps ops, int chunk, int bucket) {
    int ended = bucket + 1;
    for (int before = 0; before < chunk; before++) {
      ended += dense.get(before).size();
    }
    if (bucket < dense.get(chunk).size()) {
      ops.await(Activity.DATA, GroupKind.PARAMETERS, ended);
    }
  }

  /** Waits for a chunk's experts. */
  void awaitExperts(StageOps ops, int chunk) {
    int ended = 0;
    for (int before = 0; before <= chunk; before++) {
      ended += experts.get(before) > 0 ? 1 : 0;
    }
    if (experts.get(chunk) > 0) {
      ops.await(Activity.DATA, GroupKind.EXPERT_DATA, ended);
    }
  }
}
