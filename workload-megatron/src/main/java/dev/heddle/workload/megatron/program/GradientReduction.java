package dev.heddle.workload.megatron.program;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.parallel.Accumulation;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.RankGrid;
import dev.heddle.workload.megatron.parallel.Sharding;
import java.util.List;

/**
 * The reduction of gradients over data-parallel ranks: all-reduced where each rank keeps all states, or those of whole
 * matrices, or all gradients under DeepSpeed; else scattered among the ranks that share them, and each share then
 * all-reduced between the replicas of the states. Unless the collective averages them, a kernel multiplies each
 * bucket by the inverse of the number of ranks before it is reduced [Megatron-Core, param_and_grad_buffer.py:
 * start_grad_sync, gradient_scaling_factor; before, distributed.py: allreduce_gradients; DeepSpeed divides as well].
 */
final class GradientReduction {
  /** Tensors of a layer: four matrices and the scales of two normalisations. */
  private static final int TENSORS = 6;
  private static final int HALF = 2;

  private final Training training;
  private final RankGrid grid;
  private final Parallelism parallel;
  private final Execution execution;
  private final Contention contention;

  GradientReduction(Training training, RankGrid grid, Contention contention) {
    this.training = training;
    this.grid = grid;
    this.contention = contention;
    parallel = training.parallel();
    execution = training.execution();
  }

  /** Whether each backward pass reduces its gradients, not the last one only. */
  boolean everyPass() {
    return parallel.sharding() == Sharding.PARAMETERS
        || parallel.sharding().gradients() && training.deepspeed().isPresent();
  }

  /**
   * Begins the reduction of the gradients of a number of parameters, in one bucket, unless there are none.
   *
   * @param group ranks that share the parameters' states: {@link GroupKind#DATA} or {@link GroupKind#EXPERT_DATA}
   */
  void begin(StageOps ops, GroupKind group, long parameters) {
    boolean divided = grid.size(group) > 1;
    boolean copied = grid.size(replicas(group)) > 1;
    if (parameters == 0 || !divided && !copied) {
      return;
    }
    long bytes = gradientBytes() * parameters;
    if (execution.gradientCheck()) {
      // The host reads the bucket's norm [Megatron-Core, param_and_grad_buffer.py: check_grads].
      ops.move("gradient-check", bytes).reach().synchronise();
    }
    if (scales()) {
      ops.move("gradient-scale", 2.0 * bytes);
    }
    if (divided) {
      ops.begin(group, operation(), bytes);
    }
    if (copied) {
      ops.begin(replicas(group), CollectiveOp.ALL_REDUCE, scattered(group, parameters));
    }
  }

  /**
   * Begins the same beside the pass that gives more gradients, which it slows down.
   *
   * @param layers that the gradients are of, whose tensors buckets do not divide
   */
  void beside(StageOps ops, GroupKind group, long parameters, int layers) {
    begin(ops, group, parameters, everyPass() ? 0 : layers);
    contention.slow(ops, group, passes() * parameters * gradientBytes());
    contention.slow(ops, replicas(group), 2 * scattered(group, parameters));
  }

  /**
   * Begins the reduction of gradients of a model chunk before passes of other chunks, which it slows down.
   *
   * @param layers that the gradients are of, whose tensors buckets do not divide; 0 for one bucket
   * @param seconds computation of those passes
   */
  void beginChunk(StageOps ops, GroupKind group, long parameters, int layers, double seconds) {
    begin(ops, group, parameters, layers);
    ops.idle(ops.activity(), contention.lostSeconds(group, passes() * parameters * gradientBytes(), seconds)
        + contention.lostSeconds(replicas(group), 2 * scattered(group, parameters), seconds));
  }

  private void begin(StageOps ops, GroupKind group, long parameters, int layers) {
    long left = parameters;
    long buckets = Math.max(1, Math.min((long) TENSORS * layers, parameters / execution.bucketParameters()));
    for (long bucket = buckets; bucket > 0; bucket--) {
      begin(ops, group, left / bucket);
      left -= left / bucket;
    }
  }

  private int passes() {
    return operation() == CollectiveOp.ALL_REDUCE ? 2 : 1;
  }

  /** Adds the wait for all reductions of a group. */
  void join(StageOps ops, GroupKind group) {
    for (GroupKind each : List.of(group, replicas(group))) {
      if (grid.size(each) > 1) {
        ops.join(Activity.DATA, each, 0);
      }
    }
  }

  private static GroupKind replicas(GroupKind group) {
    return group == GroupKind.DATA ? GroupKind.REPLICAS : GroupKind.EXPERT_REPLICAS;
  }

  private long scattered(GroupKind group, long parameters) {
    return (parameters * gradientBytes() + grid.size(group) - 1) / grid.size(group);
  }

  // Where PyTorch's FSDP shares parameters, the kernels of accumulation hold the division.
  private boolean scales() {
    return !execution.averageInCollective()
        && !(training.shardedByPyTorch() && execution.accumulation() == Accumulation.ADDED);
  }

  // DeepSpeed reduces sums of 32 bits in the model's 16 [engine.py of 2022: communication_data_type].
  private long gradientBytes() {
    boolean shortened = training.deepspeed().isPresent() && execution.accumulation() == Accumulation.CONVERTED;
    return shortened ? HALF : execution.gradientBytes();
  }

  // DeepSpeed's first stage switches contiguous gradients off, so that whole buckets are all-reduced, as those of
  // BF16_Optimizer are [engine.py: _configure_zero_optimizer; stage_1_and_2.py: reduce_ipg_grads,
  // buffered_reduce_fallback; pipe/engine.py: _bf16_reduce_grads].
  private CollectiveOp operation() {
    boolean whole = training.deepspeed().isPresent() && !parallel.sharding().gradients();
    boolean scatters = parallel.sharding().optimizer() && !execution.ownsWholeMatrices() && !whole;
    return scatters ? CollectiveOp.REDUCE_SCATTER : CollectiveOp.ALL_REDUCE;
  }
}
