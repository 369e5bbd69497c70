package dev.heddle.text;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Reasons why files and folders cannot be written, in words. */
public final class Unwritable {
  private Unwritable() {}

  /** The reason why a file could not be written. */
  public static String reason(Path file, IOException cause) {
    return misplaced(file).orElseGet(() -> refusal(cause));
  }

  /** The reason why a folder could not be made or written to. */
  public static String folderReason(Path folder, IOException cause) {
    for (Path part = folder; part != null; part = part.getParent()) {
      if (Files.exists(part)) {
        return Files.isDirectory(part) ? refusal(cause) : part + " is a file, not a folder";
      }
    }
    return refusal(cause);
  }

  /** The reason why a file cannot be written, as far as it is known before; empty where none is. */
  public static Optional<String> obstacle(Path file) {
    Optional<String> misplaced = misplaced(file);
    if (misplaced.isPresent() || WholeFiles.special(file)) {
      return misplaced;
    }
    try (WholeFiles files = new WholeFiles()) {
      files.open(file).close();
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(reason(file, e));
    }
  }

  private static Optional<String> misplaced(Path file) {
    if (Files.isDirectory(file)) {
      return Optional.of("it is a folder; name a file");
    }
    Path folder = file.getParent();
    if (folder == null || Files.isDirectory(folder)) {
      return Optional.empty();
    }
    return Files.exists(folder) ? Optional.of(folder + " is a file, not a folder")
        : Files.notExists(folder) ? Optional.of("there is no folder " + folder) : Optional.empty();
  }

  private static String refusal(IOException cause) {
    if (cause instanceof AccessDeniedException) {
      return "access is denied";
    }
    String reason = cause instanceof FileSystemException system ? system.getReason() : cause.getMessage();
    if (reason == null) {
      return "the file system refuses it";
    }
    if (reason.contains("No space left") || reason.contains("quota exceeded")) {
      return "no space is left on the disk";
    }
    return reason.contains("Read-only") ? "the file system is read-only" : reason;
  }
}
