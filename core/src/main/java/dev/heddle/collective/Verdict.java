package dev.heddle.collective;

import com.google.common.collect.ImmutableList;

/**
 * What the verifier says of a schedule.
 *
 * @param findings what is wrong; none: it is proved
 * @param rounds the longest chain of messages of which each waits for the one before; 0 where the schedule does not end
 */
public record Verdict(ImmutableList<Finding> findings, int rounds) {
  /** Whether nothing is wrong. */
  public boolean proved() {
    return findings.isEmpty();
  }
}
