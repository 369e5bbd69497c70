package dev.heddle.text;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;

/** Reads a file that is short enough to be held whole. */
public final class TextFile {
  private TextFile() {}

  /**
   * The text of a file in UTF-8.
   *
   * @param exception makes an exception of a message that names the file and the reason why it cannot be read
   */
  public static String read(Path file, Function<String, ? extends RuntimeException> exception) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw exception.apply(Unreadable.message(file, e));
    }
  }
}
