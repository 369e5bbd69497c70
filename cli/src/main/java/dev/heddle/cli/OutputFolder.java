package dev.heddle.cli;

import dev.heddle.text.Unwritable;
import dev.heddle.text.WholeFiles;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/** A folder of results: checked before a run; the files of a run are written to it whole and together. */
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
      throw new OutputException(
          "--out " + folder + ": the folder cannot be written to: " + Unwritable.folderReason(folder, e));
    }
  }

  /** The folder. */
  Path path() {
    return folder;
  }

  /** Writes the text of a file piece by piece. */
  interface Content {
    /** Writes the whole text; the writer is closed afterwards. */
    void writeTo(Writer writer) throws IOException;
  }

  /**
   * Writes files, all or none, without holding their texts in memory.
   *
   * @param files by name
   * @throws OutputException when one cannot be written
   */
  void write(Map<String, Content> files) {
    Path target = folder;
    try (WholeFiles whole = new WholeFiles()) {
      for (Map.Entry<String, Content> file : files.entrySet()) {
        target = folder.resolve(file.getKey());
        try (Writer writer =
            new BufferedWriter(new OutputStreamWriter(whole.open(target), StandardCharsets.UTF_8))) {
          file.getValue().writeTo(writer);
        }
      }
      whole.commit();
    } catch (IOException e) {
      throw refused(target, e);
    } catch (UncheckedIOException e) {
      throw refused(target, Objects.requireNonNull(e.getCause()));
    }
  }

  private static OutputException refused(Path file, IOException cause) {
    return new OutputException("--out: " + file + " cannot be written: " + Unwritable.reason(file, cause));
  }
}
