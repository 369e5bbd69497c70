package dev.heddle.workload.megatron.program;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.kernel.KernelTimes;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GroupKind;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects what a stage does: kernels that follow each other become one piece. Where the host takes longer to start
 * kernels than they run, the accelerator waits for it; where the host waits for every kernel, both times add up.
 */
final class StageOps {
  private static final double PS_PER_SECOND = 1e12;

  private final KernelTimes times;
  private final double hostSeconds;
  private final boolean launchBlocking;
  private final List<StageOp> pieces = new ArrayList<>();
  private Activity activity = Activity.COMPUTE;
  private double seconds;
  private double factor = 1;
  private double lost;
  private double mostLost;
  private int kernels;
  private Part part = Part.ALL;

  /** Which kernels are collected. */
  enum Part {
    /** All. */
    ALL,
    /** All but the products that make gradients of weights. */
    INPUTS,
    /** Those products alone. */
    WEIGHTS
  }

  /**
   * Collects nothing yet.
   *
   * @param times of the accelerator's kernels
   * @param execution how the host starts them
   */
  StageOps(KernelTimes times, Execution execution) {
    this.times = times;
    hostSeconds = execution.hostPerKernel().seconds();
    launchBlocking = execution.launchBlocking();
  }

  /** Which kernels are collected from now on. */
  StageOps only(Part other) {
    part = other;
    return this;
  }

  /** To what the time of the kernels that follow counts. */
  StageOps count(Activity other) {
    flush();
    activity = other;
    return this;
  }

  /** By how much kernels take longer from now on. */
  StageOps slow(double other) {
    flush();
    factor = other;
    return this;
  }

  /** A kernel that makes no gradient of a weight. */
  StageOps run(Kernel kernel) {
    if (part != Part.WEIGHTS) {
      add(kernel);
    }
    return this;
  }

  /** A kernel that makes a gradient of a weight. */
  StageOps weight(Kernel kernel) {
    if (part != Part.INPUTS) {
      add(kernel);
    }
    return this;
  }

  private void add(Kernel kernel) {
    seconds += factor * times.seconds(kernel);
    kernels++;
  }

  /**
   * Time that the kernels of this pass lose to a collective beside them.
   *
   * @param seconds where all of the collective runs beside them
   * @param most the most that a kernel loses, as a share of its time
   */
  StageOps lose(double seconds, double most) {
    lost += seconds;
    mostLost = Math.max(mostLost, most);
    return this;
  }

  /** Launches besides those of kernels that were added: products of a group that the host starts one by one. */
  StageOps launches(int more, boolean weight) {
    if (part == Part.ALL || weight == (part == Part.WEIGHTS)) {
      kernels += more;
    }
    return this;
  }

  /** A kernel that moves bytes. */
  StageOps move(String name, double bytes) {
    return run(new Kernel.Memory(name, bytes));
  }

  /** Kernels that move bytes, in several parts of one size. */
  StageOps move(String name, double bytes, int parts) {
    for (int part = 0; part < parts; part++) {
      move(name, bytes / parts);
    }
    return this;
  }

  /** A collective that the computation waits for; none of no bytes. */
  StageOps blocking(Activity exposed, GroupKind group, CollectiveOp op, long bytes) {
    if (bytes > 0 && part != Part.WEIGHTS) {
      kernels += launchBlocking ? 1 : 0;
      flush();
      pieces.add(new StageOp.Blocking(exposed, group, op, bytes));
    }
    return this;
  }

  /** A collective that begins beside; none of no bytes. */
  StageOps begin(GroupKind group, CollectiveOp op, long bytes) {
    if (bytes > 0 && part != Part.WEIGHTS) {
      flush();
      pieces.add(new StageOp.Begin(group, op, bytes));
    }
    return this;
  }

  /** Waits for collectives that began. */
  StageOps join(Activity exposed, GroupKind group, int leave) {
    if (part != Part.WEIGHTS) {
      flush();
      pieces.add(new StageOp.Join(exposed, group, leave));
    }
    return this;
  }

  /** Waits until a communicator has ended so many collectives of the iteration. */
  StageOps await(Activity exposed, GroupKind group, int ended) {
    if (part != Part.WEIGHTS) {
      flush();
      pieces.add(new StageOp.Await(exposed, group, ended));
    }
    return this;
  }

  /** What others collected. */
  StageOps all(List<StageOp> others) {
    flush();
    pieces.addAll(others);
    return this;
  }

  /** What was collected. */
  List<StageOp> list() {
    flush();
    if (lost > 0) {
      stretch();
    }
    return List.copyOf(pieces);
  }

  private void stretch() {
    double computed = pieces.stream().mapToDouble(op -> op instanceof StageOp.Compute each ? each.ps() : 0).sum();
    double slow = 1 + Math.min(mostLost, computed == 0 ? 0 : lost * PS_PER_SECOND / computed);
    pieces.replaceAll(op -> op instanceof StageOp.Compute each
        ? new StageOp.Compute(each.activity(), Math.round(slow * each.ps())) : op);
    lost = 0;
  }

  private void flush() {
    if (kernels > 0) {
      double host = kernels * hostSeconds;
      double both = launchBlocking ? seconds + host : Math.max(seconds, host);
      pieces.add(new StageOp.Compute(activity, Math.round(both * PS_PER_SECOND)));
      seconds = 0;
      kernels = 0;
    }
  }
}
