package dev.heddle.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.heddle.text.WholeFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** A file with figures of a running command as JSON, replaced whole at most twice a second. */
final class LiveFile {
  /** The system property that names the file of a simulation. */
  static final String RUN = "heddle.live.run";

  /** The system property that names the file of a sweep. */
  static final String POINTS = "heddle.live.points";

  private static final long NANOS_BETWEEN = 500_000_000L;

  private final Path file;
  private final long startNanos = System.nanoTime();
  private long nextNanos = startNanos;

  private LiveFile(Path file) {
    this.file = file;
  }

  /** The file that a property of this process names. */
  static Optional<LiveFile> named(String property) {
    return Optional.ofNullable(System.getProperty(property)).map(path -> at(Path.of(path)));
  }

  /** A file at a path. */
  static LiveFile at(Path file) {
    return new LiveFile(file);
  }

  /** Whether the file is old enough to be replaced. */
  boolean due() {
    return System.nanoTime() - nextNanos >= 0;
  }

  /** Replaces the file, and adds the wall-clock time since the start; a file that cannot be written is left out. */
  void write(ObjectNode figures) {
    nextNanos = System.nanoTime() + NANOS_BETWEEN;
    figures.put("wallMs", (System.nanoTime() - startNanos) / 1_000_000);
    try {
      WholeFiles.write(file, figures.toString());
    } catch (IOException e) {
      // Figures of a running command are a view of it: the command itself goes on.
      return;
    }
  }
}
