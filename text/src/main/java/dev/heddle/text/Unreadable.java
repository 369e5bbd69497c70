package dev.heddle.text;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Messages for files that cannot be read. */
public final class Unreadable {
  private Unreadable() {}

  /** A message with the file's name. */
  public static String message(Path file, IOException cause) {
    return file + ": cannot be read: " + reason(file, cause);
  }

  /** The same where the file was read through an API without checked exceptions. */
  public static String message(Path file, UncheckedIOException thrown) {
    IOException cause = thrown.getCause();
    return message(file, cause == null ? new IOException(thrown) : cause);
  }

  /** The reason alone, for messages that name the file themselves. */
  public static String reason(Path file, IOException cause) {
    if (Files.notExists(file)) {
      return "there is no such file";
    }
    if (Files.isDirectory(file)) {
      return "it is a folder";
    }
    if (cause instanceof CharacterCodingException) {
      return "it is no text of UTF-8";
    }
    if (cause instanceof AccessDeniedException) {
      return "access is denied";
    }
    return cause.getMessage() == null ? "it ends too early" : cause.getMessage();
  }
}
