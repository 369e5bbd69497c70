package dev.heddle.workload.megatron.program;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.parallel.DeepSpeed;
import dev.heddle.workload.megatron.parallel.GroupKind;
import java.util.List;
import java.util.Optional;

/** Gathers of sharded parameters, unit by unit in the order of their use in a pass, with prefetching. */
final class ParameterGathers {
  private final StageOps ops;
  private final GroupKind group;
  private final List<Long> units;
  private final Optional<DeepSpeed> deepSpeed;
  private final Contention contention;
  private final int width;
  private final int[] begunUntil;

  private int unit;
  private long within;
  private long begunParameters;
  private long neededParameters;
  private int begun;

  /**
   * Prepares the gathers of a pass.
   *
   * @param ops operations to which collectives are added
   * @param group ranks that share the parameters
   * @param units parameters of each unit, in order
   * @param deepSpeed limits of prefetching; without them, one unit
   * @param contention of the concurrent computation with collectives
   * @param width bytes of a parameter
   */
  ParameterGathers(StageOps ops, GroupKind group, List<Long> units, Optional<DeepSpeed> deepSpeed,
      Contention contention, int width) {
    this.ops = ops;
    this.group = group;
    this.units = units;
    this.deepSpeed = deepSpeed;
    this.contention = contention;
    this.width = width;
    begunUntil = new int[units.size()];
  }

  /** Adds the wait for a unit, and begins the units to prefetch; adds nothing without units. */
  void need(int wanted) {
    if (units.isEmpty()) {
      return;
    }
    while (unit <= wanted) {
      begin(Long.MAX_VALUE);
    }
    neededParameters += units.get(wanted);
    long ahead = ahead(wanted);
    while (unit < units.size() && begunParameters - neededParameters + next() <= ahead) {
      begin(deepSpeed.map(DeepSpeed::prefetchBucketSize).orElse(Long.MAX_VALUE));
    }
    ops.join(Activity.DATA, group, begun - begunUntil[wanted]);
  }

  // Limit of prefetched parameters.
  private long ahead(int wanted) {
    if (deepSpeed.isPresent()) {
      return Math.min(
          deepSpeed.get().prefetchBucketSize(), deepSpeed.get().maxLiveParameters() - units.get(wanted));
    }
    return wanted + 1 < units.size() ? units.get(wanted + 1) : 0;
  }

  private long next() {
    long rest = units.get(unit) - within;
    return deepSpeed.isPresent() ? Math.min(rest, Math.max(1, deepSpeed.get().prefetchBucketSize())) : rest;
  }

  private void begin(long most) {
    long parameters = Math.min(most, units.get(unit) - within);
    if (parameters > 0) {
      ops.begin(group, CollectiveOp.ALL_GATHER, width * parameters);
      contention.slow(ops, group, width * parameters);
      begun++;
    }
    within += parameters;
    begunParameters += parameters;
    if (within == units.get(unit)) {
      begunUntil[unit] = begun;
      unit++;
      within = 0;
    }
  }
}
