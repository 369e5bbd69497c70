package dev.heddle.cli.sweep;

import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;
import dev.heddle.cli.SweepEngine;
import dev.heddle.spi.InvalidSettingException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Workers of a batch system, whose state one of its programs tells; it is asked at most every two seconds. */
abstract class FollowedJob implements SweepEngine.Workers {
  private static final long LOOK_SECONDS = 2;
  /** Failures of the program, one after the other, before the batch system counts as gone: about five minutes. */
  private static final int MOST_FAILURES = 150;

  private final String engine;
  private final AtomicInteger failures = new AtomicInteger();
  private final Supplier<Boolean> running =
      Suppliers.memoizeWithExpiration(this::ask, LOOK_SECONDS, TimeUnit.SECONDS);

  /**
   * Follows a job.
   *
   * @param engine id of the engine, for messages
   */
  FollowedJob(String engine) {
    this.engine = engine;
  }

  @Override
  public final boolean running() {
    return running.get();
  }

  private boolean ask() {
    List<String> question = question();
    ExternalCommand.Answer answer = ExternalCommand.call(question, "");
    if (answer.exitCode() == 0) {
      failures.set(0);
      return runs(answer.output());
    }
    if (forgotten(answer.output())) {
      return false;
    }
    if (failures.incrementAndGet() > MOST_FAILURES) {
      throw new InvalidSettingException("", "--engine " + engine + ": " + question.get(0)
          + " no longer answers about " + name() + ": " + answer.output());
    }
    return true;
  }

  /** The command that asks for the state of the job. */
  abstract List<String> question();

  /** Whether the job runs, by the answer. */
  abstract boolean runs(String answer);

  /** Whether a failure says that the job is no longer known, as it ended some time ago. */
  abstract boolean forgotten(String failure);
}
