package dev.heddle.service;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs tasks as processes of this machine, which end when the service does: they read its pipe. */
public final class LocalTaskRunner implements TaskRunner {
  private static final long GRACE_MS = 3000;

  private final ImmutableList<String> start;
  private final ImmutableMap<String, String> environment;

  /**
   * A runner.
   *
   * @param start command that arguments of Heddle's command line are added to, up to the name of its main class
   * @param environment of the processes; nothing else is passed on
   */
  public LocalTaskRunner(List<String> start, Map<String, String> environment) {
    this.start = ImmutableList.copyOf(start);
    this.environment = ImmutableMap.copyOf(environment);
  }

  @Override
  public Running start(Command command) throws IOException {
    List<String> line = new ArrayList<>(start.subList(0, start.size() - 1));
    line.add((command.points() ? "-Dheddle.live.points=" : "-Dheddle.live.run=") + TaskFolder.LIVE);
    line.add(start.get(start.size() - 1));
    line.addAll(command.arguments());
    File folder = command.folder().toFile();
    ProcessBuilder builder = new ProcessBuilder(line).directory(folder)
        .redirectOutput(new File(folder, TaskFolder.OUTPUT)).redirectError(new File(folder, TaskFolder.MESSAGES));
    builder.environment().clear();
    builder.environment().putAll(environment);
    return new Local(builder.start());
  }

  /** Ends a process that an earlier service left, where it still runs. */
  static void end(Mark mark) {
    ProcessHandle.of(mark.pid()).filter(process -> startedMs(process) == mark.startedMs())
        .ifPresent(LocalTaskRunner::endTree);
  }

  private static long startedMs(ProcessHandle process) {
    return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
  }

  private static void endTree(ProcessHandle process) {
    List<ProcessHandle> all = Stream.concat(Stream.of(process), process.descendants()).toList();
    all.forEach(ProcessHandle::destroy);
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(GRACE_MS);
    while (all.stream().anyMatch(ProcessHandle::isAlive) && System.nanoTime() - until < 0) {
      try {
        Thread.sleep(10);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    all.forEach(ProcessHandle::destroyForcibly);
  }

  private record Local(Process process) implements Running {
    @Override
    public OptionalInt await(Duration most) throws InterruptedException {
      return process.waitFor(most.toMillis(), TimeUnit.MILLISECONDS)
          ? OptionalInt.of(process.exitValue()) : OptionalInt.empty();
    }

    @Override
    public void kill() {
      endTree(process.toHandle());
    }

    @Override
    public Optional<Mark> mark() {
      return Optional.of(new Mark(process.pid(), startedMs(process.toHandle())));
    }
  }
}
