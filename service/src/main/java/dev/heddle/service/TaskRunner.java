package dev.heddle.service;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Runs the processes of tasks: on this machine, or through a scheduler of a cluster that sees the data folder.
 *
 * <ul>
 * <li>RUNNER-1: {@link #start} MUST return without waiting for the end of the process.
 * <li>RUNNER-2: the process MUST run in the folder of the task, with standard output in {@link TaskFolder#OUTPUT} and
 * standard error in {@link TaskFolder#MESSAGES} there.
 * <li>RUNNER-3: after {@link Running#kill} returns, neither the process nor a child of it may run.
 * <li>RUNNER-4: the process MUST end when the service does, or {@link Running#mark} MUST let a later service find it.
 * </ul>
 */
public interface TaskRunner {
  /**
   * Starts the process of a task.
   *
   * @param command of the task
   * @return the running process
   * @throws IOException when it cannot be started
   */
  Running start(Command command) throws IOException;

  /**
   * The command of a task.
   *
   * @param arguments of Heddle's command line
   * @param folder of the task
   * @param points whether it is a sweep, whose points can be counted while it runs
   */
  record Command(List<String> arguments, Path folder, boolean points) {}

  /** A process that runs. */
  interface Running {
    /**
     * Waits for the end.
     *
     * @param most time to wait
     * @return the exit code; empty when the process still runs
     * @throws InterruptedException when the waiting thread is interrupted
     */
    OptionalInt await(Duration most) throws InterruptedException;

    /** Ends the process and its children, those that do not end at once by force. */
    void kill();

    /** The mark of the process on this machine, where it has one. */
    Optional<Mark> mark();
  }

  /**
   * The mark of a process of this machine.
   *
   * @param pid its number
   * @param startedMs its start in milliseconds since 1970, as numbers are used again
   */
  record Mark(long pid, long startedMs) {}
}
