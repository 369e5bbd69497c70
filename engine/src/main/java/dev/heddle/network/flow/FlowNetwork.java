package dev.heddle.network.flow;

import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.Measurements;
import dev.heddle.network.NetworkException;
import dev.heddle.observe.NetworkObserver;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The network at flow fidelity: a message is a fluid that runs along its route at its max-min fair rate.
 *
 * <p>A link's capacity counts wire time, so packets' overheads and acknowledgements are in it. Routes, injection queues
 * and what an undisturbed message takes are those of the packet network. What is left out is what needs single packets:
 * finite buffers and credits, and with them back-pressure on third parties, and the unfairness of arbiters.
 */
public final class FlowNetwork {
  private final FlowPlan plan;
  private final FlowSettings settings;
  private final FlowSimulator carrier;
  private boolean started;
  private long endPs;

  /**
   * Compiles a fabric and places programs on it.
   *
   * @param fabric the machine
   * @param job what runs on it
   * @param settings how to run
   * @param observer sees every message cross its links and be delivered; null for none
   * @throws NetworkException when a link loses packets: without packets, nobody waits for one to be sent again
   */
  public FlowNetwork(Fabric fabric, Job job, FlowSettings settings, @Nullable NetworkObserver observer) {
    this(compiled(fabric, settings.trainBytes()), job, settings, observer);
  }

  /** Places programs on a fabric that is compiled already. */
  FlowNetwork(FlowPlan plan, Job job, FlowSettings settings) {
    this(plan, job, settings, null);
  }

  private FlowNetwork(FlowPlan plan, Job job, FlowSettings settings, @Nullable NetworkObserver observer) {
    this.settings = settings;
    this.plan = plan;
    carrier = new FlowSimulator(plan, job, settings, observer);
    for (int rank = 0; rank < job.ranks(); rank++) {
      carrier.runner.add(rank, job.programs().apply(rank));
    }
  }

  private static FlowPlan compiled(Fabric fabric, int trainBytes) {
    NetworkException.requireNoLoss(fabric);
    return new FlowPlan(fabric, trainBytes);
  }

  /**
   * Runs to the end of the measured window, or to completion, and checks the conservation of bytes and the capacity of
   * links.
   *
   * @throws NetworkException when the programs stall, or the limit of simulated time is reached
   * @throws dev.heddle.network.InvariantViolation when a conservation law was broken
   */
  public void run() {
    boolean toCompletion = settings.windowEndPs() == Long.MAX_VALUE;
    long until = toCompletion ? settings.limitPs() : settings.windowEndPs();
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
        stalled ? endPs : settings.limitPs(), stalled,
        carrier.messages.live() + " messages and " + carrier.collectives.live() + " collectives",
        carrier.runner.waiting());
  }

  /** What the run measured, in numbers. */
  public Measurements measurements() {
    Measurements.Part all = new Measurements.Part(
        carrier.meter, carrier.collectives.log, carrier.events(), carrier.hopCount(), 0);
    return new Measurements(
        List.of(all), carrier.usage, plan.links, endPs,
        Math.min(endPs, settings.windowEndPs()) - settings.windowStartPs());
  }
}
