package dev.heddle.service;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Runs tasks as processes of this machine, which end when the service does: they read its pipe. They yield the
 * processor to the service, so that its answers do not wait for simulations.
 */
public final class LocalTaskRunner implements TaskRunner {
  private static final String ID = "local";
  private static final long GRACE_MS = 3000;

  private final ImmutableList<String> priority;

  /**
   * A runner.
   *
   * @param niceness that tasks add to the service's own, from 0 to 19; systems without {@code nice} pass it over
   */
  LocalTaskRunner(int niceness) {
    priority = niceness == 0
        ? ImmutableList.of()
        : program("nice").map(nice -> ImmutableList.of(nice, "-n", "" + niceness)).orElse(ImmutableList.of());
  }

  private static Optional<String> program(String name) {
    return Splitter.on(File.pathSeparatorChar).omitEmptyStrings().splitToStream(
        Optional.ofNullable(System.getenv("PATH")).orElse(""))
        .map(folder -> new File(folder, name)).filter(File::canExecute).map(File::getAbsolutePath).findFirst();
  }

  @Override
  public Running start(Command command) throws IOException {
    File folder = command.folder().toFile();
    // nice becomes the program that it starts: the number of the process stays.
    List<String> words = ImmutableList.<String>builder().addAll(priority)
        .addAll(command.words(List.of("-Dheddle.ends-with-input=true"))).build();
    ProcessBuilder builder =
        new ProcessBuilder(words).directory(folder)
            .redirectOutput(new File(folder, TaskFolder.OUTPUT)).redirectError(new File(folder, TaskFolder.MESSAGES));
    builder.environment().clear();
    builder.environment().putAll(command.launch().environment());
    return new Local(builder.start());
  }

  /** Ends a process whose number and start are those of the mark, as numbers are used again. */
  @Override
  public void end(Mark mark) {
    List<String> parts = Splitter.on('@').splitToList(mark.text());
    if (mark.runner().equals(ID) && parts.size() == 2) {
      ProcessHandle.of(Long.parseLong(parts.get(0)))
          .filter(process -> startedMs(process) == Long.parseLong(parts.get(1))).ifPresent(LocalTaskRunner::endTree);
    }
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
      return Optional.of(new Mark(ID, process.pid() + "@" + startedMs(process.toHandle())));
    }
  }
}
