package dev.heddle.text;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Files that are written whole and together, or not at all: each is written beside its place, all are renamed by
 * {@link #commit}, and {@link #close} removes the others. Files that they replace stay as they are until then.
 */
public final class WholeFiles implements AutoCloseable {
  private final List<Part> parts = new ArrayList<>();

  private record Part(Path temporary, Path file) {}

  /**
   * Writes one file in UTF-8, whole or not at all.
   *
   * @throws IOException when it cannot be written
   */
  public static void write(Path file, String text) throws IOException {
    try (WholeFiles files = new WholeFiles()) {
      try (OutputStream out = files.open(file)) {
        out.write(text.getBytes(StandardCharsets.UTF_8));
      }
      files.commit();
    }
  }

  /**
   * Opens a file for writing. A device, a pipe or the standard output is written to at once.
   *
   * @param file in a folder that exists
   * @return a stream that the caller closes before {@link #commit}
   * @throws IOException when it cannot be written
   */
  public OutputStream open(Path file) throws IOException {
    if (!Files.exists(file)) {
      return open(new Part(beside(file), file));
    }
    if (!Files.isWritable(file)) {
      throw new AccessDeniedException(file.toString());
    }
    if (special(file)) {
      return Files.newOutputStream(file);
    }
    // A link goes on to name the file that it names.
    Path real = file.toRealPath();
    return open(new Part(beside(real), real));
  }

  /** Whether a file is no regular one, or a name of an open file, such as {@code /dev/stdout}. */
  static boolean special(Path file) {
    return Files.exists(file) && (!Files.isRegularFile(file) || file.startsWith("/dev"));
  }

  private OutputStream open(Part part) throws IOException {
    parts.add(part);
    return Files.newOutputStream(part.temporary());
  }

  // Files of createTempFile are readable by their owner alone.
  private static Path beside(Path file) {
    return file.resolveSibling("." + file.getFileName() + "." + ProcessHandle.current().pid() + ".tmp");
  }

  /**
   * Puts the files in their places.
   *
   * @throws IOException when one cannot be renamed
   */
  public void commit() throws IOException {
    for (Part part : parts) {
      try {
        Files.move(part.temporary(), part.file(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } catch (AtomicMoveNotSupportedException e) {
        Files.move(part.temporary(), part.file(), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    parts.clear();
  }

  /**
   * Removes the files that were not put in their places.
   *
   * @throws IOException when one cannot be removed
   */
  @Override
  public void close() throws IOException {
    for (Part part : parts) {
      Files.deleteIfExists(part.temporary());
    }
  }
}
