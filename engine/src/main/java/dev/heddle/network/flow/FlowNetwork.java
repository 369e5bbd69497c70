package dev.heddle.network.flow;

import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.LinkCounters;
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
 * and the time of an uncontended message are those of the packet network. Credits limit a link to what its buffer lets
 * pass in a round of theirs. Effects of single packets are left out: queues in buffers, and with them back-pressure on
 * third parties, and the unfairness of arbiters.
 *
 * <p>A transport protocol runs in its steady state: each connection is served by itself, telemetry, acknowledgements
 * and grants of credit load the links, its congestion control fills the part of a link that it aims at, and its packets
 * spread over the paths among which switches hash. Where its controls need no more than notifications and round trips
 * ({@link dev.heddle.spi.TransportProtocol#suitsFluid}), they run over time on fluid queues instead, unless switches
 * have traffic classes: links are then divided among classes as their switches do it, in the steady state.
 */
public final class FlowNetwork implements Network {
  /** Ranks below which a job takes less time than a search for its classes. */
  private static final int LEAST_RANKS = 256;
  private static final int NEVER = Integer.MAX_VALUE;

  private final FlowPlan plan;
  private final RunOptions options;
  private final FlowSimulator carrier;
  private int simulated;
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
    this(compiled(fabric, options), job, options, observer);
  }

  /**
   * A network that simulates one rank of each class of ranks that evolve alike, however few ranks there are, where the
   * options let it run to completion.
   */
  public static FlowNetwork folded(Fabric fabric, Job job, RunOptions options) {
    return new FlowNetwork(compiled(fabric, options), job, options, null, true, 1);
  }

  /**
   * A network that evaluates every collective in full.
   *
   * @param memoizes whether a collective on idle links takes the time of an equal one before it, without evaluation
   */
  public FlowNetwork(Fabric fabric, Job job, RunOptions options, boolean memoizes) {
    this(compiled(fabric, options), job, options, null, memoizes, NEVER);
  }

  /**
   * Places programs on a fabric that is compiled already.
   *
   * @param observer may be null
   */
  FlowNetwork(FlowPlan plan, Job job, RunOptions options, @Nullable NetworkObserver observer) {
    this(plan, job, options, observer, true, options.memoizes() ? LEAST_RANKS : NEVER);
  }

  /** Places programs on a fabric that is compiled already, and evaluates every collective in full. */
  FlowNetwork(FlowPlan plan, Job job, RunOptions options) {
    this(plan, job, options, null, false, NEVER);
  }

  private FlowNetwork(
      FlowPlan plan, Job job, RunOptions options, @Nullable NetworkObserver observer, boolean memoizes,
      int leastFolded) {
    this.options = options;
    this.plan = plan;
    // The search numbers messages, by which routes are hashed: it has a simulator of its own.
    boolean foldable =
        !plan.paced && plan.classes == null && options.toCompletion() && observer == null && job.ranks() >= leastFolded;
    Folding found = foldable
        ? FoldingSearch.find(new FlowSimulator(plan, job, options, null, memoizes, null), job).orElse(null) : null;
    carrier = new FlowSimulator(plan, job, options, observer, memoizes && !plan.paced, null);
    if (found != null) {
      carrier.fold(found);
    }
    for (int rank = 0; rank < job.ranks(); rank++) {
      if (found == null || found.rank(rank) == rank) {
        carrier.runner().add(rank, job.programs().apply(rank));
        simulated++;
      }
    }
  }

  /**
   * Compiles a fabric for runs with some options.
   *
   * @throws NetworkException when a link loses packets, which only packet fidelity models
   */
  static FlowPlan compiled(Fabric fabric, RunOptions options) {
    NetworkException.requireNoLoss(fabric);
    return new FlowPlan(fabric, options.burstBytes(), options.transport(), true);
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
    if (carrier.runner().running() == 0 && carrier.messages.live() == 0 && carrier.collectives.live() == 0) {
      return;
    }
    boolean stalled = carrier.queue.isEmpty();
    throw NetworkException.unfinished(
        stalled ? endPs : options.limitPs(), stalled,
        carrier.messages.live() + " messages and " + carrier.collectives.live() + " collectives",
        carrier.runner().waiting());
  }

  /** The ranks whose programs are run; the others are equal to one of these. */
  public int simulatedRanks() {
    return simulated;
  }

  private LinkCounters counters() {
    Folding folding = carrier.folding();
    return folding == null ? carrier.usage : new FoldedCounters(folding, carrier.usage);
  }

  @Override
  public Measurements measurements() {
    Measurements.Part all = new Measurements.Part(
        carrier.meter, carrier.collectives.log, carrier.events(), carrier.hopCount(), 0);
    return new Measurements(
        List.of(all), counters(), plan.links, endPs, options.windowPs(endPs));
  }
}
