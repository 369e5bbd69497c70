package dev.heddle.workload.megatron.program;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.List;

/**
 * Reductions of gradients among data-parallel ranks: all-reduced where each rank keeps all states, or
 * those of whole matrices; else scattered among
 * the ranks that share them, and each share then all-reduced between the replicas of the states.
 */
final class GradientReductions {
  private final RankGrid grid;
  private final Contention contention;
  private final int gradientBytes;
  private final CollectiveOp op;

  GradientReductions(Training training, RankGrid grid, Contention contention) {
    this.grid = grid;
    this.contention = contention;
    gradientBytes = training.execution().gradientBytes();
    boolean scatters = training.parallel().sharding().optimizer() && !training.execution().ownsWholeMatrices();
    op = scatters ? CollectiveOp.REDUCE_SCATTER : CollectiveOp.ALL_REDUCE;
  }

  /**
   * Begins the reduction of the gradients of a number of parameters, unless there are none.
   *
   * @param group ranks that share the parameters' states: {@link GroupKind#DATA} or {@link GroupKind#EXPERT_DATA}
   */
  void begin(StageOps ops, GroupKind group, long parameters) {
    if (grid.size(group) > 1) {
      ops.begin(group, op, parameters * gradientBytes);
    }
    if (grid.size(replicas(group)) > 1) {
      ops.begin(replicas(group), CollectiveOp.ALL_REDUCE, scattered(group, parameters));
    }
  }

  /** The same beside the kernels of a pass, which it slows. */
  void beginBeside(StageOps ops, GroupKind group, long parameters) {
    begin(ops, group, parameters);
    contention.slow(ops, group, (op == CollectiveOp.ALL_REDUCE ? 2 : 1) * parameters * gradientBytes);
    contention.slow(ops, replicas(group), 2 * scattered(group, parameters));
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
    return (parameters * gradientBytes + grid.size(group) - 1) / grid.size(group);
  }
}
