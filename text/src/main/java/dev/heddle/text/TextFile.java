package dev.heddle.text;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;

/** Reads a file that is short enough to be held whole. */
public final class TextFile {
  /** The largest file in bytes. */
  public static final int MOST_BYTES = 16 << 20;

  private TextFile() {}

  /**
   * The text of a file in UTF-8, without a byte order mark, of at most {@value #MOST_BYTES} bytes.
   *
   * @param exception makes an exception of a message that names the file and the reason why it cannot be read
   */
  public static String read(Path file, Function<String, ? extends RuntimeException> exception) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MOST_BYTES + 1);
      if (bytes.length > MOST_BYTES) {
        throw exception.apply(file + ": has more than " + MOST_BYTES + " bytes, which no such file needs");
      }
      return ByteOrderMark.skip(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (IOException e) {
      throw exception.apply(Unreadable.message(file, e));
    }
  }
}
