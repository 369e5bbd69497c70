package dev.heddle.network.packet;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The outcomes of calls: known ones, and those that are found by a simulation aside. */
final class Outcomes {
  private final LinkClaims claims;
  private final IsolatedSimulation aside;
  private final MovedCalls moves;
  /** The calls that were recorded. */
  long recorded;

  Outcomes(LinkClaims claims, IsolatedSimulation aside, MovedCalls moves) {
    this.claims = claims;
    this.aside = aside;
    this.moves = moves;
  }

  /**
   * The outcome of a call, or of messages, with those of calls under way that they meet, which is recorded where it is
   * not known, and whose links they keep from now on; null, and nothing has changed, where they cannot be replayed.
   */
  @Nullable
  CallRecord of(PendingCall pending, List<PendingCall> met) {
    CallStart start = claims.start(pending, met);
    CallPattern pattern = pending.shape.pattern;
    CallRecord record = pending.isWaiting() ? pattern.findLate(start) : pattern.find(start);
    claims.hold(pending, pending.number + 1);
    MovedStart moved = record == null ? moves.find(pending, start) : null;
    if (moved != null && claims.hasRoom(pending, moved.record().queued, met)) {
      moves.move(pending, moved);
      return moved.record();
    }
    boolean pays = record == null
        && (!pending.isWaiting() || pattern.paysLate(start, pending.bytes()) || moves.isAllowed());
    if (pays) {
      int begun = pending.begin(pending.arrivals);
      record = record(pending, start);
      pending.begin(begun);
    }
    if (record == null || !claims.hasRoom(pending, record.queued, met)) {
      claims.hold(pending, pending.isWaiting() ? pending.number + 1 : 0);
      for (PendingCall each : met) {
        each.claim();
        claims.hold(each, each.number + 1);
      }
      return null;
    }
    return record;
  }

  /** The outcome of a call whose recording was put off, on links that it keeps; null where it cannot be replayed. */
  @Nullable
  CallRecord of(PendingCall waiting, DeferredCalls.Terms terms) {
    CallRecord known = waiting.shape.pattern.find(terms.start());
    MovedStart moved = known == null ? moves.find(waiting, terms.start()) : null;
    if (moved != null) {
      moves.move(waiting, moved);
      return moved.record();
    }
    return known == null ? record(waiting, terms.start()) : known;
  }

  private @Nullable CallRecord record(PendingCall pending, CallStart start) {
    CallRecord record = aside.record(pending);
    if (record != null) {
      recorded++;
      pending.shape.pattern.add(start, record);
    }
    return record;
  }
}
