package dev.heddle.workload.megatron.program;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.parallel.Accumulation;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.Sharding;

/**
 * The reduction of gradients over data-parallel ranks. Unless the collective averages them, a kernel multiplies each
 * bucket by the inverse of the number of ranks before it is reduced [Megatron-Core, param_and_grad_buffer.py:
 * start_grad_sync, gradient_scaling_factor; before, distributed.py: allreduce_gradients; DeepSpeed divides as well].
 */
final class GradientReduction {
  /** Tensors of a layer: four matrices and the scales of two normalisations. */
  private static final int TENSORS = 6;

  private final Training training;
  private final Parallelism parallel;
  private final Execution execution;
  private final Contention contention;

  GradientReduction(Training training, Contention contention) {
    this.training = training;
    this.contention = contention;
    parallel = training.parallel();
    execution = training.execution();
  }

  /** Whether each backward pass reduces its gradients, not the last one only. */
  boolean everyPass() {
    return parallel.sharding() == Sharding.PARAMETERS
        || parallel.sharding().gradients() && training.deepspeed().isPresent();
  }

  /** Begins to reduce the gradients of a number of parameters, in one bucket. */
  void begin(StageOps ops, GroupKind group, long parameters) {
    double bytes = (double) execution.gradientBytes() * parameters;
    if (execution.gradientCheck() && parameters > 0) {
      // The host reads the bucket's norm [Megatron-Core, param_and_grad_buffer.py: check_grads].
      ops.move("gradient-check", bytes).reach().synchronise();
    }
    if (scales()) {
      ops.move("gradient-scale", 2 * bytes);
    }
    ops.begin(group, operation(), parameters * execution.gradientBytes());
  }

  /**
   * Begins to reduce gradients beside the pass that gives more of them, which it slows down.
   *
   * @param layers that the gradients are of, whose tensors buckets do not divide
   */
  void beside(StageOps ops, GroupKind group, long parameters, int layers) {
    long buckets = everyPass() ? 1 : Math.min((long) TENSORS * layers, parameters / execution.bucketParameters());
    long left = parameters;
    for (long bucket = Math.max(1, buckets); bucket > 0; bucket--) {
      begin(ops, group, left / bucket);
      left -= left / bucket;
    }
    int passes = operation() == CollectiveOp.ALL_REDUCE ? 2 : 1;
    contention.slow(ops, group, passes * parameters * execution.gradientBytes());
  }

  // Where PyTorch's FSDP shares parameters, the kernels of accumulation hold the division.
  private boolean scales() {
    return !execution.averageInCollective()
        && !(training.shardedByPyTorch() && execution.accumulation() == Accumulation.ADDED);
  }

  private CollectiveOp operation() {
    return parallel.sharding().optimizer() ? CollectiveOp.REDUCE_SCATTER : CollectiveOp.ALL_REDUCE;
  }
}
