package dev.heddle.network.flow;

import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.Measurements;
import dev.heddle.network.Network;
import dev.heddle.network.NetworkException;
import dev.heddle.network.RunOptions;
import dev.heddle.observe.NetworkObserver;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The network at flow fidelity: a message is a fluid with a max-min fair rate on its path.
 *
 * <p>A link's capacity counts wire time, so packets' overheads and acknowledgements are in it. Paths, injection queues
 * and the time of an uncontended message are those of the packet network. Effects of single packets are left out:
 * finite buffers and credits, and with them back-pressure on third parties, and the unfairness of arbiters.
 *
 * <p>A transport protocol runs in its steady state: each connection is served by itself, telemetry, acknowledgements
 * and grants of credit load the links, its congestion control fills the part of a link that it aims at, and its packets
 * spread over the paths among which switches hash.
 */
public final class FlowNetwork implements Network {
  private final FlowPlan plan;
  private final RunOptions options;
  private final FlowSimulator carrier;
  private boolean started;
  private long endPs;

  /**
   * Compiles a fabric and places programs on it.
   *
   * @param fabric the cluster
   * @param job programs and groups of the ranks
   * @param options of the run
   * @param observer of transmissions and deliveries; null for none
   * @throws NetworkException when a link loses packets, which only packet fidelity models
   */
  public FlowNetwork(Fabric fabric, Job job, RunOptions options, @Nullable NetworkObserver observer) {
    this(compiled(fabric, options), job, options, observer, true);
  }

  /**
   * A network that evaluates every collective in full.
   *
   * @param memoizes whether a collective on idle links takes the time of an equal one before it, without evaluation
   */
  public FlowNetwork(Fabric fabric, Job job, RunOptions options, boolean memoizes) {
    this(compiled(fabric, options), job, options, null, memoizes);
  }

  /** Places programs on a fabric that is compiled already, and evaluates every collective in full. */
  FlowNetwork(FlowPlan plan, Job job, RunOptions options) {
    this(plan, job, options, null, false);
  }

  private FlowNetwork(
      FlowPlan plan, Job job, RunOptions options, @Nullable NetworkObserver observer, boolean memoizes) {
    this.options = options;
    this.plan = plan;
    carrier = new FlowSimulator(plan, job, options, observer, memoizes);
    for (int rank = 0; rank < job.ranks(); rank++) {
      carrier.runner.add(rank, job.programs().apply(rank));
    }
  }

  private static FlowPlan compiled(Fabric fabric, RunOptions options) {
    NetworkException.requireNoLoss(fabric);
    return new FlowPlan(fabric, options.burstBytes(), options.transport());
  }

  @Override
  public void run() {
    boolean toCompletion = options.toCompletion();
    long until = options.untilPs();
    advance(until);
    endPs = toCompletion ? Math.max(carrier.meter.lastDelivery(), carrier.lastPs()) : until;
    carrier.close(endPs);
    carrier.check();
    if (toCompletion) {
      checkCompletion();
    }
  }

  /**
   * Runs all events before a time and checks nothing: a slice of a run.
   *
   * @param untilPs simulated time, not before that of an earlier call
   */
  public void advance(long untilPs) {
    if (!started) {
      started = true;
      carrier.start();
    }
    carrier.run(untilPs);
  }

  private void checkCompletion() {
    if (carrier.runner.running() == 0 && carrier.messages.live() == 0 && carrier.collectives.live() == 0) {
      return;
    }
    boolean stalled = carrier.queue.isEmpty();
    throw NetworkException.unfinished(
        stalled ? endPs : options.limitPs(), stalled,
        carrier.messages.live() + " messages and " + carrier.collectives.live() + " collectives",
        carrier.runner.waiting());
  }

  @Override
  public Measurements measurements() {
    Measurements.Part all = new Measurements.Part(
        carrier.meter, carrier.collectives.log, carrier.events(), carrier.hopCount(), 0);
    return new Measurements(
        List.of(all), carrier.usage, plan.links, endPs, options.windowPs(endPs));
  }
}
