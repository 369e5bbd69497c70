package dev.heddle.workload.megatron.program;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.kernel.KernelTimes;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GroupKind;
import java.util.ArrayList;
import java.util.List;

/**
 * Builder of the operations of a stage: consecutive kernels become one operation. Its time is that of the host or of
 * the kernels, the longer one; where the host waits for every kernel, the sum of both.
 */
final class StageOps {
  /**
   * Time of the host for a launch from a loop of C++, relative to an operator of Python: 2 to 8 of 5 to 25 us, for the
   * choice of a kernel and the driver [Huang, From PyTorch op to kernel launch].
   */
  private static final double LAUNCH_SHARE = 1.0 / 3;
  private static final double PS_PER_SECOND = 1e12;

  private final KernelTimes times;
  private final double hostSeconds;
  private final boolean launchBlocking;
  private final List<StageOp> ops = new ArrayList<>();
  private Activity activity = Activity.COMPUTE;
  private double seconds;
  private double factor = 1;
  private double lost;
  private double mostLost;
  private double operators;
  private Part part = Part.ALL;

  /** The kernels that are added. */
  enum Part {
    /** All kernels. */
    ALL,
    /** All kernels except the products of weight gradients. */
    INPUTS,
    /** The products of weight gradients only. */
    WEIGHTS
  }

  /**
   * Begins without operations.
   *
   * @param times of the accelerator's kernels
   * @param execution settings of the host
   */
  StageOps(KernelTimes times, Execution execution) {
    this.times = times;
    hostSeconds = execution.hostPerKernel().seconds();
    launchBlocking = execution.launchBlocking();
  }

  /** Restricts the kernels that are added from now on. */
  StageOps restrictTo(Part other) {
    part = other;
    return this;
  }

  /** Sets the activity of the kernels that follow. */
  StageOps activity(Activity other) {
    flush();
    activity = other;
    return this;
  }

  /** Adds kernels and collectives that repeat a part of the forward pass. */
  StageOps repeat(Runnable forward) {
    Activity before = activity;
    activity(Activity.RECOMPUTE);
    forward.run();
    return activity(before);
  }

  /** Sets the factor of the times of the kernels that follow. */
  StageOps timeFactor(double other) {
    flush();
    factor = other;
    return this;
  }

  /** The activity of the kernels that are added. */
  Activity activity() {
    return activity;
  }

  /** Adds launches of the host for which the computation waits. */
  StageOps host(Activity exposed, int launches) {
    if (part != Part.WEIGHTS) {
      flush();
      ops.add(new StageOp.Compute(exposed, Math.round(launches * hostSeconds * PS_PER_SECOND)));
    }
    return this;
  }

  /** Adds a time in which nothing is computed, unless it is none. */
  StageOps idle(Activity exposed, double seconds) {
    long ps = Math.round(seconds * PS_PER_SECOND);
    if (ps > 0 && part != Part.WEIGHTS) {
      flush();
      ops.add(new StageOp.Compute(exposed, ps));
    }
    return this;
  }

  /** Seconds of all kernels and other times that were added. */
  double computedSeconds() {
    flush();
    return ops.stream().mapToDouble(op -> op instanceof StageOp.Compute each ? each.ps() : 0).sum() / PS_PER_SECOND;
  }

  /** Adds a kernel other than a product of weight gradients. */
  StageOps run(Kernel kernel) {
    if (part != Part.WEIGHTS) {
      add(kernel);
    }
    return this;
  }

  /** Adds a kernel of weight gradients. */
  StageOps runWeightGradient(Kernel kernel) {
    if (part != Part.INPUTS) {
      add(kernel);
    }
    return this;
  }

  private void add(Kernel kernel) {
    seconds += factor * times.seconds(kernel);
    operators++;
  }

  /**
   * Slows the kernels of this pass by a concurrent collective.
   *
   * @param seconds lost time if the whole collective overlaps the kernels
   * @param most largest relative slowdown of a kernel
   */
  StageOps addContention(double seconds, double most) {
    lost += seconds;
    mostLost = Math.max(mostLost, most);
    return this;
  }

  /** Adds launches of the host besides one per kernel, for products of a group that are started one by one. */
  StageOps launches(int more, boolean weight) {
    return operators(LAUNCH_SHARE * more, weight);
  }

  /** Adds operators of the host besides one per kernel, for a loop over the parts of a group in Python. */
  StageOps operators(double more, boolean weight) {
    if (part == Part.ALL || weight == (part == Part.WEIGHTS)) {
      operators += more;
    }
    return this;
  }

  /** Adds a kernel that moves bytes. */
  StageOps move(String name, double bytes) {
    return run(new Kernel.Memory(name, bytes));
  }

  /** Adds several kernels of equal size that move bytes. */
  StageOps move(String name, double bytes, int parts) {
    for (int part = 0; part < parts; part++) {
      move(name, bytes / parts);
    }
    return this;
  }

  /** Adds a collective that the computation waits for, unless it has no bytes. */
  StageOps blocking(Activity exposed, GroupKind group, CollectiveOp op, long bytes) {
    if (bytes > 0 && part != Part.WEIGHTS) {
      operators += launchBlocking ? 1 : 0;
      flush();
      ops.add(new StageOp.Blocking(exposed, group, op, bytes));
    }
    return this;
  }

  /** Begins a concurrent collective, unless it has no bytes. */
  StageOps begin(GroupKind group, CollectiveOp op, long bytes) {
    if (bytes > 0 && part != Part.WEIGHTS) {
      flush();
      ops.add(new StageOp.Begin(group, op, bytes));
    }
    return this;
  }

  /** Adds a wait for collectives that have begun. */
  StageOps join(Activity exposed, GroupKind group, int leave) {
    if (part != Part.WEIGHTS) {
      flush();
      ops.add(new StageOp.Join(exposed, group, leave));
    }
    return this;
  }

  /** Adds a wait until a communicator has ended a number of collectives of the iteration. */
  StageOps await(Activity exposed, GroupKind group, int ended) {
    if (part != Part.WEIGHTS) {
      flush();
      ops.add(new StageOp.Await(exposed, group, ended));
    }
    return this;
  }

  /** Adds operations. */
  StageOps addAll(List<StageOp> others) {
    flush();
    ops.addAll(others);
    return this;
  }

  /** The operations. */
  List<StageOp> build() {
    flush();
    if (lost > 0) {
      stretch();
    }
    return List.copyOf(ops);
  }

  private void stretch() {
    double computed = computedSeconds();
    double slow = 1 + Math.min(mostLost, computed == 0 ? 0 : lost / computed);
    ops.replaceAll(op -> op instanceof StageOp.Compute each
        ? new StageOp.Compute(each.activity(), Math.round(slow * each.ps())) : op);
    lost = 0;
  }

  private void flush() {
    if (operators > 0) {
      double host = operators * hostSeconds;
      double both = launchBlocking ? seconds + host : Math.max(seconds, host);
      ops.add(new StageOp.Compute(activity, Math.round(both * PS_PER_SECOND)));
      seconds = 0;
      operators = 0;
    }
  }
}
