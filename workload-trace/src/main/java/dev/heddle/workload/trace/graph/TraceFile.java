package dev.heddle.workload.trace.graph;

import dev.heddle.text.Unreadable;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** Opens files that other tools wrote, compressed by gzip or not. */
public final class TraceFile {
  private static final int MAGIC = 0x1f8b;

  private TraceFile() {}

  /**
   * Reader of a file's bytes.
   *
   * @param <T> the result
   */
  public interface Reader<T> {
    /** Reads; a fault is a {@link TraceException}. */
    T read(String name, InputStream in);
  }

  /**
   * Reads a file.
   *
   * @throws TraceException when it cannot be read, or is malformed
   */
  public static <T> T read(Path file, Reader<T> reader) {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
      in.mark(2);
      boolean compressed = (in.read() << 8 | in.read()) == MAGIC;
      in.reset();
      return reader.read(file.toString(), compressed ? new GZIPInputStream(in, 1 << 16) : in);
    } catch (IOException e) {
      throw new TraceException(Unreadable.message(file, e));
    } catch (UncheckedIOException e) {
      throw new TraceException(Unreadable.message(file, e));
    }
  }
}
