package dev.heddle.bench.track;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A process that the tracker started and that has ended.
 *
 * @param code its exit code
 * @param out its standard output
 * @param err its standard error
 */
record Child(int code, String out, String err) {
  private static final int SAMPLE_MS = 20;
  private static final int MOST_LINES = 3;

  /** Runs a command in a folder to its end. */
  static Child run(List<String> command, Path folder, Map<String, String> environment) {
    return run(command, folder, environment, process -> {});
  }

  /**
   * Runs a command in a folder to its end; a process that is interrupted or fails to start leaves no child behind.
   *
   * @param sampler called every 20 ms while the process runs
   */
  static Child run(
      List<String> command, Path folder, Map<String, String> environment, Consumer<ProcessHandle> sampler) {
    try {
      Path out = Files.createTempFile("track", ".out");
      Path err = Files.createTempFile("track", ".err");
      try {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile())
            .redirectOutput(out.toFile()).redirectError(err.toFile()).redirectInput(Redirect.PIPE);
        builder.environment().putAll(environment);
        int code = awaited(builder.start(), sampler);
        return new Child(code, read(out), read(err));
      } finally {
        Files.deleteIfExists(out);
        Files.deleteIfExists(err);
      }
    } catch (IOException e) {
      throw new TrackException(command.get(0) + ": cannot be run: " + e.getMessage());
    }
  }

  /** The last lines of its messages, for the user. */
  String complaint() {
    List<String> lines = (err.isBlank() ? out : err).lines().filter(line -> !line.isBlank()).toList();
    return String.join("; ", lines.subList(Math.max(0, lines.size() - MOST_LINES), lines.size()));
  }

  private static int awaited(Process process, Consumer<ProcessHandle> sampler) {
    try {
      while (!process.waitFor(SAMPLE_MS, TimeUnit.MILLISECONDS)) {
        sampler.accept(process.toHandle());
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TrackException("interrupted");
    } finally {
      process.descendants().forEach(ProcessHandle::destroy);
      process.destroy();
    }
  }

  private static String read(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }
}
