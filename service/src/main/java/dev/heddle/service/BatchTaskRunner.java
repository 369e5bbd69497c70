package dev.heddle.service;

import dev.heddle.batch.BatchJob;
import dev.heddle.cli.ShellWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Runs tasks as jobs of a batch system, one for each. The job writes the exit code of its process into the task's
 * folder, which both machines see; a job that is gone without one was killed.
 */
final class BatchTaskRunner implements TaskRunner {
  static final String EXIT = "exit.txt";

  private static final int KILLED = 137;
  private static final long LOOK_MS = 100;
  /** Time within which a file that another machine wrote is seen here, as NFS keeps attributes for 3 s and more. */
  private static final Duration SEEN = Duration.ofSeconds(10);
  private static final Duration GONE = Duration.ofSeconds(60);

  private final BatchSystem system;

  BatchTaskRunner(BatchSystem system) {
    this.system = system;
  }

  /** A batch system that takes tasks. */
  interface BatchSystem {
    /** The id of the runner, for marks. */
    String id();

    /** Submits the job of a task, and returns. */
    BatchJob submit(Command command);

    /** A job that an earlier service submitted. */
    BatchJob find(String id);
  }

  /** The shell's command of a job: it runs a task in its folder, keeps its output, and writes its exit code at last. */
  static String shell(Command command, String words) {
    // A shell that is to end waits for the process first, and leaves no exit code: the job may be queued again.
    return "trap 'exit 143' TERM\ncd " + ShellWords.quoted(List.of(command.folder().toString())) + " || exit 1\n"
        + words + " >"
        + TaskFolder.OUTPUT + " 2>" + TaskFolder.MESSAGES + "\necho $? >" + EXIT + ".new\nmv " + EXIT + ".new " + EXIT;
  }

  @Override
  public Running start(Command command) throws IOException {
    Files.deleteIfExists(command.folder().resolve(EXIT));
    Files.deleteIfExists(command.folder().resolve(TaskFolder.OUTPUT));
    return new Job(system.id(), system.submit(command), command.folder());
  }

  @Override
  public void end(Mark mark) {
    if (mark.runner().equals(system.id())) {
      end(system.find(mark.text()));
    }
  }

  private static void end(BatchJob job) {
    job.cancel();
    long until = System.nanoTime() + GONE.toNanos();
    try {
      while (job.running() && System.nanoTime() - until < 0) {
        Thread.sleep(LOOK_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private record Job(String system, BatchJob job, Path folder) implements Running {
    @Override
    public OptionalInt await(Duration most) throws InterruptedException {
      long until = System.nanoTime() + most.toNanos();
      do {
        OptionalInt exit = exit();
        if (exit.isPresent()) {
          return exit;
        }
        if (!job.running()) {
          return last();
        }
        Thread.sleep(Math.min(LOOK_MS, most.toMillis()));
      } while (System.nanoTime() - until < 0);
      return OptionalInt.empty();
    }

    /** The exit code of a job that has ended. */
    private OptionalInt last() throws InterruptedException {
      long until = System.nanoTime() + SEEN.toNanos();
      OptionalInt exit = exit();
      while (exit.isEmpty() && System.nanoTime() - until < 0) {
        Thread.sleep(LOOK_MS);
        exit = exit();
      }
      return exit.isPresent() ? exit : OptionalInt.of(KILLED);
    }

    private OptionalInt exit() {
      try {
        String text = Files.readString(folder.resolve(EXIT)).strip();
        return text.isEmpty() ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(text));
      } catch (IOException e) {
        return OptionalInt.empty();
      }
    }

    @Override
    public boolean begun() {
      return Files.exists(folder.resolve(TaskFolder.OUTPUT));
    }

    @Override
    public void kill() {
      if (exit().isEmpty()) {
        end(job);
      }
    }

    @Override
    public Optional<Mark> mark() {
      return Optional.of(new Mark(system, job.id()));
    }
  }
}
