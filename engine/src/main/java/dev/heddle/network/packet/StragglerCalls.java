package dev.heddle.network.packet;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.engine.CollectiveCall;

/**
 * Calls whose members come in several instants. Such a call keeps its links from the first of them and is simulated,
 * with the times of all, when the last one has come. Whatever comes to its links before ends this: the members so far
 * are simulated up to then, aside, and continue message by message.
 */
final class StragglerCalls {
  // Operations of which each member needs what all the others send, so that none ends its part before all have come.
  private static final ImmutableSet<CollectiveOp> SYNCHRONOUS = Sets.immutableEnumSet(
      CollectiveOp.ALL_REDUCE, CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER);
  // Bytes for each member, of which every division into chunks and channels leaves some to send.
  private static final long LEAST_BYTES = 1 << 12;
  // Messages of a member in its injection queue while others have yet to come.
  private static final int MOST_QUEUED = 512;

  private final Partition partition;
  private final RunContext setup;
  private final LinkClaims claims;
  private final IsolatedSimulation aside;

  StragglerCalls(Partition partition, RunContext setup, LinkClaims claims, IsolatedSimulation aside) {
    this.partition = partition;
    this.setup = setup;
    this.claims = claims;
    this.aside = aside;
  }

  /** Whether no member of a call can end its part before all have come, and waits pay. */
  static boolean mayBeAwaited(PendingCall pending) {
    CollectiveCall call = pending.operation;
    return call != null && !pending.hasAll() && pending.guests.isEmpty() && pending.shape.pattern.mayWait()
        && SYNCHRONOUS.contains(call.op())
        && (call.op() == CollectiveOp.ALL_REDUCE || call.bytes() >= LEAST_BYTES * pending.members.length);
  }

  /**
   * Lets a call wait for members, or go on with it, on links that it keeps; whether it does. Of two on one terminal the
   * order of messages would not be known.
   */
  boolean begin(PendingCall pending) {
    for (PendingCall.Sender each : pending.inOrder()) {
      partition.sequence.settle(each.source);
      int reserved = setup.reservedRoom[each.rank];
      if (partition.sequence.isWaitedFor(each.source, pending, pending)
          || reserved > 0 && setup.injectionQueue - reserved < MOST_QUEUED) {
        return false;
      }
    }
    if (!pending.isWaiting()) {
      FootprintState state = pending.shape.state;
      state.normalize(partition.queue.now(), state.allFree());
      claims.hold(pending, pending.number + 1);
    }
    pending.await();
    return true;
  }

  /** Ends a wait by an event: the members, and messages, that have begun continue message by message. */
  void end(PendingCall pending, long now, int eventKey) {
    if (pending.putOff == null) {
      pending.shape.pattern.waitedInVain();
    } else {
      pending.shape.pattern.disturbed();
      claims.reserve(pending, pending.room(), -1);
    }
    pending.begun().forEach(partition.sequence::remove);
    aside.catchUp(pending, now, eventKey);
    claims.hold(pending, 0);
  }
}
