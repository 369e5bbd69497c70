package dev.heddle.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A runner whose processes end when a test lets them, with results and messages that the test chose. */
final class ScriptedRunner implements TaskRunner {
  static final String RESULTS = "{\"run\": {\"simulatedPs\": 1}, \"metrics\": [{\"id\": \"time\", \"title\": \"Time\","
      + " \"unit\": \"us\", \"value\": 2.0}], \"links\": []}";

  private final List<Command> started = new CopyOnWriteArrayList<>();
  private final List<String> killed = new CopyOnWriteArrayList<>();
  private final Semaphore permits = new Semaphore(0);
  private volatile int exit;
  private volatile String messages = "";

  /** Lets a number of processes end. */
  void letEnd(int count) {
    permits.release(count);
  }

  /** Sets exit code and messages of the processes that end from now on. */
  void failWith(int code, String text) {
    exit = code;
    messages = text;
  }

  List<Command> started() {
    return started;
  }

  /** The folders' names of the processes that were killed while they ran. */
  List<String> killed() {
    return killed;
  }

  @Override
  public Running start(Command command) {
    started.add(command);
    CountDownLatch ended = new CountDownLatch(1);
    return new Running() {
      @Override
      public OptionalInt await(Duration most) throws InterruptedException {
        if (!permits.tryAcquire(most.toMillis(), TimeUnit.MILLISECONDS)) {
          return OptionalInt.empty();
        }
        ended.countDown();
        write(command.folder());
        return OptionalInt.of(exit);
      }

      @Override
      public void kill() {
        if (ended.getCount() > 0) {
          killed.add(String.valueOf(command.folder().getFileName()));
        }
      }

      @Override
      public Optional<Mark> mark() {
        return Optional.empty();
      }
    };
  }

  @Override
  public void end(Mark mark) {
    throw new AssertionError("its processes have no marks");
  }

  private void write(Path folder) {
    try {
      Path results = Files.createDirectories(folder.resolve("results"));
      Files.writeString(results.resolve("results.json"), RESULTS);
      Files.writeString(results.resolve("report.html"), "<!DOCTYPE html><title>report</title>");
      Files.writeString(folder.resolve(TaskFolder.OUTPUT), "{}");
      Files.writeString(folder.resolve(TaskFolder.MESSAGES), messages);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
