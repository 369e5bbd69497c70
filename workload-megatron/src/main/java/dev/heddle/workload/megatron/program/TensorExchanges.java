package dev.heddle.workload.megatron.program;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.TensorOverlap;

/** Collectives of tensor-parallel ranks before, after or concurrent with products. */
final class TensorExchanges {
  private final LayerSizes sizes;
  private final Parallelism parallel;
  private final Execution execution;

  TensorExchanges(LayerSizes sizes) {
    this.sizes = sizes;
    parallel = sizes.parallel();
    execution = sizes.execution();
  }

  /** Adds a column-parallel product, which needs all tokens. */
  void gather(StageOps ops, Runnable product) {
    if (!parallel.sequenceParallel()) {
      product.run();
    } else if (execution.tensorOverlap() == TensorOverlap.PRODUCTS) {
      overlapped(ops, CollectiveOp.ALL_GATHER, product);
    } else {
      ops.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_GATHER, sizes.gatheredBytes());
      product.run();
    }
  }

  /**
   * Adds a column-parallel product of vectors of which each rank has its own tokens', without user buffers to overlap
   * it: their gather comes before.
   *
   * @param bytes of all tokens' vectors
   */
  void gather(StageOps ops, long bytes, Runnable product) {
    if (parallel.sequenceParallel()) {
      ops.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_GATHER, bytes);
    }
    product.run();
  }

  /** Adds a row-parallel product, whose result is summed over the ranks. */
  void scatter(StageOps ops, Runnable product) {
    if (sizes.tensor() == 1) {
      product.run();
    } else if (parallel.sequenceParallel() && execution.tensorOverlap() == TensorOverlap.PRODUCTS) {
      overlapped(ops, CollectiveOp.REDUCE_SCATTER, product);
    } else {
      product.run();
      ops.blocking(
          Activity.TENSOR, GroupKind.TENSOR,
          parallel.sequenceParallel() ? CollectiveOp.REDUCE_SCATTER : CollectiveOp.ALL_REDUCE, sizes.hiddenBytes());
    }
  }

  private void overlapped(StageOps ops, CollectiveOp op, Runnable product) {
    long bytes = op == CollectiveOp.ALL_GATHER ? sizes.gatheredBytes() : sizes.hiddenBytes();
    ops.begin(GroupKind.TENSOR_OVERLAPPED, op, bytes).timeFactor(1 + execution.overlapSlowdown());
    product.run();
    ops.timeFactor(1).join(Activity.TENSOR, GroupKind.TENSOR_OVERLAPPED, 0);
  }

  /**
   * Adds the backward pass of a row-parallel product: where tokens are divided among ranks, the gradient of its result
   * is gathered, beside the product that needs it as rings of Transformer Engine's user buffers do [MLPerf Training
   * v3.1 and v4.0, NVIDIA, conf/tp_overlap: proj_dgrad and fc2_dgrad are ring_exchange], else before it.
   */
  void backwardRow(StageOps ops, Runnable inputs, Runnable weights) {
    if (!parallel.sequenceParallel()) {
      inputs.run();
    } else if (execution.tensorOverlap() == TensorOverlap.PRODUCTS) {
      overlapped(ops, CollectiveOp.ALL_GATHER, inputs);
    } else {
      ops.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_GATHER, sizes.gatheredBytes());
      inputs.run();
    }
    weights.run();
  }

  /**
   * Adds the backward pass of a column-parallel product: its input is gathered again, and the gradient of its input is
   * summed over the ranks.
   */
  void backwardColumn(StageOps ops, Runnable inputs, Runnable weights) {
    backwardColumn(ops, new Bytes(sizes.gatheredBytes(), sizes.hiddenBytes()), inputs, weights);
  }

  /** Adds the same of products whose inputs are other vectors than the layer's. */
  void backwardColumn(StageOps ops, Bytes bytes, Runnable inputs, Runnable weights) {
    boolean overlaps = execution.tensorOverlap() != TensorOverlap.NONE;
    GroupKind group = overlaps ? GroupKind.TENSOR_OVERLAPPED : GroupKind.TENSOR;
    if (sizes.tensor() == 1) {
      inputs.run();
      weights.run();
      return;
    }
    CollectiveOp add = parallel.sequenceParallel() ? CollectiveOp.REDUCE_SCATTER : CollectiveOp.ALL_REDUCE;
    if (!overlaps) {
      if (parallel.sequenceParallel()) {
        ops.blocking(Activity.TENSOR, group, CollectiveOp.ALL_GATHER, bytes.gathered());
      }
      inputs.run();
      ops.blocking(Activity.TENSOR, group, add, bytes.summed());
      weights.run();
      return;
    }
    ops.timeFactor(1 + execution.overlapSlowdown());
    if (parallel.sequenceParallel()) {
      ops.begin(group, CollectiveOp.ALL_GATHER, bytes.gathered());
      inputs.run();
      ops.join(Activity.TENSOR, group, 0);
    } else {
      inputs.run();
    }
    ops.begin(group, add, bytes.summed());
    weights.run();
    ops.timeFactor(1).join(Activity.TENSOR, group, 0);
  }

  /**
   * Sizes of the collectives of a column-parallel product's gradients, in bytes.
   *
   * @param gathered its inputs of all tokens
   * @param summed gradients of its inputs
   */
  record Bytes(long gathered, long summed) {}
}
