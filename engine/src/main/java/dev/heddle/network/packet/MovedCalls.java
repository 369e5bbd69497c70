package dev.heddle.network.packet;

import dev.heddle.network.ReplayError;
import org.jspecify.annotations.Nullable;

/**
 * Calls that are replayed from records whose begins differ from theirs within a tolerance. From its replay on such a
 * call is one that began at the record's times, so that whoever meets it later meets that call.
 *
 * <p>An influence goes from one replay to another only by what has ended in between: a part, a message or the whole
 * replay. So the deviations of replays that follow one another are added up, each with the time of one unit, as another
 * may go before it, and the greatest sum so far is an estimate of how far any time may be off. It knows nothing of
 * messages that change their order on a terminal, for which all bytes of one wait.
 */
final class MovedCalls {
  private final Partition partition;
  private final NetworkPlan plan;
  private final long tolerancePs;
  private long count;
  // The greatest sum of what has ended.
  private long endedPs;
  private long errorPs;

  MovedCalls(Partition partition, NetworkPlan plan, RunContext setup) {
    this.partition = partition;
    this.plan = plan;
    tolerancePs = setup.tolerancePs;
  }

  /** Whether a record may serve calls of other begins, so that each may pay. */
  boolean isAllowed() {
    return tolerancePs > 0;
  }

  /** The record within the tolerance that a call may take; null for none. */
  @Nullable
  MovedStart find(PendingCall call, CallStart start) {
    return tolerancePs == 0
        ? null : call.shape.pattern.near(call, start, partition.queue.now() - call.startPs, tolerancePs);
  }

  /** Moves the begins of a call to those of a record, on links that it keeps. */
  void move(PendingCall call, MovedStart moved) {
    count++;
    call.shape.pattern.replaysNear(moved, call.isWaiting());
    call.move(moved);
    call.shape.state.begin(moved.start(), call.startPs);
  }

  /** Counts a message that passes by a call, which may wait for it on a link. */
  void passes(PendingCall met, CallShape shape, long bytes) {
    count++;
    met.errorPs = Math.max(met.errorPs, endedPs) + Math.max(longestUnitPs(shape), longestPs(shape, bytes));
    errorPs = Math.max(errorPs, met.errorPs);
  }

  private long longestPs(CallShape shape, long bytes) {
    long longest = 0;
    for (int link : shape.state.links) {
      longest = Math.max(longest, plan.specs[plan.spec[link]].rate().wirePs(bytes));
    }
    return longest;
  }

  /** Adds the deviation of a call to the estimates of those that have ended and that it takes over. */
  void replays(PendingCall call) {
    if (call.movedByPs >= 0) {
      call.errorPs = Math.max(call.errorPs, endedPs) + call.movedByPs + longestUnitPs(call.shape);
      errorPs = Math.max(errorPs, call.errorPs);
    }
  }

  // The time of the longest unit on the slowest link.
  private long longestUnitPs(CallShape shape) {
    long longest = 0;
    for (int link : shape.state.links) {
      int spec = plan.spec[link];
      longest = Math.max(longest, partition.times.wirePs(partition.times.slot(spec, plan.unitLimit[spec], 0)));
    }
    return longest;
  }

  /** A part of a call has ended, or others have met it. */
  void ended(PendingCall call) {
    endedPs = Math.max(endedPs, call.errorPs);
  }

  /** The replays so far, and their error. */
  ReplayError error() {
    return new ReplayError(count, errorPs);
  }
}
