package dev.heddle.workload.megatron.program;

import com.google.common.collect.Sets;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.kernel.KernelTimes;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GraphScope;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.HostTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Builder of the operations of a stage: consecutive kernels become one stretch of the device's time and one of the
 * host's, which launches them. Host and device have clocks of their own: the host runs ahead of the device unless it
 * waits for it, and a kernel begins when the kernel before has ended and the host has launched it. Where the host waits
 * for every kernel, both times add up.
 */
final class StageOps {
  /**
   * Time of the host for an operator of PyTorch alone, relative to a kernel that a module launches: a linear layer's
   * forward pass takes 37.08 us of a GB200's host, its module in Transformer Engine 99.66; 33.17 and 90.53 us of a
   * GH200's [Transformer Engine, issue 2053].
   */
  private static final double OPERATOR_SHARE = 1 / 2.7;
  /**
   * The same for a launch from a loop of C++: 2 to 8 of an operator's 5 to 25 us, for the choice of a kernel and the
   * driver [Huang, From PyTorch op to kernel launch].
   */
  private static final double LAUNCH_SHARE = OPERATOR_SHARE / 3;
  private static final double PS_PER_SECOND = 1e12;
  private static final double ROUNDING = 1e-12;

  private final KernelTimes times;
  private final double hostSeconds;
  private final Set<GraphScope> graphs;
  private final boolean launchBlocking;
  private final List<StageOp> ops = new ArrayList<>();
  private Activity activity = Activity.COMPUTE;
  private double seconds;
  private double factor = 1;
  private double lost;
  private double mostLost;
  // Host and device since the last launch that the device waits for: the host's time so far, at the first kernel, and
  // the end of the device's last kernel if the device waited for nothing but the host.
  private double host;
  private double firstLaunch = Double.NaN;
  private double device;
  private double launchedEnd;
  private boolean graphed;
  private boolean graphOpen;
  private List<Kernel> graphCopies = List.of();
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
   * @param hostSeconds the host's time for a kernel
   */
  StageOps(KernelTimes times, Execution execution, double hostSeconds) {
    this.times = times;
    this.hostSeconds = hostSeconds;
    graphs = Sets.immutableEnumSet(execution.graphs());
    launchBlocking = execution.launchBlocking();
  }

  /** Begins without operations, on a host whose time for a kernel is the setting's. */
  StageOps(KernelTimes times, Execution execution) {
    this(times, execution, execution.hostPerKernel().orElse(HostTime.UNMEASURED).seconds());
  }

  /**
   * Sets what a graph copies to its own memory before it starts, each by an operator: tensors that others have written
   * elsewhere [Transformer Engine, graph.py: Graphed.forward and backward].
   */
  StageOps graphCopies(List<Kernel> copies) {
    graphCopies = copies;
    return this;
  }

