package dev.heddle.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;

/** A folder of results: checked before a run, written to atomically after it. */
final class OutputFolder {
  private final Path folder;

  private OutputFolder(Path folder) {
    this.folder = folder;
  }

  /**
   * Makes the folder where it does not exist, and checks that it can be written to.
   *
   * @throws OutputException when it cannot
   */
  static OutputFolder open(Path folder) {
    if (folder.toString().isEmpty()) {
      throw new OutputException("--out: is empty; name a folder, or '.' for the present one");
    }
    try {
      Files.createDirectories(folder);
      Files.delete(Files.createTempFile(folder, ".heddle", ".tmp"));
      return new OutputFolder(folder);
    } catch (IOException e) {
      throw new OutputException("--out " + folder + ": the folder cannot be written to: " + reason(e));
    }
  }

  /** The folder. */
  Path path() {
    return folder;
  }

  /**
   * Writes a file whole or not at all.
   *
   * @throws OutputException when it cannot be written
   */
  void write(String name, String text) {
    write(name, writer -> writer.write(text));
  }

  /** Writes the text of a file piece by piece. */
  interface Content {
    /** Writes the whole text; the writer is closed afterwards. */
    void writeTo(Writer writer) throws IOException;
  }

  /**
   * Writes a file whole or not at all, without holding its text in memory.
   *
   * @throws OutputException when it cannot be written
   */
  void write(String name, Content content) {
    Path target = folder.resolve(name);
    try {
      // Files of createTempFile are readable by their owner alone.
      Path temporary = folder.resolve("." + name + "." + ProcessHandle.current().pid() + ".tmp");
      try {
        try (Writer writer = Files.newBufferedWriter(temporary, StandardCharsets.UTF_8)) {
          content.writeTo(writer);
        }
        move(temporary, target);
      } finally {
        Files.deleteIfExists(temporary);
      }
    } catch (IOException e) {
      throw new OutputException(target + ": cannot be written: " + reason(e));
    } catch (UncheckedIOException e) {
      throw new OutputException(target + ": cannot be written: " + reason(Objects.requireNonNull(e.getCause())));
    }
  }

  private static void move(Path from, Path to) throws IOException {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private static String reason(IOException e) {
    String kind = e.getClass().getSimpleName().replaceAll("Exception$", "").replaceAll("([a-z])([A-Z])", "$1 $2");
    return kind.toLowerCase(java.util.Locale.ROOT) + " (" + e.getMessage() + ")";
  }
}
