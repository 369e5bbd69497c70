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
final class Pieces {
  private static final double PS_PER_SECOND = 1e12;

  private final KernelTimes times;
  private final double hostSeconds;
  private final boolean launchBlocking;
  private final List<Piece> pieces = new ArrayList<>();
  private Activity activity = Activity.COMPUTE;
  private double seconds;
  private double factor = 1;
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
  Pieces(KernelTimes times, Execution execution) {
    this.times = times;
    hostSeconds = execution.hostPerKernel().seconds();
    launchBlocking = execution.launchBlocking();
  }

  /** Which kernels are collected from now on. */
  Pieces only(Part other) {
    part = other;
    return this;
  }

  /** To what the time of the kernels that follow counts. */
  Pieces count(Activity other) {
    flush();
    activity = other;
    return this;
  }

  /** By how much kernels take longer from now on. */
  Pieces slow(double other) {
    flush();
    factor = other;
    return this;
  }

  /** A kernel that makes no gradient of a weight. */
  Pieces run(Kernel kernel) {
    if (part != Part.WEIGHTS) {
      add(kernel);
    }
    return this;
  }

  /** A kernel that makes a gradient of a weight. */
  Pieces weight(Kernel kernel) {
    if (part != Part.INPUTS) {
      add(kernel);
    }
    return this;
  }

  private void add(Kernel kernel) {
    seconds += factor * times.seconds(kernel);
    kernels++;
  }

  /** A kernel that moves bytes. */
  Pieces move(String name, double bytes) {
    return run(new Kernel.Memory(name, bytes));
  }

  /** Kernels that move bytes, in several parts of one size. */
  Pieces move(String name, double bytes, int parts) {
    for (int part = 0; part < parts; part++) {
      move(name, bytes / parts);
    }
    return this;
  }

  /** A collective that the computation waits for; none of no bytes. */
  Pieces blocking(Activity exposed, GroupKind group, CollectiveOp op, long bytes) {
    if (bytes > 0 && part != Part.WEIGHTS) {
      kernels += launchBlocking ? 1 : 0;
      flush();
      pieces.add(new Piece.Blocking(exposed, group, op, bytes));
    }
    return this;
  }

  /** A collective that begins beside; none of no bytes. */
  Pieces begin(GroupKind group, CollectiveOp op, long bytes) {
    if (bytes > 0 && part != Part.WEIGHTS) {
      flush();
      pieces.add(new Piece.Begin(group, op, bytes));
    }
    return this;
  }

  /** Waits for collectives that began. */
  Pieces join(Activity exposed, GroupKind group, int leave) {
    if (part != Part.WEIGHTS) {
      flush();
      pieces.add(new Piece.Join(exposed, group, leave));
    }
    return this;
  }

  /** What others collected. */
  Pieces all(List<Piece> others) {
    flush();
    pieces.addAll(others);
    return this;
  }

  /** What was collected. */
  List<Piece> list() {
    flush();
    return List.copyOf(pieces);
  }

  private void flush() {
    if (kernels > 0) {
      double host = kernels * hostSeconds;
      double both = launchBlocking ? seconds + host : Math.max(seconds, host);
      pieces.add(new Piece.Compute(activity, Math.round(both * PS_PER_SECOND)));
      seconds = 0;
      kernels = 0;
    }
  }
}
