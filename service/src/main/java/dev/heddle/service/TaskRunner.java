package dev.heddle.service;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
 * <li>RUNNER-4: the process MUST end when the service does, or {@link Running#mark} MUST let a later service end it by
 * {@link #end}.
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
   * Ends a process that an earlier service left, where it still runs; marks of other runners are passed over.
   *
   * @param mark that it had
   */
  void end(Mark mark);

  /**
   * The command of a task.
   *
   * @param launch of Heddle's processes
   * @param arguments of Heddle's command line
   * @param folder of the task
   * @param points whether it is a sweep, whose points can be counted while it runs
   */
  record Command(Launch launch, List<String> arguments, Path folder, boolean points) {
    /** The options of the virtual machine. */
    List<String> options() {
      List<String> all = new ArrayList<>(launch.options());
      all.add((points ? "-Dheddle.live.points=" : "-Dheddle.live.run=") + TaskFolder.LIVE);
      return all;
    }

    /**
     * The words that run it on a machine with the same files.
     *
     * @param more options of the virtual machine
     */
    List<String> words(List<String> more) {
      List<String> words = new ArrayList<>(launch.program().subList(0, 1));
      words.addAll(more);
      words.addAll(options());
      words.addAll(launch.program().subList(1, launch.program().size()));
      words.addAll(arguments);
      return words;
    }
  }

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

    /** Whether it runs already, and waits no longer for its turn on a cluster: its time limit counts from then. */
    default boolean begun() {
      return true;
    }

    /** Ends the process and its children, those that do not end at once by force. */
    void kill();

    /** The mark of the process, where it has one. */
    Optional<Mark> mark();
  }

  /**
   * The mark of a process, by which a later service finds it.
   *
   * @param runner id of the runner that started it, such as {@code slurm}
   * @param text that the runner knows it by, of at most 180 characters
   */
  record Mark(String runner, String text) {
    /** The mark as one text, such as {@code slurm:123}. */
    @Override
    public String toString() {
      return runner + ":" + text;
    }

    /** Reads a mark that {@link #toString} wrote; empty where there is none. */
    static Optional<Mark> parse(String text) {
      int colon = text.indexOf(':');
      return colon < 0
          ? Optional.empty() : Optional.of(new Mark(text.substring(0, colon), text.substring(colon + 1)));
    }
  }

  /**
   * The start of Heddle's processes.
   *
   * @param program words that start the command line on this machine, up to the name of its main class
   * @param options of the virtual machine for tasks, such as the size of its heap
   * @param environment of the processes; nothing else is passed on
   * @param memoryMiB heap of a process
   */
  record Launch(List<String> program, List<String> options, Map<String, String> environment, int memoryMiB) {
    /** Copies the collections. */
    public Launch {
      program = ImmutableList.copyOf(program);
      options = ImmutableList.copyOf(options);
      environment = ImmutableMap.copyOf(environment);
    }

    /** Memory of a process in MiB: its heap, and what the virtual machine needs beside it. */
    int processMiB() {
      return memoryMiB + memoryMiB / 4 + 256;
    }
  }
}
