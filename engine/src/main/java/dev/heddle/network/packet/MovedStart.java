package dev.heddle.network.packet;

import com.google.common.primitives.Longs;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A recorded start whose times differ from those of a call by little, so that the call may take the record's course.
 *
 * <p>A network of first-come-first-served links is a max-plus system as far as the order of units does not change: each
 * time is a greatest of sums of earlier times and constants, so that times that are moved by no more than a deviation
 * move no later time by more. The record is laid so that the greatest deviation of any begin is least, which is midway
 * between the extremes. See F. Baccelli et al., Synchronization and Linearity, Wiley 1992, and for the bound M. G.
 * Crandall and L. Tartar, Some relations between nonexpansive and order preserving mappings, Proc. AMS 78, 1980.
 *
 * @param record of the course
 * @param start that it has been recorded from
 * @param shiftPs by which its begin is later than the call's
 * @param deviationPs the greatest difference of a time between both, the shift taken off
 */
record MovedStart(CallRecord record, CallStart start, long shiftPs, long deviationPs) {

  /**
   * A record for a call, unless one of its times differs by more than a tolerance, messages of a terminal leave in
   * another order, or a part would end in the past.
   *
   * @param nowPs the time now, since the begin of the call
   */
  static @Nullable MovedStart of(
      PendingCall call, CallStart own, Map.Entry<CallStart, CallRecord> known, long nowPs, long tolerancePs) {
    CallStart recorded = known.getKey();
    if (!own.hasSameSlots(recorded)) {
      return null;
    }
    long[] begins = own.begins();
    long[] others = recorded.begins();
    long least = Long.MAX_VALUE;
    long greatest = Long.MIN_VALUE;
    for (int i = 0; i < begins.length; i++) {
      least = Math.min(least, begins[i] - others[i]);
      greatest = Math.max(greatest, begins[i] - others[i]);
    }
    // No sender begins after now, and none before the run.
    long latest = nowPs - Longs.max(others);
    long shift = Math.max(-call.startPs, Math.min(Math.floorDiv(least + greatest, 2), latest));
    long deviation = Math.max(greatest - shift, shift - least);
    if (shift > latest || deviation > tolerancePs || !endsAhead(call, known.getValue(), nowPs - shift)
        || !hasSameOrder(call, own, recorded, known.getValue(), shift)) {
      return null;
    }
    long ofLinks = call.shape.state.deviation(own, recorded, shift, tolerancePs);
    return ofLinks == CallStart.FAR
        ? null : new MovedStart(known.getValue(), recorded, shift, Math.max(deviation, ofLinks));
  }

  // Whether the parts that have ended, and no others, end before a time.
  private static boolean endsAhead(PendingCall call, CallRecord record, long afterPs) {
    for (int i = 0; i < call.size(); i++) {
      boolean arrived = call.sender(i) instanceof PendingCall.Guest guest && guest.arrived;
      if (arrived ? !record.endsBefore(i, afterPs) : record.endsBefore(i, afterPs + 1)) {
        return false;
      }
    }
    return true;
  }

  // Whether messages of programs leave their terminals in the same order among others of the same terminal.
  private static boolean hasSameOrder(
      PendingCall call, CallStart own, CallStart recorded, CallRecord record, long shiftPs) {
    int[] places = own.places();
    int[] others = recorded.places();
    for (int i = call.members.length; i < places.length; i++) {
      int source = call.sender(i).source;
      for (int j = 0; j < i; j++) {
        if (call.sender(j).source == source && (places[i] < places[j] != others[i] < others[j]
            || record.submits(j, own.beginPs(places[i]) - shiftPs, recorded.beginPs(others[i])))) {
          return false;
        }
      }
    }
    return true;
  }
}
