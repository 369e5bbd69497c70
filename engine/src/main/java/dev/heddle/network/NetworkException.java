package dev.heddle.network;

import dev.heddle.engine.ProgramRunner;
import dev.heddle.fabric.Fabric;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.Arrays;

/** A run that a network cannot carry out as described: a deadlock, a unit that fits no buffer, a limit reached. */
public final class NetworkException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final int MOST_LINES = 12;
  private static final String FULL = "; connections of a collective are full: where all ranks send a step before they"
      + " receive, the window of the schedule's transport must hold more messages than a step has slices";

  /** An exception with the obstacle and its remedy. */
  public NetworkException(String message) {
    super(message);
  }

  /**
   * Refuses a fabric that loses packets, or changes during a run, on behalf of a network that moves none.
   *
   * @throws NetworkException when a link loses packets, or a fault begins or ends: without packets, nobody waits for
   * one to be sent again
   */
  public static void requireNoLoss(Fabric fabric) {
    if (!fabric.changes().isEmpty()) {
      throw new NetworkException("a fault begins or ends at " + SimTime.ofPs(fabric.changes().get(0).atPs())
          + ", which only packet fidelity with a transport has; write fidelity: packet and a 'transport', or leave 'at'"
          + " and 'until' out of the faults");
    }
    fabric.losingLink().ifPresent(link -> {
      throw new NetworkException("link " + fabric.linkName(link) + " loses "
          + Fraction.of(fabric.linkModel(link).loss()) + " of its packets, which only packet fidelity has; write"
          + " fidelity: packet, or leave 'loss' out of the link");
    });
  }

  /**
   * A run to completion that came to no end.
   *
   * @param timePs end of the run: its limit, or the last event
   * @param stalled whether no event was left
   * @param underWay the messages and collectives in flight
   * @param waiting a line for each stream that had not ended
   */
  public static NetworkException unfinished(long timePs, boolean stalled, String underWay, String waiting) {
    return new NetworkException(
        (stalled
            ? "stalled at " + SimTime.ofPs(timePs) + ": nothing is left to happen, yet not all is done"
            : "not finished after " + SimTime.ofPs(timePs)
                + " of simulated time; raise run.limit, which may be up to 1000 h")
            + "; " + underWay + " under way"
            + (stalled && waiting.contains(ProgramRunner.FULL_CONNECTION) ? FULL : "")
            + ", streams that have not ended:\n" + firstLines(waiting));
  }

  private static String firstLines(String lines) {
    String[] all = lines.split("\n");
    String text = String.join("\n", Arrays.asList(all).subList(0, Math.min(all.length, MOST_LINES)));
    return all.length > MOST_LINES ? text + "\n  ... and " + (all.length - MOST_LINES) + " more" : text;
  }
}
