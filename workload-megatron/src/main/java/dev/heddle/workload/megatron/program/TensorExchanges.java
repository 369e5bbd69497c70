package dev.heddle.workload.megatron.program;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.Parallelism;
import dev.heddle.workload.megatron.parallel.TensorOverlap;

/** What tensor-parallel ranks exchange around products: before them, after them or besides. */
final class TensorExchanges {
  private final LayerSizes sizes;
  private final Parallelism parallel;
  private final Execution execution;

  TensorExchanges(LayerSizes sizes) {
    this.sizes = sizes;
    parallel = sizes.parallel();
    execution = sizes.execution();
  }

  /** A column-parallel product needs all tokens. */
  void gather(StageOps pieces, Runnable product) {
    if (!parallel.sequenceParallel()) {
      product.run();
    } else if (execution.tensorOverlap() == TensorOverlap.PRODUCTS) {
      beside(pieces, CollectiveOp.ALL_GATHER, product);
    } else {
      pieces.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_GATHER, sizes.hiddenBytes());
      product.run();
    }
  }

  /** A row-parallel product's result is added up over the ranks. */
  void scatter(StageOps pieces, Runnable product) {
    if (sizes.tensor() == 1) {
      product.run();
    } else if (parallel.sequenceParallel() && execution.tensorOverlap() == TensorOverlap.PRODUCTS) {
      beside(pieces, CollectiveOp.REDUCE_SCATTER, product);
    } else {
      product.run();
      pieces.blocking(
          Activity.TENSOR, GroupKind.TENSOR,
          parallel.sequenceParallel() ? CollectiveOp.REDUCE_SCATTER : CollectiveOp.ALL_REDUCE, sizes.hiddenBytes());
    }
  }

  private void beside(StageOps pieces, CollectiveOp op, Runnable product) {
    pieces.begin(GroupKind.TENSOR_BESIDE, op, sizes.hiddenBytes()).slow(1 + execution.overlapSlowdown());
    product.run();
    pieces.slow(1).join(Activity.TENSOR, GroupKind.TENSOR_BESIDE, 0);
  }

  /** The gradient of a row-parallel product's result is whole on every rank, or gathered. */
  void backwardRow(StageOps pieces) {
    if (parallel.sequenceParallel()) {
      pieces.blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_GATHER, sizes.hiddenBytes());
    }
  }

  /** A column-parallel product needs its input again, gathered, and adds the gradient of its input up. */
  void backwardColumn(StageOps pieces, Runnable inputs, Runnable weights) {
    boolean beside = execution.tensorOverlap() != TensorOverlap.NONE;
    GroupKind group = beside ? GroupKind.TENSOR_BESIDE : GroupKind.TENSOR;
    if (sizes.tensor() == 1) {
      inputs.run();
      weights.run();
      return;
    }
    CollectiveOp add = parallel.sequenceParallel() ? CollectiveOp.REDUCE_SCATTER : CollectiveOp.ALL_REDUCE;
    if (!beside) {
      if (parallel.sequenceParallel()) {
        pieces.blocking(Activity.TENSOR, group, CollectiveOp.ALL_GATHER, sizes.hiddenBytes());
      }
      inputs.run();
      pieces.blocking(Activity.TENSOR, group, add, sizes.hiddenBytes());
      weights.run();
      return;
    }
    pieces.slow(1 + execution.overlapSlowdown());
    if (parallel.sequenceParallel()) {
      pieces.begin(group, CollectiveOp.ALL_GATHER, sizes.hiddenBytes());
      inputs.run();
      pieces.join(Activity.TENSOR, group, 0);
    } else {
      inputs.run();
    }
    pieces.begin(group, add, sizes.hiddenBytes());
    weights.run();
    pieces.slow(1).join(Activity.TENSOR, group, 0);
  }
}
