package dev.heddle.collectives.nccl.timing;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.symmetric.SymmetricTuner;
import dev.heddle.collectives.nccl.symmetric.SymmetricTuner.Plan;
import dev.heddle.units.SimTime;
import java.util.Optional;

/**
 * The timing of NCCL's kernels for symmetric memory: the times that NCCL's own cost model expects of the kernel that it
 * chooses, and the machine's launch. The model plans with round rates and was checked against no table.
 */
public final class SymmetricTiming {
  private static final double PS_PER_NS = 1e3;

  private final SymmetricTuner tuner;
  private final MachineTiming machine;
  private final RankLayout layout;

  private SymmetricTiming(SymmetricTuner tuner, MachineTiming machine, RankLayout layout) {
    this.tuner = tuner;
    this.machine = machine;
    this.layout = layout;
  }

  /** The timing of a communicator; empty where NCCL has no such kernels for it, see {@link SymmetricTuner#reason}. */
  public static Optional<SymmetricTiming> of(CommunicatorTopology channels, MachineTiming machine, int perThread) {
    int ranks = channels.placement().ranks();
    return SymmetricTuner.of(channels)
        .map(tuner -> new SymmetricTiming(tuner, machine, new RankLayout(ranks, 1, perThread, 0)));
  }

  /** The chosen kernel; empty for operations without one. */
  public Optional<Plan> plan(CollectiveOp op, long bytes) {
    return tuner.choose(op, bytes);
  }

  /** The time of a call; empty for operations without a kernel. */
  public Optional<CallTime> time(CollectiveOp op, long bytes) {
    return plan(op, bytes).map(plan -> time(plan, bytes));
  }

  private CallTime time(Plan plan, long bytes) {
    double nanos = plan.micros() * PS_PER_NS;
    double moving = plan.moving() * PS_PER_NS;
    double queue = machine.host().queueNs(NcclVersion.LATEST, layout.perThread(), plan.blocks(), 0);
    double launch = machine.launchNs();
    boolean queued = queue > launch + nanos;
    double limit = moving > 0 ? bytes / (moving * PS_PER_NS) : Double.POSITIVE_INFINITY;
    return new CallTime(queued ? queue - nanos : launch, moving, nanos - moving,
        queued ? Bound.HOST : 2 * moving < nanos ? Bound.LATENCY : Bound.PORT,
        new ChannelTiming(SimTime.ofNanos(nanos - moving), limit, bytes), new CallTime.Resources(0, moving, 0));
  }
}
