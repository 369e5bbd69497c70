package dev.heddle.batch;

import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;
import dev.heddle.spi.InvalidSettingException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A job of a batch system, whose state one of its programs tells; it is asked at most every two seconds. */
public abstract class BatchJob {
  private static final long LOOK_SECONDS = 2;
  /** Failures of the program, one after the other, before the batch system counts as gone: about five minutes. */
  private static final int MOST_FAILURES = 150;

  private final String system;
  private final AtomicInteger failures = new AtomicInteger();
  private final Supplier<Boolean> running =
      Suppliers.memoizeWithExpiration(this::ask, LOOK_SECONDS, TimeUnit.SECONDS);

  /**
   * Follows a job.
   *
   * @param system name of the batch system, for messages
   */
  BatchJob(String system) {
    this.system = system;
  }

  /** The id that the batch system gave it. */
  public abstract String id();

  /** The name for people, such as {@code Slurm's job 123}. */
  public abstract String name();

  /** Ends the job; without effect when it has ended. */
  public abstract void cancel();

  /**
   * Whether it waits or runs.
   *
   * @throws InvalidSettingException when the batch system has not answered for minutes
   */
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
      throw new InvalidSettingException("", system + ": " + question.get(0)
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
