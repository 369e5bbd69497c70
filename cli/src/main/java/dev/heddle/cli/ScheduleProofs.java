package dev.heddle.cli;

import dev.heddle.collective.Schedule;
import dev.heddle.collective.Verifier;
import dev.heddle.collective.Verifier.Finding;
import dev.heddle.collective.Verifier.Verdict;
import dev.heddle.spi.InvalidSettingException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Proofs of the schedules that a run carries out, one per algorithm, operation and number of ranks. Proofs are limited
 * to {@value #MOST_RANKS} ranks and {@value #MOST_STEPS} steps, which take a fraction of a second; larger schedules run
 * with a warning. Threads may share an instance.
 */
final class ScheduleProofs {
  /** The most ranks of a schedule that is proved before it runs. */
  static final int MOST_RANKS = 64;

  /** The most steps of all ranks together of a schedule that is proved before it runs. */
  static final int MOST_STEPS = 200_000;

  private final Consumer<String> warnings;
  private final Set<Key> done = new LinkedHashSet<>();

  private record Key(String algorithm, String operation, int ranks) {}

  /**
   * Begins without proofs.
   *
   * @param warnings takes a line for each schedule that is too large to be proved
   */
  ScheduleProofs(Consumer<String> warnings) {
    this.warnings = warnings;
  }

  /**
   * Proves a schedule, unless one of the same algorithm, operation and number of ranks has been proved.
   *
   * @throws InvalidSettingException when the schedule is wrong
   */
  synchronized void require(Schedule schedule) {
    Key key = new Key(schedule.name(), schedule.collective().op().key(), schedule.ranks());
    if (!done.add(key)) {
      return;
    }
    if (schedule.ranks() > MOST_RANKS || !small(schedule)) {
      warnings.accept("the schedule of " + schedule + " is not proved, as it has more than " + MOST_RANKS
          + " ranks or " + MOST_STEPS + " steps; 'heddle verify' proves it with fewer");
      return;
    }
    Verdict verdict = Verifier.withWindow(schedule.window()).verify(schedule);
    if (!verdict.proved()) {
      Finding first = verdict.findings().get(0);
      throw new InvalidSettingException("", "the schedule of " + schedule + " is wrong: " + first.fault() + " at "
          + first + (verdict.findings().size() > 1 ? ", and " + (verdict.findings().size() - 1) + " more" : "")
          + "; 'heddle verify' lists all; --no-verify runs it all the same");
    }
  }

  private static boolean small(Schedule schedule) {
    long steps = 0;
    for (int rank = 0; rank < schedule.participants() && steps <= MOST_STEPS; rank++) {
      steps += schedule.steps(rank).size();
    }
    return steps <= MOST_STEPS;
  }
}
