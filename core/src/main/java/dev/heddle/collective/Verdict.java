package dev.heddle.collective;

import com.google.common.collect.ImmutableList;

/**
 * The verifier's result for a schedule.
 *
 * @param findings faults; none: the schedule is proved
 * @param rounds length of the longest chain of messages each of which waits for its predecessor; 0 where the schedule
 * does not end
 */
public record Verdict(ImmutableList<Finding> findings, int rounds) {
  /** Whether nothing is wrong. */
  public boolean proved() {
    return findings.isEmpty();
  }
}
