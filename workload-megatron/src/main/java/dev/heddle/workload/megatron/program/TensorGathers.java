package dev.heddle.workload.megatron.program;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.model.ModelShape;
import dev.heddle.workload.megatron.parallel.DeepSpeed;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.Recompute;
import java.util.List;

/**
 * Gathers of one matrix of a layer at a time, and reductions of one gradient at a time, as DeepSpeed's ZeRO-3 had them
 * until the end of 2021: before a module runs, the host waits for the device and for the gather that was begun one
 * module earlier, fills the buffer of the next matrix with zeros and begins its gather. The lists that PyTorch's
 * collectives take are copied part by part, one launch for each rank [DeepSpeed 0.4.5, stage3.py,
 * partition_parameters.py; PyTorch 1.8, ProcessGroupNCCL].
 */
final class TensorGathers {
  private static final int HALF = 2;
  private static final List<String> ORDER = List.of("qkv", "projection", "up", "down");

  private final LayerSizes sizes;
  private final DeepSpeed settings;
  private final int ranks;
  private final boolean recomputes;

  /**
   * Prepares the gathers of a job.
   *
   * @param sizes of a layer
   * @param ranks that share the parameters
   */
  TensorGathers(LayerSizes sizes, int ranks) {
    this.sizes = sizes;
    this.ranks = ranks;
    settings = sizes.training().deepspeed().orElseThrow();
    recomputes = sizes.execution().recompute() == Recompute.FULL;
  }

  /** Whether a job gathers tensor by tensor over a number of ranks. */
  static boolean apply(Training training, int ranks) {
    return ranks > 1 && training.gathersByTensor();
  }

  /** Adds the wait for a matrix before its forward product, and begins the gather of the next. */
  void beforeForward(StageOps ops, String name, boolean recomputed) {
    int place = ORDER.indexOf(name);
    // The last matrix of a recomputed layer is kept, as its gradient is next.
    fetch(ops, place, place == 0 ? ORDER.size() - 1 : place - 1);
    prefetch(ops, place, recomputed && place == ORDER.size() - 1 ? place - 1 : (place + 1) % ORDER.size());
  }

  /** Adds the wait for a matrix before its gradients, and begins the gather of the next. */
  void beforeBackward(StageOps ops, String name) {
    int place = ORDER.indexOf(name);
    boolean last = place == ORDER.size() - 1;
    if (last && recomputes) {
      return;
    }
    fetch(ops, place, last ? 0 : place + 1);
    prefetch(ops, place, place > 0 ? place - 1 : recomputes ? 0 : ORDER.size() - 1);
  }

  // A matrix that was not gathered ahead, because the one before it filled the limit, is gathered now.
  private void fetch(StageOps ops, int place, int before) {
    ops.join(Activity.DATA, GroupKind.DATA, 0);
    if (!leavesRoom(before)) {
      gather(ops, place);
      ops.join(Activity.DATA, GroupKind.DATA, 0);
    }
  }

  private void prefetch(StageOps ops, int place, int next) {
    if (leavesRoom(place)) {
      gather(ops, next);
    }
  }

  private boolean leavesRoom(int place) {
    return parameters(ORDER.get(place)) < settings.maxLiveParameters();
  }

  private void gather(StageOps ops, int place) {
    long bytes = HALF * parameters(ORDER.get(place));
    ops.move("gathered-zeros", bytes);
    ops.begin(GroupKind.DATA, CollectiveOp.ALL_GATHER, bytes);
    ops.host(Activity.DATA, ranks);
  }

  /** Adds the reduction of the gradients of a matrix, of its bias and of the normalisation before it. */
  void reduce(StageOps ops, String name) {
    reduce(ops, parameters(name));
    int vectors = (sizes.model().bias() ? 1 : 0)
        + (name.equals("qkv") || name.equals("up") ? sizes.model().normBias() ? 2 : 1 : 0);
    for (int vector = 0; vector < vectors; vector++) {
      reduce(ops, sizes.model().hidden());
    }
  }

  private void reduce(StageOps ops, long parameters) {
    ops.begin(GroupKind.DATA, CollectiveOp.REDUCE_SCATTER, parameters * sizes.execution().gradientBytes());
    ops.launches(ranks, true);
  }

  /** Launches of the host that copy the small tensors of a layer, which stay whole, after the optimizer's step. */
  int copiesOfSmall() {
    return Math.toIntExact(ranks * sizes.model().smallTensors(settings.paramPersistenceThreshold()));
  }

  private long parameters(String name) {
    ModelShape model = sizes.model();
    return switch (name) {
      case "qkv" -> model.hidden() * sizes.projected();
      case "projection" -> model.hidden() * sizes.context();
      case "up" -> (long) model.activation().projections() * model.inner() * model.hidden();
      default -> (long) model.inner() * model.hidden();
    };
  }
}