  /**
   * Adds kernels of a module, which a CUDA graph may hold: the host then starts it, together with the modules that
   * follow at once, by one call, which takes as long as the launch of a kernel, after the copies of what it reads.
   */
  StageOps module(GraphScope module, Runnable kernels) {
    boolean before = graphed;
    if (graphs.contains(module)) {
      if (part != Part.WEIGHTS && !graphOpen) {
        graphCopies.forEach(copy -> operate(copy, 1));
        issue(1);
        graphOpen = true;
      }
      graphed = true;
    }
    kernels.run();
    graphed = before;
    return this;
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
      ops.add(new StageOp.Compute(exposed, Math.round(launches * OPERATOR_SHARE * hostSeconds * PS_PER_SECOND)));
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

  /** Adds kernels a number of times, of which the launches of all but the first are added by {@link #launches}. */
  StageOps run(List<Kernel> kernels, int times) {
    if (part != Part.WEIGHTS) {
      add(kernels.get(0));
      for (int next = 1; next < times * kernels.size(); next++) {
        lengthen(factor * this.times.seconds(kernels.get(next % kernels.size())));
      }
    }
    return this;
  }

  /** Adds kernels of equal size that operators of PyTorch start one by one. */
  StageOps operate(Kernel kernel, int times) {
    if (part != Part.WEIGHTS && times > 0) {
      issue(OPERATOR_SHARE * times);
      if (Double.isNaN(firstLaunch)) {
        firstLaunch = host;
      }
      lengthen(times * factor * this.times.seconds(kernel));
    }
    return this;
  }

  private void add(Kernel kernel) {
    issue(1);
    if (Double.isNaN(firstLaunch)) {
      firstLaunch = host;
    }
    lengthen(factor * times.seconds(kernel));
  }

  private void lengthen(double kernelSeconds) {
    seconds += kernelSeconds;
    device += kernelSeconds;
    launchedEnd += kernelSeconds;
  }

  // The device may begin what follows no sooner than the host has launched these kernels.
  private void issue(double launched) {
    if (!graphed) {
      graphOpen = false;
      host += launched * hostSeconds;
      launchedEnd = Math.max(launchedEnd, host);
    }
  }

  /** Adds a point of the device's work for which the host waits at the next {@link #synchronise}. */
  StageOps reach() {
    return waits(new StageOp.Reach());
  }

  /** Adds a wait of the host until the device has come to the latest {@link #reach}, by one operator. */
  StageOps synchronise() {
    waits(new StageOp.Synchronise());
    return operators(1, false);
  }

  private StageOps waits(StageOp op) {
    if (part != Part.WEIGHTS && hostSeconds > 0 && !launchBlocking) {
      launch();
      ops.add(op);
    }
    return this;
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
  StageOps launches(double more, boolean weight) {
    return work(LAUNCH_SHARE * more, weight);
  }

  /** Adds operators of the host besides one per kernel, for a loop over the parts of a group in Python. */
  StageOps operators(double more, boolean weight) {
    return work(OPERATOR_SHARE * more, weight);
  }

  /** Adds calls of modules from Python besides one per kernel. */
  StageOps modules(double more) {
    return work(more, false);
  }

  private StageOps work(double more, boolean weight) {
    if (part == Part.ALL || weight == (part == Part.WEIGHTS)) {
      issue(more);
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

  /** Adds several kernels of equal size that move bytes, which operators of PyTorch start one by one. */
  StageOps moveByOperators(String name, double bytes, int kernels) {
    return operate(new Kernel.Memory(name, bytes / kernels), kernels);
  }

  /** Adds a collective that the computation waits for, unless it has no bytes. */
  StageOps blocking(Activity exposed, GroupKind group, CollectiveOp op, long bytes) {
    if (bytes > 0 && part != Part.WEIGHTS) {
      issue(1);
      flush();
      ops.add(new StageOp.Blocking(exposed, group, op, bytes));
    }
    return this;
  }

  /** Begins a concurrent collective, unless it has no bytes. */
  StageOps begin(GroupKind group, CollectiveOp op, long bytes) {
    if (bytes > 0 && part != Part.WEIGHTS) {
      issue(launchBlocking ? 0 : 1);
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

  /** Begins a concurrent copy between the device's and the host's memory. */
  StageOps copy(long ps) {
    if (part != Part.WEIGHTS) {
      issue(OPERATOR_SHARE);
      flush();
      ops.add(new StageOp.Copy(ps));
    }
    return this;
  }

  /** Adds a wait for all copies that have begun. */
  StageOps joinCopies() {
    if (part != Part.WEIGHTS) {
      flush();
      ops.add(new StageOp.JoinCopies());
    }
    return this;
  }

  /** Adds operations. */
  StageOps addAll(List<StageOp> others) {
    launch();
    ops.addAll(others);
    return this;
  }

  /** The operations. */
  List<StageOp> build() {
    launch();
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

  // Ends a stretch of kernels. The device waits for the host only where kernels before were shorter than their
  // launches: otherwise the host is further ahead than it was, and its work is added to that of the next stretch.
  private void flush() {
    if (launchBlocking) {
      seconds += host;
      host = 0;
    }
    if (host > 0 && launchedEnd > firstLaunch + device + ROUNDING) {
      launch();
      return;
    }
    compute(seconds);
    seconds = 0;
  }

  // Ends a stretch of kernels with a wait for the host's work so far, but not for what follows its last launch.
  private void launch() {
    if (launchBlocking || host == 0) {
      flush();
    } else {
      double tail = Math.min(seconds, launchedEnd - host);
      compute(seconds - tail);
      ops.add(new StageOp.Launch(Math.round(host * PS_PER_SECOND)));
      compute(tail);
    }
    seconds = 0;
    host = 0;
    firstLaunch = Double.NaN;
    device = 0;
    launchedEnd = 0;
  }

  private void compute(double duration) {
    long ps = Math.round(duration * PS_PER_SECOND);
    if (ps > 0) {
      ops.add(new StageOp.Compute(activity, ps));
    }
  }
}
